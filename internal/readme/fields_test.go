// SPDX-License-Identifier: Apache-2.0

package readme

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
	"unicode"
)

// TestCommentsNameTheirFields looks for comments whose field or method was renamed: a first
// word in lower case is a name of the same struct or interface. Linters check the comments of
// declarations, and those of the API's fields.
func TestCommentsNameTheirFields(t *testing.T) {
	for _, folder := range []string{"cmd", "controllers", "internal", "pkg"} {
		inProgram(t, folder, func(t *testing.T, files *token.FileSet, file *ast.File) {
			t.Helper()
			ast.Inspect(file, func(n ast.Node) bool {
				fields, ok := n.(*ast.FieldList)
				if !ok {
					return true
				}
				for _, field := range misnamed(fields) {
					t.Errorf("%s: the comment of %s begins with another name", files.Position(field.Pos()), field.Names[0])
				}
				return true
			})
		})
	}
}

// misnamed are the fields whose comment begins with a word in lower case that names none of
// the fields.
func misnamed(fields *ast.FieldList) []*ast.Field {
	names := map[string]bool{}
	for _, field := range fields.List {
		for _, name := range field.Names {
			names[name.Name] = true
		}
	}
	var wrong []*ast.Field
	for _, field := range fields.List {
		first := strings.FieldsFunc(field.Doc.Text(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if len(field.Names) > 0 && len(first) > 0 && unicode.IsLower(rune(first[0][0])) && !names[first[0]] {
			wrong = append(wrong, field)
		}
	}
	return wrong
}
