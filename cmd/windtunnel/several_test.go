// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// anyList is what a List holds.
type anyList struct {
	APIVersion, Kind string
	Items            []map[string]any
}

func readList(t *testing.T, raw string) anyList {
	t.Helper()
	var list anyList
	decoder := json.NewDecoder(strings.NewReader(raw))
	if err := decoder.Decode(&list); err != nil {
		t.Fatalf("%v in\n%.2000s", err, raw)
	}
	if decoder.More() {
		t.Error("there are several JSON documents")
	}
	return list
}

// TestSeveralObjectsAreOneList: the items are what each object prints alone, but
// that their rows name it.
func TestSeveralObjectsAreOneList(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{
		"runs/a.yaml": cmdtest.TinyRun("a", "2"), "runs/b.yaml": cmdtest.TinyRun("b", "4"), "runs/epp.yaml": cmdtest.SmallPicker,
		"sweeps/c.yaml": cmdtest.TinySweep("c", "2"), "sweeps/d.yaml": cmdtest.TinySweep("d", "4"), "sweeps/epp.yaml": cmdtest.SmallPicker,
	})
	for verb, names := range map[string][]string{"run": {"a", "b"}, "sweep": {"c", "d"}} {
		t.Run(verb, func(t *testing.T) {
			files := filepath.Join(folder, verb+"s")
			raw := mustRun(t, verb, "-f", files, "-o", "json")
			list := readList(t, raw)
			if list.APIVersion != "v1" || list.Kind != "List" || len(list.Items) != len(names) {
				t.Fatalf("%s %s of %d items, want v1 List of %d", list.APIVersion, list.Kind, len(list.Items), len(names))
			}
			for i, name := range names {
				var alone map[string]any
				text := mustRun(t, verb, "-f", filepath.Join(files, name+".yaml"), "-o", "json")
				if strings.Contains(text, `"object":`) {
					t.Errorf("rows of %s alone name it:\n%.500s", name, text)
				}
				if err := json.Unmarshal([]byte(text), &alone); err != nil {
					t.Fatal(err)
				}
				for _, row := range list.Items[i]["rows"].([]any) {
					row := row.(map[string]any)
					if row["object"] != name {
						t.Errorf("a row of %s is of %v", name, row["object"])
					}
					delete(row, "object")
				}
				if diff := cmp.Diff(alone, list.Items[i]); diff != "" {
					t.Errorf("%s (−alone +item):\n%s", name, diff)
				}
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, []byte(raw), "", "  "); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(indented.String(), raw); diff != "" {
				t.Errorf("the list is laid out otherwise (−json.Indent +printed):\n%s", diff)
			}
			checkResultsOfList(t, raw, names)
		})
	}
}

func checkResultsOfList(t *testing.T, raw string, names []string) {
	t.Helper()
	file := cmdtest.TempFile(t, "list.json", raw)
	table := mustRun(t, "results", "-f", file, "--columns", "ttft.p99")
	if !strings.HasPrefix(table, "object,point,share,seed,") {
		t.Errorf("the table names no objects:\n%s", table)
	}
	for _, name := range names {
		want := strings.Count(table, "\n"+name+",")
		chosen := mustRun(t, "results", "-f", file, "--columns", "ttft.p99", "--name", name)
		if got := strings.Count(chosen, "\n") - 1; got != want || want == 0 {
			t.Errorf("--name %s prints %d rows, and the table has %d of it", name, got, want)
		}
	}
	if out := mustRun(t, "results", "-f", file, "-o", "json", "--limit", "1"); !strings.HasPrefix(out, `{"object":"`+names[0]+`"`) {
		t.Errorf("rows in JSON name no object: %s", out)
	}
	if _, err := windtunnel(t, "compare", file, file); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "several objects ("+strings.Join(names, ", ")+")") {
		t.Errorf("several objects are compared: %v", err)
	}
}

func TestManifestsOfAFolder(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{
		"2.yml":        cmdtest.TinyRun("second", "2") + "---\napiVersion: v1\nkind: Service\n",
		"1.yaml":       "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(cmdtest.TinyRun("first", "2")), "\n", "\n  ") + "\n",
		"3.json":       `{"apiVersion": "apps/v1", "kind": "Deployment"}`,
		"epp.yaml":     cmdtest.SmallPicker,
		"values.yaml":  "router: {epp: {}}\n",
		"notes.txt":    "a: b: c\n",
		"deeper/4.yml": "a: b: c\n",
	})
	got := objectNames(t, mustRun(t, "run", "-f", folder, "-o", "json"))
	if diff := cmp.Diff([]string{"first", "second"}, got); diff != "" {
		t.Errorf("runs (−want +got):\n%s", diff)
	}

	// Files that a manifest names lie beside it, whichever -f it came from.
	other := cmdtest.WriteFiles(t, map[string]string{"run.yaml": cmdtest.TinyRun("third", "2"), "epp.yaml": cmdtest.SmallPicker})
	got = objectNames(t, mustRun(t, "run", "-f", filepath.Join(folder, "2.yml"), "-f", filepath.Join(other, "run.yaml"), "-o", "json"))
	if diff := cmp.Diff([]string{"second", "third"}, got); diff != "" {
		t.Errorf("runs of two files (−want +got):\n%s", diff)
	}

	broken := cmdtest.WriteFiles(t, map[string]string{"a.yaml": cmdtest.TinyRun("a", "2"), "b.yaml": "a: b: c\n"})
	if _, err := windtunnel(t, "run", "-f", broken); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), filepath.Join(broken, "b.yaml")+":1") {
		t.Errorf("a file that is no YAML: %v", err)
	}
	twice := cmdtest.WriteFiles(t, map[string]string{"a.yaml": cmdtest.TinyRun("a", "2"), "b.yaml": cmdtest.TinyRun("a", "2")})
	if _, err := windtunnel(t, "run", "-f", twice); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "is already in") {
		t.Errorf("one name twice: %v", err)
	}
}

func objectNames(t *testing.T, raw string) []string {
	t.Helper()
	var names []string
	for _, item := range readList(t, raw).Items {
		names = append(names, item["metadata"].(map[string]any)["name"].(string))
	}
	return names
}

func TestTheOtherVerbIsNamed(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{
		"run.yaml": cmdtest.TinyRun("r", "2"), "sweep.yaml": cmdtest.TinySweep("s", "2"), "both.yaml": cmdtest.TinyRun("r", "2") + "---\n" + cmdtest.TinySweep("s", "2"),
		"epp.yaml": cmdtest.SmallPicker, "empty.yaml": "# nothing yet\n",
	})
	file := func(name string) string { return filepath.Join(folder, name+".yaml") }
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"run of a sweep":      {[]string{"run", "-f", file("sweep")}, "holds no SimulationRun; it holds the PolicySweep s, which windtunnel sweep simulates: windtunnel sweep -f " + file("sweep")},
		"sweep of a run":      {[]string{"sweep", "-f", file("run")}, "holds no PolicySweep; it holds the SimulationRun r, which windtunnel run simulates: windtunnel run -f " + file("run")},
		"a name of the other": {[]string{"run", "-f", file("both"), "--name", "s"}, `holds no SimulationRun named "s"; it holds the PolicySweep s, which windtunnel sweep`},
		"neither":             {[]string{"run", "-f", file("both"), "--name", "x"}, `holds no SimulationRun named "x"`},
		"an empty file":       {[]string{"sweep", "-f", file("empty")}, "there is no object of Kubernetes, and so no PolicySweep"},
		"another kind":        {[]string{"run", "-f", file("epp")}, "holds an EndpointPickerConfig, and windtunnel run simulates a SimulationRun"},
	} {
		_, err := windtunnel(t, tc.args...)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}

// TestAStateHoldsSweepsApart: two sweeps share a state, and rows that one takes from
// the other are its own too.
func TestAStateHoldsSweepsApart(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{"a.yaml": cmdtest.TinySweep("a", "2"), "b.yaml": cmdtest.TinySweep("b", "4"), "copy.yaml": cmdtest.TinySweep("copy", "2"), "epp.yaml": cmdtest.SmallPicker})
	state := filepath.Join(t.TempDir(), "state")
	mustRun(t, "sweep", "-f", folder, "--state", state)
	table := mustRun(t, "results", "-f", state, "--columns", "ttft.p99")
	for _, name := range []string{"a", "b", "copy"} {
		alone := cmdtest.TempFile(t, "alone.json", mustRun(t, "sweep", "-f", folder, "--name", name, "-o", "json"))
		want := mustRun(t, "results", "-f", alone, "--columns", "ttft.p99")
		var got strings.Builder
		for line := range strings.Lines(table) {
			if rest, ok := strings.CutPrefix(line, name+","); ok {
				got.WriteString(rest)
			}
		}
		if _, rows, _ := strings.Cut(want, "\n"); got.String() != rows {
			t.Errorf("rows of %s: the state has\n%s\nand the sweep alone\n%s", name, got.String(), rows)
		}
	}
	before := testfile.Read(t, state)
	mustRun(t, "sweep", "-f", folder, "--name", "copy", "--state", state)
	after := testfile.Read(t, state)
	if !bytes.Equal(before, after) {
		t.Errorf("a sweep that is all there adds to the state:\n%s", after[len(before):])
	}
}
