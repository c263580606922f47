// SPDX-License-Identifier: Apache-2.0

package readme

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestProgramsSpeakPlainly looks for banned words in what the programs print: errors,
// conditions, findings and help texts.
func TestProgramsSpeakPlainly(t *testing.T) {
	for _, folder := range []string{"api", "cmd", "controllers", "internal", "pkg"} {
		inProgram(t, folder, checkStrings)
	}
}

// inProgram calls check with each Go file of a folder, except tests.
func inProgram(t *testing.T, folder string, check func(*testing.T, *token.FileSet, *ast.File)) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err == nil {
			check(t, files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkStrings reports banned words in the strings of a Go file that are sentences.
func checkStrings(t *testing.T, files *token.FileSet, file *ast.File) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(text, " ") < 2 {
			return true
		}
		for _, fault := range notPlain(text) {
			t.Errorf("%s: line %s", files.Position(literal.Pos()), fault)
		}
		return true
	})
}
