// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// sessionTurn is a row of a trace of sessions.
type sessionTurn struct {
	// before is the length of the prompt of the session's previous turn; 0 in a first one.
	before int
	delay  time.Duration
}

// writeSessions writes a Mooncake trace of sessions whose turns wait for answers. No two
// prompts have the same length, so a length names a turn.
func writeSessions(sessions int) (text string, turns map[int]sessionTurn) {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	turns = map[int]sessionTurn{}
	length := make([]int, sessions)
	for turn := range 5 {
		for s := range sessions {
			if turn > 0 && random.IntN(5) == 0 {
				continue // this session has fewer turns
			}
			before := length[s]
			length[s] = 1 + 1000*turn + s
			blocks := make([]string, (length[s]+511)/512)
			for i := range blocks {
				blocks[i] = fmt.Sprint(100*s + i)
			}
			when := fmt.Sprintf(`"timestamp": %d`, 40*s)
			delay := time.Duration(random.IntN(4)*random.IntN(2000)) * time.Millisecond
			if turn > 0 {
				when = fmt.Sprintf(`"delay": %d`, delay.Milliseconds())
			}
			turns[length[s]] = sessionTurn{before, delay}
			fmt.Fprintf(&b, "{%s, \"session_id\": \"%d\", \"input_length\": %d, \"output_length\": %d, \"hash_ids\": [%s]}\n",
				when, s, length[s], 1+random.IntN(200), strings.Join(blocks, ", "))
		}
	}
	return b.String(), turns
}

// TestTurnsOfATraceComeTheirDelayAfterTheAnswer: whatever the load, each turn that waits
// arrives its delay after the end of the turn before it, to the nanosecond, and at least one
// nanosecond after it.
func TestTurnsOfATraceComeTheirDelayAfterTheAnswer(t *testing.T) {
	text, turns := writeSessions(100)
	inputs := experimenttest.Inputs{"traces/sessions.jsonl": []byte(text)}
	mean := map[string]time.Duration{} // of the time from arrival to end
	for name, edit := range map[string]func(*v1alpha1.Scenario){
		"alone on many replicas": func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = 8 },
		"alone on one replica":   func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = 1 },
		"beside a client": func(s *v1alpha1.Scenario) {
			s.Pools[0].Replicas = 1
			s.Workload.Clients[0].Arrivals.Rate = "30"
		},
		"at twice the rate": func(s *v1alpha1.Scenario) { s.Workload.Traces[0].RateScale = "2" },
	} {
		t.Run(name, func(t *testing.T) {
			run := builder.MakeRun("sessions", "ns").Seeds(1).Obj()
			s := &run.Spec.Scenario
			s.Horizon = v1alpha1.Horizon{Duration: "10m", Drain: "1h"}
			s.Workload.Clients[0].Arrivals.Rate = "0.001"
			recorded := experimenttest.Sweep(t).Spec.Scenario.Workload.Trace
			recorded.ConfigMapRef.Key, recorded.Tenant = "sessions.jsonl", "sessions"
			s.Workload.Traces = []v1alpha1.NamedTrace{{Name: "sessions", Trace: *recorded}}
			edit(s)
			c, errs, err := compile.Run(t.Context(), run, inputs)
			if err != nil || len(errs) > 0 {
				t.Fatalf("compile: %v, %v", errs, err)
			}
			ends := endsOfTenant(t, c, "sessions")
			if len(ends) != len(turns) {
				t.Fatalf("%d turns ended, and the trace has %d", len(ends), len(turns))
			}
			waited := 0
			for length, turn := range turns {
				e := ends[length]
				mean[name] += e.End.Sub(e.Arrival) / time.Duration(len(turns))
				if turn.before == 0 {
					continue
				}
				waited++
				want := ends[turn.before].End.Add(max(turn.delay, 1))
				if e.Arrival != want {
					t.Errorf("the turn of %d tokens arrives at %v, want %v after the end of the turn before it: at %v", length, e.Arrival, turn.delay, want)
				}
			}
			if waited < 300 {
				t.Errorf("%d turns waited", waited)
			}
		})
	}
	if fast, slow := mean["alone on many replicas"], mean["beside a client"]; slow < 3*fast {
		t.Errorf("a turn takes %v on average under load and %v without", slow, fast)
	}
}

// endsOfTenant runs a simulation, and returns the ends of a tenant's requests by the length
// of their prompts.
func endsOfTenant(t *testing.T, c *compile.Compiled, tenant string) map[int]simulator.RequestEnd {
	t.Helper()
	config, err := execute.Config(c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	tenants := config.Source.Labels().Tenants
	ends := map[int]simulator.RequestEnd{}
	config.Ended = func(e simulator.RequestEnd) {
		if tenants[e.Tenant] != tenant {
			return
		}
		if _, twice := ends[e.PromptTokens]; twice || e.Ended != "completed" {
			t.Errorf("a turn of %d tokens %s; twice: %v", e.PromptTokens, e.Ended, twice)
		}
		ends[e.PromptTokens] = e
	}
	if _, err := simulation.Run(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	return ends
}
