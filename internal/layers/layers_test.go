// SPDX-License-Identifier: Apache-2.0

package layers

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const (
	module = "windtunnel.dev/windtunnel/"
	root   = "../.."
	page   = root + "/docs/adr/0001-package-layers.md"
)

func TestPackagesImportLowerOnes(t *testing.T) {
	for _, folder := range []string{"api", "config", "controllers", "internal", "pkg"} {
		for _, file := range sources(t, folder) {
			for _, imported := range imports(t, file) {
				if fault := offence(path.Dir(file), imported); fault != "" {
					t.Errorf("%s imports %s: %s", file, strings.TrimPrefix(imported, module), fault)
				}
			}
		}
	}
}

// A row of the table is held, whatever the tree imports today.
func TestOffences(t *testing.T) {
	const (
		simulator = module + "pkg/simulator"
		core      = "k8s.io/api/core/v1"
	)
	tests := []struct {
		folder, imported string
		want             bool
	}{
		{"pkg/kv", "math", false},
		{"pkg/kv", module + "pkg/stats", false},
		{"pkg/kv/transfer", module + "pkg/kv", false},
		{"pkg/kv", "k8s.io/apimachinery/pkg/util/validation/field", false},
		{"pkg/simtime", module + "pkg/stats", true},
		{"pkg/kv", module + "pkg/workload", true},
		{"pkg/kv", module + "cmd/windtunnel", true},
		{"pkg/simulator/internal/queue", core, true},
		{"pkg/result", module + "api/v1alpha1", true},
		{"pkg/result", module + "pkg/search", true},
		{"pkg/evaluate", core, true},
		{"pkg/setup", core, false},
		{"pkg/report", module + "pkg/report/dataframe", true},
		{"pkg/experiment/execute", module + "pkg/report/dataframe", true},
		{"pkg/experiment/execute", "github.com/parquet-go/parquet-go", true},
		{"controllers", module + "pkg/workload/trace/parquetfile", true},
		{"controllers", simulator, true},
		{"pkg/promote", module + "pkg/policy/epp/edit", false},
		{"pkg/promote", module + "pkg/policy/native", true},
		{"pkg/policy/native", module + "pkg/policy/epp/scheduler", false},
		{"pkg/policy/epp/config", module + "pkg/policy/epp/scheduler", true},
		{"pkg/policy/epp/config", module + "pkg/policy/epp", true},
		{"pkg/policy/epp/prefix", module + "pkg/policy/epp/internal/hashtable", false},
		{"pkg/experiment", module + "pkg/experiment/study", true},
		{"pkg/experiment/whatif", module + "pkg/experiment/study", true},
		{"pkg/experiment/unknown", "math", true},
		{"pkg/unknown", "math", true},
		{"pkg/policy/sandbox", module + "pkg/policy/sandbox/wasm/wasmtest", true},
	}
	for _, test := range tests {
		if got := offence(test.folder, test.imported); (got != "") != test.want {
			t.Errorf("%s imports %s: %q, want an offence: %t", test.folder, test.imported, got, test.want)
		}
	}
}

// A row's folder exists, and what it may import has rows above it. So the tables read from
// the lowest package to the highest.
func TestRowsAreInOrder(t *testing.T) {
	for _, table := range tables {
		for i, row := range table.rows {
			if _, err := os.Stat(filepath.Join(root, table.base, row.folder)); err != nil {
				t.Errorf("%s: %v", table.title, err)
			}
			above := table.first(i)
			for imported := range strings.FieldsSeq(row.imports) {
				if _, found := above.row(imported); !found && imported != anything {
					t.Errorf("%s: no row above that of %s has its import %s", table.title, row.folder, imported)
				}
			}
		}
	}
}

func (t table) first(rows int) table {
	t.rows = t.rows[:rows]
	return t
}

func TestTablesOfThePage(t *testing.T) {
	old := testfile.Read(t, page)
	const begin, end = "<!-- layers: begin -->\n", "<!-- layers: end -->"
	head, rest, found := bytes.Cut(old, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		t.Fatalf("%s has no place for the tables", page)
	}
	want := slices.Concat(head, []byte(begin), markdown(), []byte(end), tail)
	golden.Check(t, page, want)
}

// markdown is the tables as ADR 1 shows them. A layer is one above the highest that the
// folder may import.
func markdown() []byte {
	var b bytes.Buffer
	for _, table := range tables {
		layers := table.layers()
		fmt.Fprintf(&b, "\n%s:\n\n| layer | folder | may import |\n|---|---|---|\n", table.title)
		for layer := range slices.Max(layers) {
			for i, row := range table.rows {
				if layers[i] == layer+1 && row.imports != anything {
					fmt.Fprintf(&b, "| %d | `%s` | %s |\n", layers[i], row.folder, row.list())
				}
			}
		}
	}
	return append(b.Bytes(), '\n')
}

// list is the imports of a row: folders, then other modules.
func (r row) list() string {
	var names []string
	for name := range strings.FieldsSeq(r.imports) {
		names = append(names, "`"+name+"`")
	}
	return strings.Join(append(names, strings.Fields(r.others)...), ", ")
}

// layers are the layers of the rows.
func (t table) layers() []int {
	layers := make([]int, len(t.rows))
	for i, row := range t.rows {
		layers[i] = 1
		for imported := range strings.FieldsSeq(row.imports) {
			for j := range i {
				if covers(t.rows[j].folder, imported) {
					layers[i] = max(layers[i], layers[j]+1)
				}
			}
		}
	}
	return layers
}

// sources are the Go files of a folder, except tests, as paths below the module.
func sources(t *testing.T, folder string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(filepath.Join(root, folder), func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, strings.TrimPrefix(filepath.ToSlash(name), root+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}
