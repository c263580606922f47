// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// statesOfSweeps are the states that a sweep can be in, with the answer: a result, or a status that
// is not 200.
var statesOfSweeps = map[string]struct {
	sweep  func() *v1alpha1.PolicySweep
	result verdict.Outcome
	code   int
}{
	"all gates pass": {
		sweep:  func() *v1alpha1.PolicySweep { return sweepOf("Ready=True Complete", "Passed=True GatesPassed") },
		result: verdict.Pass,
	},
	"a gate fails": {
		sweep:  func() *v1alpha1.PolicySweep { return sweepOf("Ready=True Complete", "Passed=False GateFailed") },
		result: verdict.Fail,
	},
	"the baseline is the best": {
		sweep:  func() *v1alpha1.PolicySweep { return sweepOf("Ready=True Complete", "Passed=False BaselineIsBest") },
		result: verdict.Fail,
	},
	"too little evidence": {
		sweep:  func() *v1alpha1.PolicySweep { return sweepOf("Ready=True Complete", "Passed=Unknown Undecided") },
		result: verdict.Undecided,
	},
	"a change that no simulation exercised": {
		sweep: func() *v1alpha1.PolicySweep {
			return sweepOf("Ready=True Complete", "Passed=Unknown ChangeNotExercised")
		},
		result: verdict.Undecided,
	},
	"no gates": {
		sweep:  func() *v1alpha1.PolicySweep { return sweepOf("Ready=True Complete") },
		result: verdict.Undecided,
	},
	"an input that changed since": {
		sweep: func() *v1alpha1.PolicySweep {
			return sweepOf("Ready=True Complete", "Passed=True GatesPassed", "InputsChanged=True InputsChanged")
		},
		result: verdict.Undecided,
	},
	"failed, whatever its gates say": {
		sweep: func() *v1alpha1.PolicySweep {
			return sweepOf("Ready=False ShardsFailed", "Failed=True ShardsFailed", "Stalled=True ShardsFailed", "Passed=True GatesPassed")
		},
		result: verdict.Undecided,
	},
	"an invalid spec": {
		sweep:  func() *v1alpha1.PolicySweep { return sweepOf("Ready=False Invalid", "Stalled=True Invalid") },
		result: verdict.Undecided,
	},
	"no status":  {sweep: func() *v1alpha1.PolicySweep { s := sweepOf(); s.Status = v1alpha1.PolicySweepStatus{}; return s }, code: 503},
	"just begun": {sweep: func() *v1alpha1.PolicySweep { return sweepOf() }, code: 503},
	"underway": {
		sweep: func() *v1alpha1.PolicySweep {
			return sweepOf("Ready=False Running", "Reconciling=True Running", "Passed=Unknown Pending")
		},
		code: 503,
	},
	"suspended": {
		sweep: func() *v1alpha1.PolicySweep {
			return sweepOf("Ready=False Suspended", "Suspended=True Suspended", "Passed=Unknown Pending")
		},
		code: 503,
	},
	"an input that may be about to come": {
		sweep: func() *v1alpha1.PolicySweep { return sweepOf("Ready=False InputMissing", "Stalled=True InputMissing") },
		code:  503,
	},
	"a spec that is newer than the status": {
		sweep: func() *v1alpha1.PolicySweep {
			s := sweepOf("Ready=True Complete", "Passed=True GatesPassed")
			s.Generation = 4
			return s
		},
		code: 503,
	},
	"a status that is newer than its conditions": {
		sweep: func() *v1alpha1.PolicySweep {
			s := sweepOf("Ready=True Complete", "Passed=True GatesPassed")
			s.Generation, s.Status.ObservedGeneration = 4, 4
			return s
		},
		code: 503,
	},
	"about to be deleted": {
		sweep: func() *v1alpha1.PolicySweep {
			s := sweepOf("Ready=True Complete", "Passed=True GatesPassed")
			s.Finalizers, s.DeletionTimestamp = []string{"x/y"}, &metav1.Time{Time: time.Unix(0, 0)}
			return s
		},
		code: 404,
	},
}

// get asks a handler, and returns the status and the body.
func get(t *testing.T, live client.Reader, token, path string) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	mux := http.NewServeMux()
	Handler{Guard: newGuard(t), Live: live}.Mount(mux)
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	mux.ServeHTTP(w, r)
	var body map[string]any
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
	}
	return w, body
}

const pathOfX = "/apis/sim.windtunnel.dev/v1alpha1/namespaces/a/policysweeps/x/verdict"

func TestEachStateHasItsAnswer(t *testing.T) {
	for name, tc := range statesOfSweeps {
		t.Run(name, func(t *testing.T) {
			w, body := get(t, newReader(t, tc.sweep()), readsVerdicts, pathOfX)
			switch {
			case tc.code != 0:
				if w.Code != tc.code || body["kind"] != "Status" || body["message"] == "" {
					t.Errorf("%d %s, want %d", w.Code, w.Body, tc.code)
				}
				if (w.Header().Get("Retry-After") != "") != (tc.code == 503) {
					t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
				}
			case w.Code != 200 || body["result"] != string(tc.result) || body["kind"] != "Verdict" || body["message"] == "":
				t.Errorf("%d %s, want %s", w.Code, w.Body, tc.result)
			}
		})
	}
}

func TestAVerdictHasWhatItRestsOn(t *testing.T) {
	s := sweepOf("Ready=True Complete", "Passed=False GateFailed")
	s.Status.PlanHash, s.Status.EngineVersion = "abc", "6"
	s.Status.Gates = []v1alpha1.GateStatus{{Name: "ttft", Verdict: v1alpha1.GateFail, Message: "too long"}}
	s.Status.Inputs = []v1alpha1.InputDigest{{Name: "ConfigMap/epp/epp.yaml", SHA256: "12"}}
	w, body := get(t, newReader(t, s), readsObjects, pathOfX)
	want := map[string]any{
		"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "Verdict", "result": "Fail", "reason": "GateFailed", "message": "about GateFailed",
		"gates":              []any{map[string]any{"name": "ttft", "verdict": "Fail", "message": "too long"}},
		"observedGeneration": 3.0, "planHash": "abc", "engineVersion": "6",
		"inputs": []any{map[string]any{"name": "ConfigMap/epp/epp.yaml", "sha256": "12"}},
	}
	if diff := cmp.Diff(want, body); w.Code != 200 || diff != "" {
		t.Errorf("%d %s", w.Code, diff)
	}
}

// A change that nothing exercised is no Pass for a pipeline or a rollout, though each gate holds:
// both sides had the same figures.
func TestAChangeThatNothingExercisedIsNoPass(t *testing.T) {
	s := sweepOf("Ready=True Complete", "Passed=Unknown ChangeNotExercised")
	s.Status.Gates = []v1alpha1.GateStatus{{Name: "ttft", Verdict: v1alpha1.GatePass, Message: "54 ms"}}
	w, body := get(t, newReader(t, s), readsVerdicts, pathOfX)
	if w.Code != 200 || body["result"] != string(verdict.Undecided) || body["reason"] != v1alpha1.ReasonChangeNotExercised || body["message"] != "about ChangeNotExercised" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := post(newReader(t, opened(s)), "pre-rollout", asksX); w.Code <= 202 || !strings.Contains(w.Body.String(), "policysweep a/x is undecided") {
		t.Errorf("Flagger: %d %s", w.Code, w.Body)
	}
}

func TestARunHasAVerdictToo(t *testing.T) {
	s := sweepOf("Ready=True Complete", "Passed=True GatesPassed")
	run := &v1alpha1.SimulationRun{ObjectMeta: s.ObjectMeta}
	run.Status.CommonStatus = s.Status.CommonStatus
	live := newReader(t, run)
	path := strings.Replace(pathOfX, "policysweeps", "simulationruns", 1)
	if w, body := get(t, live, readsVerdicts, path); w.Code != 200 || body["result"] != "Pass" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w, _ := get(t, live, readsVerdicts, pathOfX); w.Code != 404 {
		t.Errorf("a run is found as a sweep: %d %s", w.Code, w.Body)
	}
}

func TestWhoMayReadAVerdict(t *testing.T) {
	live := newReader(t, sweepOf("Ready=True Complete", "Passed=True GatesPassed"))
	absent := strings.Replace(pathOfX, "/x/", "/y/", 1)
	var notThere []string
	for name, tc := range map[string]struct {
		token, path string
		code        int
	}{
		"a reader of objects":              {token: readsObjects, path: pathOfX, code: 200},
		"a reader of verdicts":             {token: readsVerdicts, path: pathOfX, code: 200},
		"a reader of another namespace":    {token: readsOther, path: pathOfX, code: 404},
		"no token":                         {path: pathOfX, code: 401},
		"no token, for what is not there":  {path: absent, code: 401},
		"a token that has expired":         {token: "expired", path: pathOfX, code: 401},
		"a token in the URL":               {path: pathOfX + "?token=" + readsObjects, code: 401},
		"what is not there":                {token: readsObjects, path: absent, code: 404},
		"an absent one of another":         {token: readsOther, path: absent, code: 404},
		"a namespace that is no name":      {token: readsObjects, path: strings.Replace(pathOfX, "/a/", "/a%2Fb/", 1), code: 404},
		"a name with a selector":           {token: readsObjects, path: strings.Replace(pathOfX, "/x/", "/x,metadata.name!=y/", 1), code: 404},
		"a kind that has no verdict":       {token: readsObjects, path: strings.Replace(pathOfX, "policysweeps", "configmaps", 1), code: 404},
		"a query that nobody reads":        {token: readsObjects, path: pathOfX + "?sha1=ab", code: 400},
		"a digest that is none":            {token: readsObjects, path: pathOfX + "?sha256=ab", code: 400},
		"a query that is not well formed":  {token: readsObjects, path: pathOfX + "?sha256=%zz", code: 400},
		"a digest of a file, of which two": {token: readsObjects, path: pathOfX + "?sha256=" + digestOfA + "&sha256=" + digestOfA, code: 400},
	} {
		t.Run(name, func(t *testing.T) {
			w, body := get(t, live, tc.token, tc.path)
			if w.Code != tc.code {
				t.Errorf("%d %s, want %d", w.Code, w.Body, tc.code)
			}
			if tc.code == 404 && (tc.path == pathOfX || tc.path == absent) {
				text, _ := body["message"].(string)
				notThere = append(notThere, strings.NewReplacer("/x", "/…", "/y", "/…").Replace(text))
			}
		})
	}
	for _, text := range notThere {
		if text != notThere[0] {
			t.Errorf("what one may not read differs from what is not there: %q and %q", text, notThere[0])
		}
	}
}

// The manager's mux has pages under all other paths.
func TestAnotherMethodIsNotAllowed(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", http.NotFoundHandler())
	Handler{Guard: newGuard(t), Live: newReader(t)}.Mount(mux)
	Flagger{Live: newReader(t)}.Mount(mux)
	for path, allowed := range map[string]string{pathOfX: "GET, HEAD", "/flagger/confirm-rollout": "POST", "/flagger/pre-rollout": "POST"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
			if strings.Contains(allowed, method) {
				continue
			}
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != allowed {
				t.Errorf("%s %s: %d, allowed %q; want 405, %q", method, path, w.Code, w.Header().Get("Allow"), allowed)
			}
		}
	}
}

func TestAClusterThatDoesNotAnswer(t *testing.T) {
	resource := schema.GroupResource{Group: "sim.windtunnel.dev", Resource: "policysweeps"}
	for name, tc := range map[string]struct {
		err  error
		code int
	}{
		"an error":                                {err: errors.New("a secret of the cluster"), code: 503},
		"a namespace that is not the manager's":   {err: apierrors.NewForbidden(resource, "", errors.New("no")), code: 404},
		"a cluster without the kind":              {err: apierrors.NewNotFound(resource, ""), code: 404},
		"a server that wants to be left in peace": {err: apierrors.NewTooManyRequests("later", 1), code: 503},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := get(t, downReader{err: tc.err}, readsObjects, pathOfX)
			if w.Code != tc.code || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("%d %s, want %d", w.Code, w.Body, tc.code)
			}
		})
	}
}
