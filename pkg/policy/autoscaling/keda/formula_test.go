// SPDX-License-Identifier: Apache-2.0

package keda_test

import (
	"cmp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
)

// A formulaStory is one object with a formula about its triggers, and what KEDA made of their
// answers.
type formulaStory struct {
	Formula, Target, Activation string
	MetricType                  hpa.TargetType
	Names                       []string
	Fallback                    *keda.Fallback
	Refused                     bool
	Asks                        []struct {
		Target         keda.Target
		Answers        []keda.Answer
		Observed       hpa.Observation
		Active, Failed bool
	}
}

func TestKEDACombinesTheSame(t *testing.T) {
	seen, refused := map[bool]int{}, 0
	for i, s := range readStories[formulaStory](t, "formulas") {
		formula, err := keda.CompileFormula(s.Formula, s.Names)
		if (err != nil) != s.Refused {
			t.Errorf("story %d: %s: %v, want an error: %t", i, s.Formula, err, s.Refused)
		}
		if err != nil {
			refused++
			continue
		}
		// Each of the two ways to ask counts failures of its own here, as one of them counts in KEDA.
		forHPA, forPoll := keda.New(s.spec(formula), 0), keda.New(s.spec(formula), 0)
		for n, ask := range s.Asks {
			got, failed := forHPA.Combine(ask.Target, ask.Answers)
			active, failedToo := forPoll.Activity(ask.Target, ask.Answers)
			if diff := gocmp.Diff(ask.Observed, got, cmpopts.EquateEmpty()); diff != "" || failed != ask.Failed || failedToo != failed || active != ask.Active {
				t.Errorf("story %d, %s, ask %d: failed %t, active %t, want %t, %t (-KEDA +here):\n%s", i, s.Formula, n, failed, active, ask.Failed, ask.Active, diff)
				break
			}
			seen[active]++
		}
	}
	t.Logf("compared %d answers of formulas, of which %d are active, and %d refusals", seen[true]+seen[false], seen[true], refused)
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("active and not: %v", seen)
	}
}

func (s *formulaStory) spec(formula *keda.Formula) keda.Spec {
	written, _ := strconv.ParseFloat(s.Target, 64)
	activation, _ := strconv.ParseFloat(s.Activation, 64)
	_, err := strconv.ParseInt(s.Target, 10, 64)
	spec := keda.Spec{Fallback: s.Fallback, Modifiers: &keda.Modifiers{
		Formula: formula, Written: written, Whole: err == nil, Activation: activation,
		Target: hpa.Target{Type: cmp.Or(s.MetricType, hpa.AverageValue), Value: int64(written * 1000)},
	}}
	for _, name := range s.Names {
		spec.Triggers = append(spec.Triggers, keda.Trigger{Name: name, Metric: queue.Metric})
	}
	return spec
}

func TestFormulasThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"now().Hour() + a":            "function now is not simulated;",
		"len(keys({})) + date() + a":  "function keys is not simulated; function date is not",
		`a > 1 ? "many" : "few"`:      "texts and members are not simulated",
		"sum(map(1..1000000, # * a))": "the range .. is not simulated",
		"sum(map([1], sum(map([1], sum(map([1], sum(map([1], a))))))))": "more than 3 functions with a predicate",
		"a + queue":                       "unknown name queue",
		"a +":                             "unexpected token",
		strings.Repeat("a + ", 300) + "a": "must have at most 1024 bytes",
	} {
		if _, err := keda.CompileFormula(text, []string{"a"}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}
