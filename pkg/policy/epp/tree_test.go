// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A document gives the same as a tree and as the JSON of the tree: stage, errors in order, notices and
// configuration.
func TestTreesGiveWhatTheirTextsDo(t *testing.T) {
	path := field.NewPath("config")
	trees := 0
	for _, m := range mutantsOfAllKinds() {
		var tree map[string]any
		raw, err := yaml.YAMLToJSON([]byte(m.text))
		if err != nil {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if d.Decode(&tree) != nil || tree == nil {
			continue
		}
		trees++
		text := jsontest.Encode(t, tree)
		for _, dialect := range []version.Dialect{version.All[0], version.All[len(version.All)-1]} {
			want, got := config.Judge(types, dialect, text, path), config.JudgeTree(types, dialect, tree, path)
			if diff := gocmp.Diff(told(want), told(got)); diff != "" {
				t.Errorf("%s in %s: −text +tree:\n%s", m.name, dialect.Name, diff)
			}
		}
	}
	if trees < 100 {
		t.Errorf("only %d documents are objects", trees)
	}
}

// told is what a result says in words.
func told(v config.LoadResult) []string {
	words := []string{string(v.Stage)}
	for _, e := range v.Errors {
		words = append(words, e.Error())
	}
	for _, n := range v.Notices {
		words = append(words, n.Path.String()+" "+n.Rule+" "+n.Text)
	}
	if v.Config != nil {
		effective, err := json.Marshal(v.Config)
		words = append(words, string(effective), fmt.Sprint(err))
	}
	return words
}
