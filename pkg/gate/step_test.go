// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// rollingOut is a sweep whose rollout is undecided at 25 % and stopped at 50 %.
func rollingOut(conditions ...string) *v1alpha1.PolicySweep {
	s := sweepOf(conditions...)
	s.Status.Steps = []v1alpha1.StepStatus{
		{Percent: 10, Verdict: v1alpha1.GatePass, Reason: "GatesPassed", Message: "all 2 gates pass"},
		{Percent: 25, Verdict: v1alpha1.GateUnknown, Reason: "Undecided", Message: "gate ttft: 3 seeds do not tell"},
		{Percent: 50, Verdict: v1alpha1.GateFail, Reason: "GateFailed", Message: "gate ttft: too long"},
		{Percent: 100, Verdict: v1alpha1.GatePass, Reason: "GatesPassed", Message: "all 2 gates pass"},
	}
	return s
}

// TestAStepIsAnsweredUpToItsShare: no step passes after one that does not.
func TestAStepIsAnsweredUpToItsShare(t *testing.T) {
	stopped := rollingOut("Ready=True Complete", "Passed=False GateFailed")
	for name, tc := range map[string]struct {
		sweep           *v1alpha1.PolicySweep
		query           string
		code            int
		result, message string
	}{
		"without a step":             {stopped, "", 200, "Fail", "about GateFailed"},
		"a step that passes":         {stopped, "?step=10", 200, "Pass", "step 10 %: all 2 gates pass"},
		"a step that is undecided":   {stopped, "?step=25", 200, "Unknown", "step 25 %: gate ttft: 3 seeds do not tell"},
		"a step after it":            {stopped, "?step=50", 200, "Unknown", "step 25 %: gate ttft: 3 seeds do not tell"},
		"one that passes by itself":  {stopped, "?step=100", 200, "Unknown", "step 25 %: gate ttft: 3 seeds do not tell"},
		"a step that there is not":   {stopped, "?step=30", 400, "", "the rollout has no step 30; its steps are 10, 25, 50, 100"},
		"a sweep without a rollout":  {sweepOf("Ready=True Complete", "Passed=True GatesPassed"), "?step=30", 400, "", "step is of a sweep with a rollout, which this object is not"},
		"a share that is none":       {stopped, "?step=0", 400, "", "step must be a percentage from 1 to 100, such as 25"},
		"a share with its sign":      {stopped, "?step=25%25", 400, "", "step must be a percentage from 1 to 100, such as 25"},
		"two steps":                  {stopped, "?step=10&step=25", 400, "", "step must be one step"},
		"a step of another EPP file": {stopped, "?step=10&sha256=" + digestOfA, 409, "", "the verdict is not about the EPP file with sha256 " + digestOfA},
		"an input that changed": {
			rollingOut("Ready=True Complete", "Passed=True GatesPassed", "InputsChanged=True InputsChanged"), "?step=10", 200, "Unknown", "about InputsChanged",
		},
		"work that is underway": {rollingOut("Ready=False Running", "Reconciling=True Running", "Passed=Unknown Pending"), "?step=10", 503, "", "there is no verdict yet: Running: about Running"},
	} {
		t.Run(name, func(t *testing.T) {
			w, body := get(t, newReader(t, tc.sweep), readsVerdicts, pathOfX+tc.query)
			result, _ := body["result"].(string)
			if w.Code != tc.code || result != tc.result || body["message"] != tc.message {
				t.Errorf("%d %s\nwant %d %s %q", w.Code, w.Body, tc.code, tc.result, tc.message)
			}
		})
	}
}

// A verdict on a rollout is about the EPP file of the router that takes over the traffic.
func TestARolloutIsJudgedWithTheFileOfItsBackend(t *testing.T) {
	s := rollingOut("Ready=True Complete", "Passed=False GateFailed")
	s.Spec.Rollout = &v1alpha1.Rollout{Backend: "canary", Steps: []int32{10, 25, 50, 100}}
	router := func(name, text string) v1alpha1.ModelRouter {
		return v1alpha1.ModelRouter{Model: "m", Name: name, Router: v1alpha1.Router{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Inline: &text}}}
	}
	s.Spec.Scenario.Routers = []v1alpha1.ModelRouter{router("stable", "a"), router("canary", "b")}
	for digest, want := range map[string]int{digestOfB: http.StatusOK, digestOfA: http.StatusConflict} {
		if w, _ := get(t, newReader(t, s), readsVerdicts, pathOfX+"?step=10&sha256="+digest); w.Code != want {
			t.Errorf("%s: %d %s, want %d", digest, w.Code, w.Body, want)
		}
	}
}

// TestTheExampleAsksAtEachStep: the AnalysisTemplate asks what the handler takes, and the Rollout sets no weight
// before it asked for it.
func TestTheExampleAsksAtEachStep(t *testing.T) {
	var template struct {
		Spec struct {
			Metrics []struct {
				Provider struct{ Web struct{ URL string } }
			}
		}
	}
	readExample(t, "analysis_template_step.yaml", &template)
	var rollout struct {
		Spec struct {
			Strategy struct {
				Canary struct {
					Steps []struct {
						SetWeight *int
						Analysis  *struct {
							Args []struct{ Name, Value string }
						}
					}
				}
			}
		}
	}
	readExample(t, "rollout_steps.yaml", &rollout)
	live := newReader(t, rollingOut("Ready=True Complete", "Passed=False GateFailed"))
	asked, answers := "", []string{}
	for _, step := range rollout.Spec.Strategy.Canary.Steps {
		if step.Analysis == nil {
			if *step.SetWeight == 0 || strconv.Itoa(*step.SetWeight) != asked {
				t.Errorf("the weight %d is set after the question about %s", *step.SetWeight, asked)
			}
			continue
		}
		asked = step.Analysis.Args[2].Value
		url := strings.NewReplacer("{{args.server}}", "", "{{args.namespace}}", "a", "{{args.sweep}}", "x", "{{args.step}}", asked).Replace(template.Spec.Metrics[0].Provider.Web.URL)
		_, body := get(t, live, readsVerdicts, url)
		answers = append(answers, fmt.Sprint(asked, " ", body["result"]))
	}
	if diff := cmp.Diff([]string{"10 Pass", "25 Unknown", "50 Unknown", "100 Unknown"}, answers); diff != "" {
		t.Errorf("answers (−want +got):\n%s", diff)
	}
}

func readExample(t *testing.T, name string, into any) {
	t.Helper()
	raw := testfile.Read(t, filepath.Join("../../config/gates", name))
	if err := yaml.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func TestFlaggerAsksUpToAShare(t *testing.T) {
	live := newReader(t, opened(rollingOut("Ready=True Complete", "Passed=False GateFailed")))
	for step, want := range map[string]struct {
		code int
		text string
	}{
		"10": {http.StatusOK, "the verdict of policysweep a/x is pass"},
		"50": {http.StatusPreconditionFailed, "the verdict of policysweep a/x is undecided"},
		"30": {http.StatusBadRequest, "policysweep a/x has no step 30"},
		"x":  {http.StatusBadRequest, "step must be a percentage from 1 to 100, such as 25"},
	} {
		asks := strings.Replace(asksX, `"sweep":`, `"step": "`+step+`", "sweep":`, 1)
		if w := post(live, "pre-rollout", asks); w.Code != want.code || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("step %s: %d %s, want %d %s", step, w.Code, w.Body, want.code, want.text)
		}
	}
}
