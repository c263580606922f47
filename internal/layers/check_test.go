// SPDX-License-Identifier: Apache-2.0

package layers

import (
	"fmt"
	"slices"
	"strings"
)

// offence says which rule a package breaks by an import, or nothing.
func offence(folder, imported string) string {
	for _, table := range tables {
		if !covers(table.base, folder) {
			continue
		}
		if fault := table.offence(folder, imported); fault != "" {
			return fault
		}
	}
	return ""
}

func (t table) offence(folder, imported string) string {
	row, found := t.row(t.relative(folder))
	if !found {
		return folder + " has no row in internal/layers"
	}
	if row.imports == anything {
		return ""
	}
	name, own := strings.CutPrefix(imported, module)
	switch {
	case own && strings.HasSuffix(name, "test") && !strings.HasSuffix(folder, "test"):
		return "only tests import helpers of tests"
	case own && covers(t.base, name) && !t.allows(row, t.relative(name)):
		return fmt.Sprintf("%s may import [%s] of %s", row.folder, row.imports, t.title)
	case !own && t.base == "" && !row.allowsOther(imported):
		return fmt.Sprintf("%s may import [%s] of other modules", row.folder, row.others)
	}
	return ""
}

// row is the row of the folder with the longest name.
func (t table) row(folder string) (row, bool) {
	var best row
	for _, r := range t.rows {
		if covers(r.folder, folder) && len(r.folder) > len(best.folder) {
			best = r
		}
	}
	return best, best.folder != ""
}

func (t table) allows(importing row, name string) bool {
	imported, _ := t.row(name)
	if imported.folder == importing.folder {
		return true
	}
	for allowed := range strings.FieldsSeq(importing.imports) {
		if of, _ := t.row(allowed); of.folder == imported.folder && covers(allowed, name) {
			return true
		}
	}
	return false
}

func (r row) allowsOther(imported string) bool {
	allowed := slices.Clone(free)
	for name := range strings.FieldsSeq(r.others) {
		allowed = append(allowed, otherModules[name]...)
	}
	standard := !strings.Contains(strings.Split(imported, "/")[0], ".")
	return standard || slices.ContainsFunc(allowed, func(prefix string) bool { return covers(prefix, imported) })
}

// relative is the name of a folder below the base of the table: "." is the base.
func (t table) relative(folder string) string {
	if folder == t.base {
		return "."
	}
	return strings.TrimPrefix(strings.TrimPrefix(folder, t.base), "/")
}

// covers says whether a name is the folder's, or below it. The folder "" has all names.
func covers(folder, name string) bool {
	return folder == "" || name == folder || strings.HasPrefix(name, folder+"/")
}
