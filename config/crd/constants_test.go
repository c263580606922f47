// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestEachConstantSaysWhatItMeans has a value of an enum, a condition or a reason explained
// where it is declared.
func TestEachConstantSaysWhatItMeans(t *testing.T) {
	files, err := filepath.Glob("../../api/v1alpha1/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of the API: %v", len(files), err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				constant := spec.(*ast.ValueSpec)
				if constant.Doc == nil && (group.Lparen.IsValid() || group.Doc == nil) {
					t.Errorf("%s: %s has no comment", set.Position(constant.Pos()), constant.Names[0])
				}
			}
		}
	}
}
