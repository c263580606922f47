// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Calls wait for what a search through all calls in front of them finds.
func TestWaitsAreThoseOfAPlainSearch(t *testing.T) {
	for seed := range uint64(3000) {
		all := drawnSessions(rand.New(rand.NewPCG(seed, 1)))
		var want [][]*agentCall
		for _, s := range all {
			want = append(want, plainWaits(s)...)
		}
		var got [][]*agentCall
		for _, s := range all {
			s.ended = newEndedCalls(s.calls)
		}
		for _, s := range all {
			if err := s.findWaits(&agentMemory{}); err != nil {
				t.Fatal(err)
			}
			for _, c := range s.calls {
				got = append(got, c.waits)
			}
		}
		if diff := cmp.Diff(namesOf(want), namesOf(got)); diff != "" {
			t.Fatalf("seed %d (−plain +found):\n%s", seed, diff)
		}
	}
}

// drawnSessions are a session and agents that it or they began, with times of which many are equal.
func drawnSessions(draw *rand.Rand) []*agentSession {
	all := []*agentSession{{}}
	for range draw.IntN(4) {
		all = append(all, &agentSession{parent: all[draw.IntN(len(all))]})
	}
	most := 1 + draw.Int64N(40)
	for number, s := range all {
		for range draw.IntN(8) {
			start := draw.Int64N(most)
			s.calls = append(s.calls, &agentCall{
				value: 100*number + len(s.calls), order: draw.IntN(2), start: start, end: start + max(0, draw.Int64N(most)-most/4), told: draw.IntN(10) == 0,
			})
		}
		slices.SortStableFunc(s.calls, begins)
		if s.parent != nil {
			from := draw.IntN(1 + len(s.calls))
			s.parent.branches = append(s.parent.branches, &agentBranch{s.calls[:from]}, &agentBranch{s.calls[from:]})
		}
	}
	return all
}

func namesOf(waits [][]*agentCall) [][]int {
	var names [][]int
	for _, calls := range waits {
		var of []int
		for _, c := range calls {
			of = append(of, c.value)
		}
		names = append(names, of)
	}
	return names
}

func plainWaits(s *agentSession) [][]*agentCall {
	var all [][]*agentCall
	joined := map[*agentBranch]bool{}
	for i, c := range s.calls {
		var waits []*agentCall
		if !c.told {
			waits = plainLast(s.calls[:i], c.start)
			for p := s.parent; len(waits) == 0 && p != nil; p = p.parent {
				waits = plainLast(p.calls, c.start)
			}
			for _, b := range s.branches {
				late := func(of *agentCall) bool { return of.end > c.start || of.start >= c.start }
				if !joined[b] && !slices.ContainsFunc(b.calls, late) {
					joined[b] = true
					waits = append(waits, plainLast(b.calls, c.start)...)
				}
			}
		}
		all = append(all, waits)
	}
	return all
}

// plainLast goes through calls from the last one that began.
func plainLast(calls []*agentCall, at int64) []*agentCall {
	var last []*agentCall
	for _, c := range slices.Backward(calls) {
		if c.end <= at && (len(last) == 0 || c.end > last[0].start) {
			last = append(last, c)
		}
	}
	return last
}

// BenchmarkParallelAgents reads a session that begins many agents at once, which all run as long as it goes on.
func BenchmarkParallelAgents(b *testing.B) {
	for _, agents := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(agents), func(b *testing.B) {
			var text strings.Builder
			text.WriteString(`{"id":"one","block_size":16,"requests":[{"t":0,"type":"n","model":"m","in":20,"out":1,"api_time":1}`)
			for i := range agents {
				fmt.Fprintf(&text, `,{"t":2,"type":"subagent","agent_id":"%d","duration_ms":1,"requests":[{"t":2,"type":"n","model":"m","in":20,"out":1,"api_time":500000}]}`, i)
				fmt.Fprintf(&text, `,{"t":%d,"type":"n","model":"m","in":20,"out":1,"api_time":500000}`, 3+i)
			}
			text.WriteString("]}")
			for b.Loop() {
				if _, err := Read(Weka, io.Reader(strings.NewReader(text.String())), "t"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
