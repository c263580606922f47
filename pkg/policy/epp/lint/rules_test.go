// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withHeader puts apiVersion and kind in front of an example that leaves them out.
func withHeader(text string) string {
	if strings.Contains(text, "apiVersion") {
		return text
	}
	return "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n" + text
}

// exampleFindings checks an example of the rule, and leaves out findings of the rules that it
// needs alongside.
func (r *Rule) exampleFindings(text string) []Finding {
	found := Check([]byte(withHeader(text)), r.Version, r.Context)
	if r.Version == auto {
		report, err := Read("", []byte(withHeader(text)), Options{Context: r.Context})
		if err != nil {
			panic(err)
		}
		found = report.Configs[0].Findings
	}
	return slices.DeleteFunc(found, func(f Finding) bool { return slices.Contains(r.AlsoFinds, f.Rule) })
}

func TestEachRuleFindsItsBadExampleAndNothingElse(t *testing.T) {
	for _, rule := range rules {
		if rule == &manifestRule || rule == &deprecatedFieldRule || rule == &loaderNotice {
			// cmd/windtunnel tests the examples of rule manifest, which are no EndpointPickerConfigs.
			// No configuration that is known today brings rule loader-notice.
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			found := rule.exampleFindings(rule.BadExample())
			if len(found) == 0 {
				t.Error("the bad example has no finding")
			}
			for _, f := range found {
				if f.Rule != rule.ID {
					t.Errorf("the bad example has %s: %s: %s", f.Rule, f.Path, f.Message)
				}
				if f.Severity != rule.Severity || f.Message == "" || f.Line < 1 || f.Column < 1 {
					t.Errorf("finding is %+v", f)
				}
			}
			for _, f := range rule.exampleFindings(rule.GoodExample()) {
				t.Errorf("the good example has %s: %s: %s", f.Rule, f.Path, f.Message)
			}
		})
	}
}

func TestRulesAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range rules {
		if seen[rule.ID] {
			t.Errorf("%s is there twice", rule.ID)
		}
		seen[rule.ID] = true
		for what, text := range map[string]string{"summary": rule.Summary, "why": rule.Why, "fix": rule.Fix, "source": rule.Source, "severity": string(rule.Severity)} {
			if text == "" {
				t.Errorf("%s has no %s", rule.ID, what)
			}
		}
	}
}

// A rule that is declared but not listed would never run.
func TestRulesListsEachDeclaredRule(t *testing.T) {
	listed := map[string]bool{}
	for _, rule := range rules {
		listed[rule.ID] = true
	}
	for variable, id := range declaredRules(t) {
		if !listed[id] {
			t.Errorf("rules.go does not list %s, the rule %q", variable, id)
		}
	}
}

// declaredRules returns the ID of each variable of type Rule in the package's code.
func declaredRules(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				if id, is := ruleID(spec.Values[0]); is {
					ids[spec.Names[0].Name] = id
				}
			}
			return true
		})
	}
	if len(ids) < len(rules) {
		t.Fatalf("found %d declared rules, and %d are listed", len(ids), len(rules))
	}
	return ids
}

// ruleID returns the ID in a literal Rule{ID: "…"}.
func ruleID(value ast.Expr) (id string, is bool) {
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return "", false
	}
	if name, ok := literal.Type.(*ast.Ident); !ok || name.Name != "Rule" {
		return "", false
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "ID" {
			if text, ok := pair.Value.(*ast.BasicLit); ok {
				id = strings.Trim(text.Value, `"`)
			}
		}
	}
	return id, true
}

func TestEachRuleHasItsExamples(t *testing.T) {
	var want []string
	for _, rule := range rules {
		if rule == &loaderNotice {
			continue
		}
		want = append(want, rule.ID)
		if rule.BadExample() == "" || rule.GoodExample() == "" {
			t.Errorf("%s lacks examples/%[1]s/bad.yaml or good.yaml", rule.ID)
		}
	}
	slices.Sort(want)
	entries, err := examples.ReadDir("examples")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("folders of examples (-want +got):\n%s", diff)
	}
}
