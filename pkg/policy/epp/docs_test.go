// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// Tests that the page on the EPP names are there: each rule that it states is
// pinned by one.
func TestThePageNamesTestsThatExist(t *testing.T) {
	page := testfile.Read(t, filepath.Join("..", "..", "..", "docs", "epp.md"))
	var files []string
	for _, pattern := range []string{"*_test.go", "*/*_test.go", "../kvindex/*_test.go", "../../simulator/*/*_test.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var tests strings.Builder
	for _, name := range files {
		text := testfile.Read(t, name)
		tests.Write(text)
	}
	names := regexp.MustCompile("`(Test[A-Z]\\w*)`").FindAllStringSubmatch(string(page), -1)
	if len(names) < 30 {
		t.Errorf("the page names %d tests only", len(names))
	}
	for _, name := range names {
		if !strings.Contains(tests.String(), "\nfunc "+name[1]+"(t *testing.T)") {
			t.Errorf("the page names %s, which is not there", name[1])
		}
	}
}

// The page's examples are configurations that the default version accepts, and that
// can be simulated where pools have the roles that they ask for.
func TestThePagesExamplesAreAccepted(t *testing.T) {
	page := testfile.Read(t, filepath.Join("..", "..", "..", "docs", "epp.md"))
	examples := regexp.MustCompile("(?s)```yaml\n(apiVersion: llm-d.ai.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(examples) < 2 {
		t.Errorf("the page has %d examples only", len(examples))
	}
	roles := []map[string]string{{"llm-d.ai/role": "prefill"}, {"llm-d.ai/role": "decode"}}
	for _, example := range examples {
		v := Judge([]byte(example[1]), "", nil)
		if v.Stage != config.Accepted || len(v.Notices) > 0 {
			t.Errorf("%s: %v, %v\n%s", v.Stage, v.Errors.ToAggregate(), v.Notices, example[1])
			continue
		}
		if errs := v.Config.Check(&config.Cluster{Endpoints: 2, Labels: roles}, nil); len(errs) > 0 {
			t.Errorf("%v\n%s", errs.ToAggregate(), example[1])
		}
	}
}
