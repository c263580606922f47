// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// post sends a webhook.
func post(live client.Reader, hook, body string) *httptest.ResponseRecorder {
	mux := http.NewServeMux()
	Flagger{Live: live}.Mount(mux)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/flagger/"+hook, strings.NewReader(body)))
	return w
}

// opened has the owner let everyone know the verdict.
func opened(s *v1alpha1.PolicySweep) *v1alpha1.PolicySweep {
	s.Annotations = map[string]string{OpenAnnotation: "true"}
	return s
}

// asksX is what Flagger sends for a Canary of the namespace a.
const asksX = `{"name":"epp","namespace":"a","phase":"Progressing","checksum":"5d4f8c","metadata":{"sweep":"x"}}`

// A Canary waits for evidence, and only a pass starts it.
func TestFlaggerProceedsWithAPassOnly(t *testing.T) {
	for name, tc := range statesOfSweeps {
		t.Run(name, func(t *testing.T) {
			live := newReader(t, opened(tc.sweep()))
			confirm, start := post(live, "confirm-rollout", asksX), post(live, "pre-rollout", asksX)
			if may := confirm.Code <= 202; may != (tc.result == verdict.Pass || tc.result == verdict.Fail) {
				t.Errorf("confirm-rollout: %d %s for %s", confirm.Code, confirm.Body, tc.result)
			}
			if may := start.Code <= 202; may != (tc.result == verdict.Pass) {
				t.Errorf("pre-rollout: %d %s for %s", start.Code, start.Body, tc.result)
			}
			for _, w := range []*httptest.ResponseRecorder{confirm, start} {
				if w.Code == 429 || w.Code > 499 {
					t.Errorf("%d, of which Flagger does not show the body", w.Code)
				}
				if text := w.Body.String(); strings.Contains(text, "\n") || strings.Contains(text, "about ") {
					t.Errorf("%q: want one sentence without the message of the verdict", text)
				}
			}
		})
	}
}

func TestWhatFlaggerAsks(t *testing.T) {
	pass := func() *v1alpha1.PolicySweep {
		s := sweepOf("Ready=True Complete", "Passed=True GatesPassed")
		text := "a"
		s.Spec.Scenario.Router.EndpointPickerConfig.Inline = &text
		return s
	}
	asks := func(namespace, metadata string) string {
		return fmt.Sprintf(`{"name":"epp","namespace":%q,"phase":"Waiting","checksum":"1","metadata":{%s}}`, namespace, metadata)
	}
	closed := pass()
	closed.Annotations = map[string]string{OpenAnnotation: "false"}
	run := &v1alpha1.SimulationRun{ObjectMeta: opened(pass()).ObjectMeta}
	run.Status.CommonStatus = pass().Status.CommonStatus
	for name, tc := range map[string]struct {
		of   client.Object
		body string
		code int
		says string
	}{
		"a sweep":                       {of: opened(pass()), body: asksX, code: 200, says: "policysweep a/x is pass"},
		"a run":                         {of: run, body: asks("a", `"run":"x"`), code: 200, says: "simulationrun a/x is pass"},
		"the file of the sweep":         {of: opened(pass()), body: asks("a", `"sweep":"x","sha256":"`+digestOfA+`"`), code: 200},
		"another file":                  {of: opened(pass()), body: asks("a", `"sweep":"x","sha256":"`+digestOfB+`"`), code: 412, says: "not about this EPP file"},
		"a sweep that is not open":      {of: pass(), body: asksX, code: 404, says: "there is no policysweep a/x with the annotation"},
		"a sweep that is closed":        {of: closed, body: asksX, code: 404, says: "there is no policysweep a/x with the annotation"},
		"a sweep of another namespace":  {of: opened(pass()), body: asks("b", `"sweep":"x"`), code: 404},
		"a sweep that is not there":     {of: opened(pass()), body: asks("a", `"sweep":"y"`), code: 404, says: "there is no policysweep a/y with the annotation"},
		"no metadata":                   {of: opened(pass()), body: `{"name":"epp","namespace":"a"}`, code: 400, says: "must have run or sweep"},
		"a run and a sweep":             {of: opened(pass()), body: asks("a", `"sweep":"x","run":"x"`), code: 400, says: "one of run and sweep"},
		"metadata that nobody reads":    {of: opened(pass()), body: asks("a", `"sweep":"x","swep":"y"`), code: 400, says: "may have run, sha256, step, sweep only"},
		"no namespace":                  {of: opened(pass()), body: asks("", `"sweep":"x"`), code: 400, says: "no namespace"},
		"a digest that is none":         {of: opened(pass()), body: asks("a", `"sweep":"x","sha256":"1"`), code: 400, says: "64 hexadecimal digits"},
		"no body":                       {of: opened(pass()), code: 400, says: "not one of Flagger's"},
		"a body that is no object":      {of: opened(pass()), body: `["x"]`, code: 400, says: "not one of Flagger's"},
		"a body of 1 MiB":               {of: opened(pass()), body: asks("a", `"sweep":"`+strings.Repeat("x", 1<<20)+`"`), code: 400},
		"a name that is a selector":     {of: opened(pass()), body: asks("a", `"sweep":"x,metadata.name!=y"`), code: 404},
		"a phase that is yet to come":   {of: opened(pass()), body: `{"namespace":"a","phase":"New","more":[1],"metadata":{"sweep":"x"}}`, code: 200},
		"a field name in another case":  {of: opened(pass()), body: `{"Namespace":"a","metadata":{"sweep":"x"}}`, code: 200},
		"metadata that is not of texts": {of: opened(pass()), body: `{"namespace":"a","metadata":{"sweep":1}}`, code: 400},
	} {
		t.Run(name, func(t *testing.T) {
			w := post(newReader(t, tc.of), "pre-rollout", tc.body)
			if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.says) {
				t.Errorf("%d %s, want %d and %q", w.Code, w.Body, tc.code, tc.says)
			}
		})
	}
}

func TestFlaggerStopsWhereTheClusterDoesNotAnswer(t *testing.T) {
	for _, hook := range []string{"confirm-rollout", "pre-rollout"} {
		w := post(downReader{err: errors.New("a secret of the cluster")}, hook, asksX)
		if w.Code <= 202 || w.Code > 499 || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", hook, w.Code, w.Body)
		}
	}
}

// Whatever the body is, the answer is yes for the one open sweep that passes only.
func FuzzWebhook(f *testing.F) {
	for _, body := range []string{asksX, "", "[]", `{"namespace":"a","metadata":{"sweep":"closed"}}`, `{"namespace":"b","metadata":{"sweep":"x"}}`, "{\"namespace\":\"a\",\"metadata\":{\"sweep\":\"x\\u0000\"}}"} {
		f.Add(body)
	}
	closed := sweepOf("Ready=True Complete", "Passed=True GatesPassed")
	closed.Name = "closed"
	live := newReader(f, opened(sweepOf("Ready=True Complete", "Passed=True GatesPassed")), closed)
	f.Fuzz(func(t *testing.T, body string) {
		w := post(live, "pre-rollout", body)
		q, err := readQuestion(strings.NewReader(body))
		open := err == nil && q.String() == "policysweep a/x" && q.digest == ""
		if (w.Code <= 202) != open || w.Code == 429 || w.Code > 499 {
			t.Errorf("%d %s for %q", w.Code, w.Body, body)
		}
	})
}
