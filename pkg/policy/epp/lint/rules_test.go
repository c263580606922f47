// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"
	"testing"
)

// example completes the text of a rule's example.
func example(text string) string {
	text = strings.TrimPrefix(text, "\n")
	if strings.HasPrefix(text, "apiVersion") {
		return text
	}
	return "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n" + text
}

// findings are those of a rule's example, without what it cannot do without.
func (r *Rule) findings(text string) []Finding {
	found := Check([]byte(example(text)), r.Version, r.Context)
	if r.Version == auto {
		report, err := Read("", []byte(example(text)), Options{Context: r.Context})
		if err != nil {
			panic(err)
		}
		found = report.Configs[0].Findings
	}
	return slices.DeleteFunc(found, func(f Finding) bool { return slices.Contains(r.Alongside, f.Rule) })
}

func TestEachRuleFindsItsBadExampleAndNothingElse(t *testing.T) {
	for _, rule := range rules {
		if rule == &manifestRule {
			continue // The examples are no configurations: cmd/windtunnel tests them.
		}
		t.Run(rule.ID, func(t *testing.T) {
			if rule.Bad == "" {
				// What the loader may yet say has no example beforehand.
				if rule.ID != "loader-notice" {
					t.Error("no bad example")
				}
				return
			}
			found := rule.findings(rule.Bad)
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
			for _, f := range rule.findings(rule.Good) {
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
		if (rule.Bad == "") != (rule.Good == "") || rule.Bad == "" && rule.check != nil {
			t.Errorf("%s lacks an example", rule.ID)
		}
	}
}
