// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
)

// numbers are the paths of all weights and numbers of plugins in the EPP's view
// of a configuration that a sweep can reach.
func numbers(root any, path []Step) [][]Step {
	var all [][]Step
	switch v := root.(type) {
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, numbers(v[key], append(slices.Clone(path), Step{Name: key}))...)
		}
	case list:
		for i, e := range v {
			name := strconv.Itoa(i)
			if o, ok := e.(object); ok && entryName(o) != "" {
				name = entryName(o)
			}
			if entry(v, name) != nil { // which a number is not among names
				all = append(all, numbers(e, append(slices.Clone(path), Step{name, true}))...)
			}
		}
	case json.Number:
		all = append(all, path)
	}
	return all
}

// checkChanges changes some numbers at random, and looks at what is rewritten:
// it means what is wanted, and has all lines that are not about the changes.
func checkChanges(t *testing.T, text, version string, random *rand.Rand) (rewritten bool) {
	t.Helper()
	have, err := view(text, version)
	if err != nil {
		return false
	}
	paths := numbers(have, nil)
	if len(paths) == 0 {
		return false
	}
	var changes []Change
	for range 1 + random.IntN(3) {
		path := paths[random.IntN(len(paths))]
		changes = append(changes, Change{path, json.Number(fmt.Sprint(1 + random.IntN(9)))})
	}
	for _, c := range changes {
		assign(t, have, c)
	}
	raw := jsontest.Encode(t, have)
	want, errs := epp.Load(raw, version, nil)
	if len(errs) > 0 {
		return false
	}
	r, err := Rewrite([]byte(text), want, changes)
	if errors.Is(err, ErrNotPossible) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	got, errs := epp.Load([]byte(r.Text), version, nil)
	if len(errs) > 0 || !got.Same(want) {
		t.Fatalf("%v make another configuration of\n%s\nnamely\n%s\n%v", changes, text, r.Text, errs)
	}
	gone := strings.Count(changedLines(r.Before, r.Text), "\n-")
	if gone > len(changes) {
		t.Errorf("%d lines went for %v of\n%s\nwhich is\n%s", gone, changes, r.Before, r.Text)
	}
	return true
}

func TestRewriteOfPublishedConfigurations(t *testing.T) {
	folder := filepath.Dir(testdata.File(t, "epp/configs/README.md"))
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	done, refused := 0, 0
	for _, file := range files {
		raw := testfile.Read(t, file)
		verdict, _ := epp.Newest(raw, nil)
		if verdict.Config == nil {
			continue
		}
		for range 4 {
			if checkChanges(t, string(raw), verdict.Version, random) {
				done++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d rewritten, %d not", done, refused)
	if done < refused {
		t.Errorf("%d rewritten, %d not", done, refused)
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add(bare, uint64(1))
	f.Add("{\"kind\": \"EndpointPickerConfig\", \"plugins\": [{\"type\": \"queue-scorer\"}]}", uint64(2))
	f.Add(header+"plugins:\n  - type: utilization-detector\n    parameters:\n  - {type: queue-scorer}\n", uint64(3))
	f.Add(header+"plugins: [{type: prefix-cache-scorer}]\r\n", uint64(4))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		checkChanges(t, text, version, rand.New(rand.NewPCG(seed, 1)))
	})
}
