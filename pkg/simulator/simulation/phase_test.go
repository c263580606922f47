// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyLegalTransitions: each phase follows exactly those that the table says.
func TestOnlyLegalTransitions(t *testing.T) {
	for from := range phaseCount {
		want := map[phase]bool{}
		for _, to := range transitions[from] {
			want[to] = true
		}
		for to := range phaseCount {
			if got := moves(from, to); got != want[to] {
				t.Errorf("from %v to %v: allowed %v, want %v", from, to, got, want[to])
			}
		}
	}
}

func moves(from, to phase) (allowed bool) {
	defer func() { allowed = recover() == nil }()
	q := &request{phase: from}
	q.moveTo(to)
	return true
}

// TestPhasesChangeInOnePlace: no file but phase.go assigns a phase.
func TestPhasesChangeInOnePlace(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if name == "phase.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for _, left := range assign.Lhs {
				if s, ok := left.(*ast.SelectorExpr); ok && s.Sel.Name == "phase" {
					t.Errorf("%v assigns a phase; call moveTo", set.Position(s.Pos()))
				}
			}
			return true
		})
	}
}
