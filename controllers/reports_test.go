// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestReportsOfAStoppedPodCount(t *testing.T) {
	const plan = "the plan"
	part := store.Reference{Name: "list-0", Rows: 1, SHA256: "abc"}
	tests := map[string]struct {
		report store.Report
		ended  func(message string) func(*corev1.Pod)
		want   []store.Reference
		fault  string
	}{
		"a part": {
			report: store.Report{PlanHash: plan, Results: &part, Partial: true, Error: "told to stop"},
			want:   []store.Reference{part},
		},
		"no results": {report: store.Report{PlanHash: plan, Error: "told to stop"}},
		"all results, of a pod that was killed on its way out": {
			report: store.Report{PlanHash: plan, Results: &part},
			want:   []store.Reference{part},
		},
		"a part, of a pod that its kubelet has not written off": {
			report: store.Report{PlanHash: plan, Results: &part, Partial: true},
			ended: func(message string) func(*corev1.Pod) {
				return func(pod *corev1.Pod) {
					exited(130, message)(pod)
					pod.Status.Phase = corev1.PodRunning
				}
			},
			want: []store.Reference{part},
		},
		"a part, of a pod that succeeded": {
			report: store.Report{PlanHash: plan, Results: &part, Partial: true},
			ended:  func(message string) func(*corev1.Pod) { return exited(0, message) },
			fault:  "succeeded but reports only a part of its results",
		},
		"another plan's":  {report: store.Report{PlanHash: "another", Results: &part, Partial: true}, fault: `of plan "another"`},
		"another round's": {report: store.Report{PlanHash: plan, Round: 1, Results: &part, Partial: true}, fault: "reports results of round 1"},
		"another shard's": {report: store.Report{PlanHash: plan, Shard: 1, Results: &part, Partial: true}, fault: "reports results of shard 1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &fixture{observation: &observation{}}
			end := exited(130, encodedReport(tc.report))
			if tc.ended != nil {
				end = tc.ended(encodedReport(tc.report))
			}
			s.pod(0, end)
			r := newReports(&subjectPlan{hashedPlan: &hashedPlan{hash: plan}}, 0, 1, s.observation.job.pods)
			switch {
			case (r.fault != nil) != (tc.fault != ""):
				t.Errorf("fault %v, want %q", r.fault, tc.fault)
			case r.fault != nil && !strings.Contains(r.fault.message, tc.fault):
				t.Errorf("fault %q, want %q", r.fault.message, tc.fault)
			}
			if diff := cmp.Diff(tc.want, r.parts); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

// A row that is there may come again with what another pod of the shard wrote, if it
// is the same.
func TestPodsThatDisagreeAboutARow(t *testing.T) {
	s := newFixture(t)
	row := s.simulations[0][0].Row
	first := &source{Reference: store.Reference{Name: "first", Rows: 1}, own: true}
	s.rows.addShard([]chunk{{first, []result.Row{row}}})
	if words := s.rows.contradiction([]result.Row{row}); words != "" {
		t.Errorf("the same row: %s", words)
	}
	other := row
	other.Metrics = result.NewMetrics(map[string]float64{"goodput": 1})
	if words := s.rows.contradiction([]result.Row{other}); !strings.Contains(words, "differs from the row that another pod wrote") {
		t.Errorf("a row with other figures: %q", words)
	}
	unknown := row
	unknown.Key = "unknown"
	if words := s.rows.contradiction([]result.Row{unknown}); !strings.Contains(words, "does not belong to the round") {
		t.Errorf("a row of nothing that was asked for: %q", words)
	}
}

// Where the machine decides, pods may differ, and what the later one wrote counts. What was
// simulated for another plan or object is tried again.
func TestRowsInWhichTheMachineDecides(t *testing.T) {
	s := newFixture(t)
	good := s.simulations[0][0].Row
	failed := result.Row{Key: good.Key, Point: good.Point, Seed: good.Seed, Share: good.Share, Error: "out of memory", ByMachine: true}
	add := func(name string, former bool, row result.Row) {
		t.Helper()
		if words := s.rows.contradiction([]result.Row{row}); words != "" {
			t.Errorf("%s: %s", name, words)
		}
		s.rows.addShard([]chunk{{&source{Reference: store.Reference{Name: name, Rows: 1}, own: true, optional: former, former: former}, []result.Row{row}}})
	}
	is := func(want string, wantState rowState) {
		t.Helper()
		if n := s.rows.lastOfKey[good.Key]; s.rows.rows[n].Error != want || s.rows.states[n] != wantState {
			t.Errorf("the row is %+v, want the error %q", s.rows.rows[n], want)
		}
	}
	add("of a former plan", true, failed)
	is("", rowMissing)
	add("of a pod", false, failed)
	is("out of memory", rowKept)
	add("of another pod", false, good)
	is("", rowKept)
}

// What a pod wrote that was stopped serves until another pod has done all of its
// shard.
func TestChunksOfAStoppedPodMakeWay(t *testing.T) {
	s := newFixture(t)
	var rows []result.Row
	for i := range s.simulations[0] {
		rows = append(rows, s.simulations[0][i].Row)
	}
	add := func(name string, rows ...result.Row) {
		s.rows.addShard([]chunk{{&source{Reference: store.Reference{Name: name, Rows: len(rows)}, own: true}, rows}})
	}
	serving := func() (names []string) {
		st := s.rows.state()
		for _, ref := range st.chunks {
			names = append(names, ref.Name)
		}
		if len(st.borrowed) > 0 {
			t.Errorf("%d rows are to be copied", len(st.borrowed))
		}
		return names
	}
	add("part", rows[0])
	if diff := cmp.Diff([]string{"part"}, serving()); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
	add("whole", rows...)
	if diff := cmp.Diff([]string{"whole"}, serving()); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
	add("late", rows[0])
	if diff := cmp.Diff([]string{"whole"}, serving()); diff != "" {
		t.Errorf("a part that comes late (-want +got):\n%s", diff)
	}
}

// A pod may end well while it is deleted with its suspended Job, which then runs the
// shard again.
func TestAShardHasEndedWhereItsJobKnows(t *testing.T) {
	tests := map[string]struct {
		completed string
		pod       func(*corev1.Pod)
		want      bool
	}{
		"nothing":                     {},
		"as the Job says":             {completed: "0,3-5", want: true},
		"another one":                 {completed: "1,3-5"},
		"by a pod":                    {pod: exited(0, ""), want: true},
		"not by a pod that failed":    {pod: exited(130, "")},
		"nor by one that is at work":  {pod: running},
		"nor by one that was deleted": {pod: func(pod *corev1.Pod) { exited(0, "")(pod); deleting(pod) }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &fixture{observation: &observation{}}
			if tc.pod != nil {
				s.pod(0, tc.pod)
			}
			job := &batchv1.Job{}
			job.Status.CompletedIndexes = tc.completed
			if got := succeeded(job, s.observation.job.pods, 0); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
