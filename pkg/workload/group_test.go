// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// loopOfCopies is a client whose copies are closed loops.
func loopOfCopies(copies, users int, rampUp time.Duration, edit func(*workload.Client)) workload.Client {
	c := loopClient("a", users, workload.Durations{Distribution: stats.Exponential{Mean: 1}})
	c.Input = workload.Lengths{Distribution: stats.Exponential{Mean: 200}, Min: 1}
	c.PrefixGroup, c.PrefixTokens, c.Adapter, c.LengthCV = "g", 32, "tone", 0.5
	c.ClosedLoop.RampUp, c.Copies = rampUp, &workload.Copies{Count: copies}
	edit(&c)
	return c
}

// Copies of closed loops begin to exist one by one. The oracle is a client for each.
func TestCopiesOfALoopAreClients(t *testing.T) {
	plain := func(*workload.Client) {}
	waiting := func(c *workload.Client) {
		c.Sessions = &workload.Sessions{AfterAnswer: true, Turns: tokens(3), Context: workload.Accumulate, Branches: threeBranches(),
			Tools: &workload.Tools{Probability: 0.5, Calls: upTo(2), Latency: seconds(0), Result: tokens(30)}}
	}
	noThought := func(c *workload.Client) { c.ClosedLoop.ThinkTime = workload.Durations{} }
	for name, c := range map[string]workload.Client{
		"all at once":            loopOfCopies(7, 1, 0, plain),
		"several users":          loopOfCopies(5, 4, 0, plain),
		"a ramp-up":              loopOfCopies(5, 4, 3*time.Second, plain),
		"a ramp-up of some ns":   loopOfCopies(5, 9, 4, plain),
		"without a think time":   loopOfCopies(5, 3, time.Second, noThought),
		"conversations":          loopOfCopies(6, 2, time.Second, waiting),
		"conversations at once":  loopOfCopies(6, 1, 0, waiting),
		"conversations, no time": loopOfCopies(4, 3, 0, func(c *workload.Client) { waiting(c); noThought(c) }),
	} {
		t.Run(name, func(t *testing.T) {
			serve := func(clients []workload.Client) []workload.Request {
				clients = append([]workload.Client{loopClient("before", 2, seconds(0.5)), sessionClient("open")}, clients...)
				source := workload.NewClients(append(clients, loopClient("after", 2, seconds(0.5))), 4)
				return workloadtest.Serve(source, 3000, func(r workload.Request) (time.Duration, workload.Ending) {
					return time.Duration(r.ID%4) * time.Second / 2, []workload.Ending{workload.Completed, workload.TimedOut}[r.ID%13/12]
				})
			}
			if diff := cmp.Diff(serve(c.Copies.Expand(c)), serve([]workload.Client{c})); diff != "" {
				t.Errorf("requests (−clients +copies):\n%s", diff)
			}
		})
	}
}

// Copies that share the arrivals of conversations send what each would send alone: what is at
// one place of a copy does not depend on the others.
func TestCopiesThatShareConversationsSendWhatEachWouldAlone(t *testing.T) {
	c := sessionClient("a")
	c.Arrivals = workload.Arrivals{Process: workload.Poisson, RatePerSecond: 5}
	c.PrefixGroup, c.PrefixTokens, c.LengthCV = "g", 32, 0.5
	c.Sessions.Tools = &workload.Tools{Probability: 0.5, Calls: upTo(2), Latency: seconds(0.1), Result: tokens(30)}
	content := func(r workload.Request) string {
		return fmt.Sprint(r.Prompt, r.OutputTokens, r.Response, r.ResponseStart)
	}
	const copies = 6
	for _, order := range []workload.Order{workload.Random, workload.Cycle} {
		c.Copies = &workload.Copies{Count: copies, SharedArrivals: order}
		compared := 0
		var alone [copies]map[workload.Origin]string
		for i, one := range c.Copies.Expand(c) {
			alone[i] = map[workload.Origin]string{}
			for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{one}, 4), 800, workloadtest.Completed(time.Second)) {
				alone[i][r.Origin] = content(r)
			}
		}
		for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{c}, 4), 2000, workloadtest.Completed(time.Second)) {
			want, ok := alone[r.Client][r.Origin]
			if !ok {
				continue
			}
			compared++
			if got := content(r); got != want {
				t.Fatalf("%s: copy %d sends at %+v\n%s\nand alone\n%s", order, r.Client+1, r.Origin, got, want)
			}
		}
		if compared < 1000 {
			t.Errorf("%s: only %d requests are compared", order, compared)
		}
	}
}

// What 100,000 users take of memory follows from how many of them have sent something.
func TestUsersTakeMemoryWhenTheyBegin(t *testing.T) {
	const users, names = 100_000, 60 // bytes of a name among the labels
	held := func(c workload.Client, requests int) int {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		source := workload.NewClients([]workload.Client{c}, 1)
		workloadtest.Take(source, requests)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(source)
		return int(after.HeapAlloc) - int(before.HeapAlloc)
	}
	turns := func(c *workload.Client) {
		c.Sessions = &workload.Sessions{AfterAnswer: true, ThinkTime: &c.ClosedLoop.ThinkTime, Turns: tokens(3), Context: workload.Accumulate}
		c.ClosedLoop, c.Copies.SharedArrivals = nil, workload.Random
		c.Arrivals = workload.Arrivals{Process: workload.Poisson, RatePerSecond: 1}
	}
	own := func(c *workload.Client) { c.Adapter, c.Copies.SharedPrefix = "", true }
	for name, c := range map[string]workload.Client{
		"copies":                          loopOfCopies(users, 1, time.Minute, own),
		"users":                           loopOfCopies(1, users, time.Minute, own),
		"copies whose conversations wait": loopOfCopies(users, 1, time.Minute, func(c *workload.Client) { own(c); turns(c) }),
	} {
		if got := held(c, 100); got > c.Copies.Count*names+1<<20 {
			t.Errorf("%s: %d bytes after 100 requests", name, got)
		}
	}
}
