// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// A stored decision reads as a simulation of the request explains it.
func TestStoredDecisionsTellTheSameStory(t *testing.T) {
	for name, level := range map[string]v1alpha1.TraceLevel{"decisions": v1alpha1.DecisionsTrace, "full": v1alpha1.FullTrace} {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			run.Spec.Trace.Level = level
			c := experimenttest.MustCompileRun(t, run)
			all, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, execute.Options{Parallelism: 1, KeepDecisions: true})
			if err != nil {
				t.Fatal(err)
			}
			var stored execute.Stored
			if err := stored.Add(all[0].Decisions); err != nil {
				t.Fatal(err)
			}
			seed := c.Plan.Seeds[0]
			if diff := cmp.Diff([]int64{seed}, stored.Seeds()); diff != "" {
				t.Errorf("seeds (-want +got):\n%s", diff)
			}
			for _, request := range []int{0, 7, 39} {
				want, err := execute.Explain(t.Context(), c.Plan, c.Traces, seed, request, false)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tableOf(t, want), tableOf(t, stored.Story(seed, request))); diff != "" {
					t.Errorf("request %d (-simulated +stored):\n%s", request, diff)
				}
			}
			if stored.Story(seed, 4000) != nil || stored.Story(seed+1, 0) != nil {
				t.Error("there is a story of what is not stored")
			}
		})
	}
}

func tableOf(t *testing.T, story *execute.RequestStory) string {
	t.Helper()
	var table strings.Builder
	if err := story.Table(&table); err != nil {
		t.Fatal(err)
	}
	return table.String()
}

func TestTheWorstStoredRequestsComeFirst(t *testing.T) {
	var stored execute.Stored
	err := stored.Add(packed(t,
		`{"seed":1,"names":["a/0"],"endpoints":[{}],"request":{"id":1},"outcome":{"ended":"completed","ttftSeconds":1,"e2eSeconds":9}}`,
		`{"seed":1,"names":["a/0"],"endpoints":[{}],"request":{"id":2},"outcome":{"ended":"completed","ttftSeconds":3,"tpotSeconds":2,"e2eSeconds":4}}`,
		`{"record":"scaling","seed":1}`,
		`{"seed":1,"names":["a/0"],"endpoints":[{}],"request":{"id":3},"outcome":{"ended":"routed again","ttftSeconds":7}}`,
		`{"seed":1,"names":["a/0"],"endpoints":[{}],"request":{"id":3},"rejected":"queueFull","outcome":{"ended":"rejected"}}`,
		`{"seed":1,"leftOut":17}`,
	))
	if err != nil || stored.LeftOut != 17 {
		t.Fatalf("%d left out, %v", stored.LeftOut, err)
	}
	for complaint, want := range map[execute.Complaint][]int{
		execute.LateFirstToken: {2, 1, 3}, execute.SlowTokens: {2, 1, 3}, execute.LateEnd: {1, 2, 3}, execute.NotServed: {3, 2, 1},
	} {
		var got []int
		for _, d := range stored.Worst(complaint, 3) {
			got = append(got, d.Request.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", complaint, diff)
		}
	}
	if first, ok := stored.FirstTurnedAway(1); !ok || first != 3 {
		t.Errorf("the first rejected request is %d, %v", first, ok)
	}
	if s := stored.Story(1, 3).Outcome.String(); !strings.HasPrefix(s, "It ended rejected as queueFull") {
		t.Error(s)
	}
}

func TestComplaintsOfMetrics(t *testing.T) {
	for metric, want := range map[string]execute.Complaint{
		"ttft.p99{class=critical}": execute.LateFirstToken, "tpot.mean": execute.SlowTokens, "e2e.p50": execute.LateEnd,
		"goodput": execute.NotServed, "my_metric": execute.NotServed,
	} {
		if got := execute.ComplaintOf(metric); got != want {
			t.Errorf("%s: %s, want %s", metric, got, want)
		}
	}
}

// Of one seed there are its own decisions, and its own lines without room.
func TestStoredDecisionsOfOneSeed(t *testing.T) {
	seed := int64(2)
	stored := execute.Stored{Seed: &seed}
	err := stored.Add(packed(t,
		`{"seed":1,"request":{"id":1}}`, `{"seed":1,"leftOut":17}`, `{"seed":2,"request":{"id":1}}`, `{"seed":2,"leftOut":5}`,
	))
	if err != nil || len(stored.Decisions) != 1 || stored.LeftOut != 5 || stored.Story(2, 1) == nil || stored.Story(1, 1) != nil {
		t.Errorf("%d decisions, %d left out, %v", len(stored.Decisions), stored.LeftOut, err)
	}
}

// A bound is on the decisions of all parts together, and on those of the seed alone.
func TestStoredDecisionsHaveABound(t *testing.T) {
	seed := int64(2)
	stored := execute.Stored{Seed: &seed, MostBytes: 70}
	two := packed(t, `{"seed":1,"request":{"id":1}}`, `{"seed":2,"request":{"id":1}}`)
	for part, fits := range []bool{true, true, false} {
		if err := stored.Add(two); (err == nil) != fits {
			t.Errorf("part %d: %v", part, err)
		}
	}
}

// What is damaged is an error, and no panic. So is a part that would fill the memory, however short
// its lines are.
func TestDamagedDecisionsAreErrors(t *testing.T) {
	whole := packed(t, `{"seed":1,"request":{"id":1}}`)
	for name, raw := range map[string][]byte{
		"no gzip": []byte("{}"), "cut": whole[:len(whole)-9], "no JSON": packed(t, "nope"), "no decision": packed(t, `{"seed":1}`),
		"too much": packed(t, slices.Repeat([]string{strings.Repeat(" ", 1<<20)}, 65)...),
	} {
		if err := new(execute.Stored).Add(raw); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func packed(t *testing.T, lines ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Each line is one that a careless hand could leave in a ConfigMap.
func TestStoredDecisionsThatDoNotFitTogetherAreRefused(t *testing.T) {
	const signals = `"endpoints":[{},{}]`
	for line, want := range map[string]string{
		`"endpoints":[{}]`:                                                     "endpoints has 1 entries for 2 endpoints",
		signals + `,"endpoint":2`:                                              "endpoint is 2, and there are 2 endpoints",
		signals + `,"prefill":-1`:                                              "prefill is -1, and there are 2 endpoints",
		signals + `,"prefixes":[{}]`:                                           "prefixes has 0 entries for 2 endpoints",
		signals + `,"inFlight":[{}]`:                                           "inFlight has 0 entries for 2 endpoints",
		signals + `,"predictions":[{}]`:                                        "predictions has 0 entries for 2 endpoints",
		signals + `,"inFlight":[{"requests":[1,2],"tokens":[1]}]`:              "inFlight has 1 entries for 2 endpoints",
		signals + `,"profiles":[{"chosen":5}]`:                                 "profiles.chosen is 5, and there are 2 endpoints",
		signals + `,"profiles":[{"chosen":1,"candidates":[0,1],"scores":[1]}]`: "profiles.scores has 1 entries for 2 candidates",
		signals + `,"profiles":[{"chosen":1,"candidates":[1],"scores":[1],"scorers":[{"raw":[]}]}]`: "profiles.scorers has 0 entries for 1 candidates",
	} {
		var stored execute.Stored
		err := stored.Add(packed(t, `{"seed":1,"names":["a/0","a/1"],"request":{"id":8},`+line+`}`))
		if err == nil || err.Error() != "decisions: request 8: "+want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func FuzzStoredDecisions(f *testing.F) {
	f.Add(`{"seed":1,"names":["a/0"],"endpoints":[{"adapters":{"active":[0,-1,7]}}],"request":{"id":1,"adapter":-3},"outcome":{"ended":"completed"}}`)
	f.Add(`{"names":["a/0"],"endpoints":[{}],"request":{"id":1},"endpoint":0,"profiles":[{"endpoints":[9],"filters":[{"dropped":[-1]}],"candidates":[0],"chosen":0,"scores":[null],"scorers":[{"raw":[1],"clamped":[null],"weighted":[2]}]}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		var stored execute.Stored
		if stored.Add(packed(t, line)) != nil {
			return
		}
		for _, c := range execute.Complaints {
			for _, d := range stored.Worst(c, 3) {
				tableOf(t, stored.Story(d.Seed, d.Request.ID))
			}
		}
	})
}
