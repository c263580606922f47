// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// seconds is always so many seconds.
func seconds(s float64) workload.Durations {
	return workload.Durations{Distribution: stats.Constant{Value: s}}
}

// loopClient is a client with so many users.
func loopClient(name string, users int, think workload.Durations) workload.Client {
	c := constantClient(name, 1)
	c.Arrivals, c.ClosedLoop = workload.Arrivals{}, &workload.ClosedLoop{Concurrency: users, ThinkTime: think}
	return c
}

func TestAUserSendsTheNextRequestAThinkTimeAfterTheEnd(t *testing.T) {
	for name, how := range map[string]workload.Ending{"completed": workload.Completed, "rejected": workload.Rejected, "failed": workload.Failed} {
		t.Run(name, func(t *testing.T) {
			source := workload.NewClients([]workload.Client{loopClient("a", 2, seconds(3))}, 1)
			requests := workloadtest.Serve(source, 6, func(workload.Request) (time.Duration, workload.Ending) { return 2 * time.Second, how })
			workloadtest.CheckOrder(t, requests)
			var got []simtime.Time
			for _, r := range requests {
				got = append(got, r.Arrival)
			}
			if diff := cmp.Diff([]simtime.Time{0, 0, 5000 * ms, 5000 * ms, 10000 * ms, 10000 * ms}, got); diff != "" {
				t.Errorf("arrivals (−want +got):\n%s", diff)
			}
		})
	}
}

func TestUsersBeginOverTheRampUp(t *testing.T) {
	c := loopClient("a", 4, seconds(0))
	c.ClosedLoop.RampUp = 2 * time.Second
	var got []simtime.Time
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), 10) {
		got = append(got, r.Arrival)
	}
	if diff := cmp.Diff([]simtime.Time{0, 500 * ms, 1000 * ms, 1500 * ms}, got); diff != "" {
		t.Errorf("first requests (−want +got):\n%s", diff)
	}
}

// A request in answer to an end comes after the end's nanosecond, also without a think
// time.
func TestAnAnswerToAnEndComesLater(t *testing.T) {
	requests := workloadtest.Serve(workload.NewClients([]workload.Client{loopClient("a", 1, seconds(0))}, 1), 3, workloadtest.Completed(time.Second))
	for i, r := range requests {
		if want := simtime.Time(i)*simtime.Time(time.Second) + simtime.Time(i); r.Arrival != want {
			t.Errorf("request %d arrives at %v, want %v", i, r.Arrival, want)
		}
	}
}

// sessionClient is a client whose turns wait for their answers.
func sessionClient(name string) workload.Client {
	c := constantClient(name, 1)
	think := workload.Durations{Distribution: stats.Exponential{Mean: 2}}
	c.Input = workload.Lengths{Distribution: stats.Normal{Mean: 100, StdDev: 40}, Min: 1}
	c.Output = workload.Lengths{Distribution: stats.Exponential{Mean: 50}, Min: 1}
	c.Sessions = &workload.Sessions{AfterAnswer: true, ThinkTime: &think, Turns: workload.Lengths{Distribution: stats.Uniform{Low: 0.5, High: 6.5}, Min: 1, Max: 6}, Context: workload.Accumulate}
	return c
}

// bySession lists what sessions ask, and how long they wait for it after an answer
// that took so long.
func bySession(requests []workload.Request, latency func(workload.Request) time.Duration) map[int32][]string {
	sessions, last := map[int32][]string{}, map[int32]simtime.Time{}
	for _, r := range requests {
		pause := simtime.Time(0)
		if at, ok := last[r.Session]; ok {
			pause = r.Arrival - at
		}
		last[r.Session] = r.Arrival.Add(latency(r))
		sessions[r.Session] = append(sessions[r.Session], fmt.Sprint(r.Prompt.Extents, r.OutputTokens, r.Response, r.ResponseStart, " after ", pause))
	}
	return sessions
}

// What a session asks and how long its user thinks does not depend on how fast the
// cluster answers.
func TestSessionsDoNotDependOnLatency(t *testing.T) {
	fast := func(workload.Request) time.Duration { return time.Millisecond }
	slow := func(r workload.Request) time.Duration { return time.Duration(1+r.ID*7919%5) * time.Second }
	in := func(latency func(workload.Request) time.Duration) map[int32][]string {
		source := workload.NewClients([]workload.Client{sessionClient("a")}, 3)
		return bySession(workloadtest.Serve(source, 2000, func(r workload.Request) (time.Duration, workload.Ending) { return latency(r), workload.Completed }), latency)
	}
	a, b := in(fast), in(slow)
	compared := 0
	for session := range int32(300) {
		turns := min(len(a[session+1]), len(b[session+1]))
		if diff := cmp.Diff(a[session+1][:turns], b[session+1][:turns]); diff != "" {
			t.Fatalf("session %d (−fast +slow):\n%s", session+1, diff)
		}
		compared += turns
	}
	if compared < 900 {
		t.Errorf("%d turns compared, want 900 or more", compared)
	}
}

func TestArrivalsBeginSessionsThatWait(t *testing.T) {
	source := workload.NewClients([]workload.Client{sessionClient("a")}, 1)
	latency := 500 * time.Millisecond
	requests := workloadtest.Serve(source, 1000, workloadtest.Completed(latency))
	workloadtest.CheckOrder(t, requests)
	first, end := map[int32]simtime.Time{}, map[int32]simtime.Time{}
	for _, r := range requests {
		if at, ok := end[r.Session]; !ok {
			first[r.Session] = r.Arrival
		} else if r.Arrival <= at {
			t.Fatalf("a turn of session %d arrives at %v, before the end at %v", r.Session, r.Arrival, at)
		}
		end[r.Session] = r.Arrival.Add(latency)
	}
	for session, at := range first {
		if want := simtime.Time(session) * 1000 * ms; at != want {
			t.Errorf("session %d begins at %v, want %v", session, at, want)
		}
	}
}

func TestATurnHasTheAnswersBeforeIt(t *testing.T) {
	last := map[int32]workload.Request{}
	for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{sessionClient("a")}, 1), 500, workloadtest.Completed(time.Second)) {
		if before, ok := last[r.Session]; ok {
			own := r.Prompt.Extents[0]
			if own.Source != before.Response || int(own.Tokens) <= int(before.ResponseStart)+before.OutputTokens {
				t.Fatalf("a turn of session %d asks %+v after %+v", r.Session, own, before)
			}
		}
		last[r.Session] = r
	}
}

func TestASessionEndsWithATurnThatIsNotAnswered(t *testing.T) {
	c := sessionClient("a")
	c.Sessions.Turns = tokens(5)
	turns := map[int32]int{}
	for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{c}, 1), 200, func(r workload.Request) (time.Duration, workload.Ending) {
		if r.Session%2 == 0 {
			return time.Millisecond, workload.Failed
		}
		return time.Millisecond, workload.Completed
	}) {
		turns[r.Session]++
	}
	for session := range int32(20) {
		want := 5
		if (session+1)%2 == 0 {
			want = 1
		}
		if got := turns[session+1]; got != want {
			t.Errorf("session %d has %d turns, want %d", session+1, got, want)
		}
	}
}

func TestAUserOfALoopHasOneSessionAtATime(t *testing.T) {
	c := sessionClient("a")
	c.Arrivals, c.ClosedLoop = workload.Arrivals{}, &workload.ClosedLoop{Concurrency: 3, ThinkTime: seconds(10)}
	inFlight, most := map[simtime.Time]int{}, 0
	open := map[int32]bool{}
	for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{c}, 1), 500, workloadtest.Completed(time.Second)) {
		open[r.Session] = true
		inFlight[r.Arrival/1000]++
		most = max(most, inFlight[r.Arrival/1000])
	}
	if most > 3 {
		t.Errorf("%d requests of 3 users in one instant", most)
	}
	if len(open) < 100 {
		t.Errorf("%d sessions, want 100 or more", len(open))
	}
}

// The requests of a closed loop do not depend on other clients.
func TestALoopDoesNotDependOnOtherClients(t *testing.T) {
	of := func(clients ...workload.Client) []string {
		source := workload.NewClients(clients, 9)
		at := slices.IndexFunc(clients, func(c workload.Client) bool { return c.Name == "a" })
		var got []string
		for _, r := range workloadtest.Serve(source, 3000, func(r workload.Request) (time.Duration, workload.Ending) {
			return time.Duration(r.Prompt.Tokens()) * time.Millisecond, workload.Completed
		}) {
			if r.Client == at && len(got) < 300 {
				got = append(got, fmt.Sprint(r.Arrival, r.Prompt, r.OutputTokens))
			}
		}
		return got
	}
	a := sessionClient("a")
	a.Arrivals, a.ClosedLoop = workload.Arrivals{}, &workload.ClosedLoop{Concurrency: 5, ThinkTime: workload.Durations{Distribution: stats.Exponential{Mean: 1}}}
	alone := of(a)
	for name, got := range map[string][]string{
		"an open loop before it":    of(constantClient("b", 3), a),
		"a closed loop after it":    of(a, loopClient("c", 2, seconds(0.3))),
		"sessions on both sides":    of(sessionClient("b"), a, sessionClient("d")),
		"the same client, repeated": of(a),
	} {
		if diff := cmp.Diff(alone, got); diff != "" {
			t.Errorf("with %s (−alone +got):\n%s", name, diff)
		}
	}
}

func TestLoopsAreChecked(t *testing.T) {
	tests := map[string]struct {
		edit func(*workload.Client)
		want string
	}{
		"no user":                       {func(c *workload.Client) { c.ClosedLoop.Concurrency = 0 }, "clients[0].closedLoop.concurrency: Invalid value: 0: must be between 1 and 100000"},
		"a think time without an end":   {func(c *workload.Client) { c.ClosedLoop.ThinkTime = seconds(1e9) }, "clients[0].closedLoop.thinkTime.mean: Invalid value: 1e+09: must be between 0 s and 8760 h"},
		"a ramp-up that runs backwards": {func(c *workload.Client) { c.ClosedLoop.RampUp = -1 }, `clients[0].closedLoop.rampUp: Invalid value: "-1ns": must be between 0 s and 8760h0m0s`},
		"a turnaround of years":         {func(c *workload.Client) { c.ClosedLoop.Turnaround = 8761 * time.Hour }, `clients[0].closedLoop.turnaround: Invalid value: "8761h0m0s": must be between 0 s and 8760h0m0s`},
		"bounds in the wrong order": {func(c *workload.Client) {
			c.ClosedLoop.ThinkTime.Min, c.ClosedLoop.ThinkTime.Max = 2*time.Second, time.Second
		}, `clients[0].closedLoop.thinkTime.max: Invalid value: "1s": must not be less than min`},
		"sessions that do not wait": {func(c *workload.Client) {
			c.Sessions = &workload.Sessions{Concurrent: 1, Turns: tokens(2), Context: workload.Accumulate, Order: workload.Cycle}
		}, "clients[0].sessions.concurrent: Forbidden: in a closed loop each user has one session at a time"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := loopClient("a", 1, seconds(1))
			tc.edit(&c)
			errs := workload.ValidateClients([]workload.Client{c}, field.NewPath("clients"))
			if len(errs) != 1 || errs[0].Error() != tc.want {
				t.Errorf("got %v, want %s", errs, tc.want)
			}
		})
	}
}
