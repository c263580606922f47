// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// hostile clears a screen, turns the direction of writing, and is HTML that says that all is well.
const hostile = "\x1b[2J\x1b[H\u202e\u009b2J<img src=x onerror=alert(1)>\r\n# PASS"

// controls are the characters that a reader does not see as they are.
var controls = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")

// What programs, services and traces say is text in each page.
func TestPagesArePrintable(t *testing.T) {
	object := func(resource Resource, name string) Object {
		o := sample(resource, "a", name)
		o.Status.Conditions = []metav1.Condition{
			{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonJobFailed, Message: hostile},
			{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Message: hostile},
			{Type: v1alpha1.ConditionPassed, Status: metav1.ConditionFalse, Message: hostile},
		}
		o.Status.Gates = []v1alpha1.GateStatus{{Name: hostile, Verdict: v1alpha1.GateFail, Message: hostile}}
		o.Best.Summary, o.File = "tenant="+hostile, hostile+".json"
		return o
	}
	s := newShelf(object(Sweeps, "s"), object(Runs, "decided"))
	s.decisions = []string{`{"seed":1,"names":["\u001b[2J\u202e<img src=x>PASS"],"endpoints":[{}],"request":{"id":1},"endpoint":0,"outcome":{"ended":"completed","ttftSeconds":1,"e2eSeconds":2,"outputTokens":3}}`}
	server, _ := serve(t, s, everything(), func(o *Options) { o.About = hostile })
	for name, path := range map[string]string{
		"the list":   "/",
		"a sweep":    "/namespaces/a/policysweeps/s",
		"its status": "/namespaces/a/policysweeps/s/status",
		"points":     "/namespaces/a/policysweeps/s/points",
		"a point":    "/namespaces/a/policysweeps/s/points/1",
		"a run":      "/namespaces/a/simulationruns/decided",
		"a seed":     "/namespaces/a/simulationruns/decided/points/0/seeds/1",
		"a request":  "/namespaces/a/simulationruns/decided/points/0/seeds/1/requests/1",
		"no object":  "/namespaces/a/policysweeps/none",
	} {
		t.Run(name, func(t *testing.T) {
			text := whole(t, ask(t, "GET", server.URL+path, "root"))
			if at := controls.FindStringIndex(text); at != nil {
				t.Errorf("a reader does not see %q", text[max(0, at[0]-40):min(len(text), at[1]+40)])
			}
			if strings.Contains(text, "<img") || !strings.Contains(text, "PASS") {
				t.Errorf("the words are not text:\n%s", text)
			}
		})
	}
}
