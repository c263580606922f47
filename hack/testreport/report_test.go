// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/readme"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// claims are of the tests of the module that testModule writes.
var claims = []readme.Claim{
	{Row: "what is checked", Tests: []string{"good.TestPasses"}},
	{Row: "what needs data", Tests: []string{"good.TestPasses", "good.TestNeedsData"}},
	{Row: "what needs data in part", Tests: []string{"good.TestInPart"}},
}

// testModule writes a module of two packages, one of them with a test that fails,
// and returns the events of go test there.
func testModule(t *testing.T, bad string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module windtunnel.dev/windtunnel\n\ngo 1.26.0\n",
		"good/good_test.go": `package good

import "testing"

func TestPasses(t *testing.T)    { t.Log("nobody wants to read this") }
func TestNeedsData(t *testing.T) { t.Skip("no data is here") }
func TestInPart(t *testing.T) {
	t.Run("a part", func(t *testing.T) { t.Skip("no data is here") })
	t.Run("slow", func(t *testing.T) { t.Skip("takes seconds") })
}
func TestWithoutAWord(t *testing.T) { t.SkipNow() }
`,
		"bad/bad_test.go": "package bad\n\nimport \"testing\"\n\n" + bad,
		"none/none.go":    "package none\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testfile.Write(t, path, []byte(text))
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-json", "./...")
	cmd.Dir = folder
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if failed := strings.Contains(bad, "Error") || !strings.Contains(bad, "func"); failed != (err != nil) {
		t.Fatalf("go test: %v\n%s", err, out)
	}
	return string(out)
}

func reported(t *testing.T, events string) (string, bool) {
	t.Helper()
	var out strings.Builder
	r := newReport(&out)
	if err := r.read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	if err := r.close(claims); err != nil {
		t.Fatal(err)
	}
	return out.String(), r.failed
}

const wantedEnd = `
Skipped: 4 tests.
  2: no data is here
     good.TestInPart/a_part
     good.TestNeedsData
  1: no reason is given
     good.TestWithoutAWord
  1: takes seconds
     good.TestInPart/slow

Unchecked claims of docs/accuracy.md: 2 of 3.
  what needs data: good.TestNeedsData was skipped
  what needs data in part: good.TestInPart/a_part was skipped
`

func TestWhatIsPrintedEndsWithWhatWasSkipped(t *testing.T) {
	out, failed := reported(t, testModule(t, "func TestRight(t *testing.T) {}\n"))
	if failed {
		t.Error("it is said to have failed")
	}
	for _, want := range []string{"ok  \twindtunnel.dev/windtunnel/good\t", "ok  \twindtunnel.dev/windtunnel/bad\t", "?   \twindtunnel.dev/windtunnel/none\t[no test files]\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no line %q in\n%s", want, out)
		}
	}
	for _, odd := range []string{"=== RUN", "PASS\n", "nobody wants", `"Action"`} {
		if strings.Contains(out, odd) {
			t.Errorf("%q is printed:\n%s", odd, out)
		}
	}
	if !strings.HasSuffix(out, wantedEnd) {
		t.Errorf("the end is (−want +got):\n%s", cmp.Diff(wantedEnd, out))
	}
}

func TestAFailureIsPrintedAsGoTestDoes(t *testing.T) {
	for name, tc := range map[string]struct {
		bad  string
		want []string
	}{
		"a test": {
			"func TestWrong(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Error(\"this is wrong\") }) }\n",
			[]string{"--- FAIL: TestWrong (", "--- FAIL: TestWrong/x (", "bad_test.go:5: this is wrong\n", "FAIL\twindtunnel.dev/windtunnel/bad\t"},
		},
		"a build": {
			"nothing that Go knows\n",
			[]string{"bad_test.go:5:1: ", "FAIL\twindtunnel.dev/windtunnel/bad [setup failed]\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, failed := reported(t, testModule(t, tc.bad))
			if !failed {
				t.Error("it is not said to have failed")
			}
			for _, want := range tc.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if !strings.Contains(out, "\nFAIL\n") || !strings.HasSuffix(out, wantedEnd) {
				t.Errorf("the end is\n%s", out)
			}
		})
	}
}

// Lines of other commands and events that are cut off are told.
func TestOtherLinesAndACutOff(t *testing.T) {
	out, failed := reported(t, "kube-assets: builds\n"+
		`{"Action":"output","Package":"windtunnel.dev/windtunnel/p","Test":"TestX","Output":"=== RUN   TestX\n"}`+"\n"+
		`{"Action":"output","Package":"windtunnel.dev/windtunnel/p","Test":"TestX","Output":"panic: broken\n"}`)
	if want := "kube-assets: builds\npanic: broken\nFAIL\n"; out != want || !failed {
		t.Errorf("failed is %v, and printed is (−want +got):\n%s", failed, cmp.Diff(want, out))
	}
}
