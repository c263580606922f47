// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestEventsOfOneNanosecondHappenInOrderOfKind(t *testing.T) {
	want := []string{
		"warm-up end", "horizon", "arrival", "entry", "step end", "wake",
		"first token", "last token", "drain end",
	}
	var a agenda
	for k := kinds; k > 0; k-- {
		a.push(7, k-1, 0)
	}
	var got []string
	for len(a.heap) > 0 {
		e := a.pop()
		got = append(got, e.kind().String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of kinds (-want +got):\n%s", diff)
	}
}

// TestAgendaOrder holds the heap against a stable sort.
func TestAgendaOrder(t *testing.T) {
	stream := stats.NewStream(1, "agenda")
	for size := range 200 {
		var a agenda
		var want []event
		for range size {
			at, k := simtime.Time(stream.IntN(20)), kind(stream.IntN(int(kinds)))
			target := int32(len(want))
			a.push(at, k, target)
			want = append(want, event{at: at, order: uint64(k)<<kindShift | uint64(target), target: target})
		}
		slices.SortStableFunc(want, func(e, f event) int {
			if e.at != f.at {
				return int(e.at - f.at)
			}
			return int(e.kind()) - int(f.kind())
		})
		for i := range want {
			if got := a.pop(); got != want[i] {
				t.Fatalf("event %d of %d: got %+v, want %+v", i, size, got, want[i])
			}
		}
	}
}

func TestSchedulingIntoThePastPanics(t *testing.T) {
	for name, push := range map[string]func(s *simulation){
		"a duration of nothing": func(s *simulation) { s.schedule(0, kindStepEnd, 0) },
		"an event in the past": func(s *simulation) {
			s.agenda.push(4, kindStepEnd, 0)
			s.step()
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("want a panic")
				}
			}()
			push(&simulation{now: 5})
		})
	}
}
