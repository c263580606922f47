// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// readTable reads a table of testdata: rows by their first column, with the names of the
// other columns.
func readTable(t *testing.T, path string, keep func(columns []string) bool) map[string]map[string]string {
	t.Helper()
	raw := testfile.Read(t, path)
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	head := strings.Split(strings.TrimPrefix(lines[0], "# "), "\t")
	rows := map[string]map[string]string{}
	for _, line := range lines[1:] {
		columns := strings.Split(line, "\t")
		if !keep(columns) {
			continue
		}
		rows[columns[0]] = map[string]string{}
		for i := range columns {
			rows[columns[0]][head[i]] = columns[i]
		}
	}
	return rows
}

// registeredBy tells which types each version registers.
func registeredBy(version version.Dialect) map[string]bool {
	registered := map[string]bool{}
	for _, p := range types {
		if p.In(version) {
			registered[p.Name] = true
		}
	}
	return registered
}

// Each version registers the types that testdata/plugins.tsv lists, which were read
// from its source: a plugin that no EPP has, or one in a version that lacks it, is a
// fault.
func TestEachVersionHasItsPlugins(t *testing.T) {
	want := readTable(t, "testdata/plugins.tsv", func([]string) bool { return true })
	for _, version := range version.All {
		got, listed := registeredBy(version), map[string]bool{}
		for name, row := range want {
			switch row[version.Name] {
			case "yes":
				listed[name] = true
			case "-":
			default:
				t.Errorf("testdata/plugins.tsv says %q of %s in %s", row[version.Name], name, version.Name)
			}
		}
		if diff := cmp.Diff(listed, got); diff != "" {
			t.Errorf("types of %s (-table +registry):\n%s", version.Name, diff)
		}
	}
}

// The table agrees with the real loaders, where they were asked about a type.
func TestTheTableOfPluginsIsWhatRealLoadersKnow(t *testing.T) {
	ours := readTable(t, "testdata/plugins.tsv", func([]string) bool { return true })
	real := readTable(t, "testdata/loader/params.tsv", func(columns []string) bool { return columns[1] == "(unknown)" })
	asked := 0
	for name, row := range real {
		if ours[name] == nil {
			continue
		}
		for _, version := range version.All {
			verdict, measured := row[version.Name]
			if !measured {
				continue
			}
			asked++
			if known := verdict != "-"; known != (ours[name][version.Name] == "yes") {
				t.Errorf("%s in %s: the real loader says %q, the table %q", name, version.Name, verdict, ours[name][version.Name])
			}
		}
	}
	if asked < 1500 {
		t.Errorf("only %d pairs of a type and a version were measured", asked)
	}
}

// The page on the EPP names every type.
func TestThePageNamesEveryPlugin(t *testing.T) {
	page := testfile.Read(t, "../../../docs/epp.md")
	for _, p := range types {
		if !strings.Contains(string(page), "`"+p.Name+"`") {
			t.Errorf("docs/epp.md does not name `%s`", p.Name)
		}
	}
}
