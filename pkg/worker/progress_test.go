// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestProgressWritesAreLimited ticks at stages of a shard.
func TestProgressWritesAreLimited(t *testing.T) {
	tests := map[string]struct {
		total int
		// done is how many simulations are done at each tick.
		done []int64
		want []string
	}{
		"a shard that ends before the first tick": {total: 1000},
		"less than a tenth":                       {total: 100, done: []int64{0, 9}},
		"a tenth":                                 {total: 100, done: []int64{10}, want: []string{"10"}},
		"a tenth more than told":                  {total: 100, done: []int64{15, 24, 25, 25}, want: []string{"15", "25"}},
		"all of it, which results tell":           {total: 100, done: []int64{90, 100}, want: []string{"90"}},
		"a few long simulations":                  {total: 3, done: []int64{0, 1, 1, 2, 3}, want: []string{"1", "2"}},
		"one simulation":                          {total: 1, done: []int64{0, 0, 1}},
		"every simulation of many": {
			total: 50, done: countTo(50),
			want: []string{"5", "10", "15", "20", "25", "30", "35", "40", "45"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, refusal := range []error{nil, errors.New("no room")} {
				var got failingCreator
				got.err = refusal
				runProgressWrites(t, tc.total, tc.done, &got)
				if diff := cmp.Diff(tc.want, got.done); diff != "" {
					t.Errorf("told, with answer %v (-want +got):\n%s", refusal, diff)
				}
			}
		})
	}
}

// countTo counts from 1.
func countTo(n int64) []int64 {
	var all []int64
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// failingCreator notes what a shard tries to tell.
type failingCreator struct {
	done []string
	err  error
}

func (a *failingCreator) CreateConfigMap(_ context.Context, cm *corev1.ConfigMap) error {
	a.done = append(a.done, cm.Labels[LabelDone])
	return a.err
}

// runProgressWrites has a shard look at its progress at each stage, and then end.
func runProgressWrites(t *testing.T, total int, stages []int64, creator Creator) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var done atomic.Int64
	ticks, over := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(over)
		(&Owner{}).writeProgress(ctx, creator, ticks, 0, total, &done)
	}()
	for _, stage := range stages {
		done.Store(stage)
		// The second one is taken once the first has been looked at.
		ticks <- time.Time{}
		ticks <- time.Time{}
	}
	end()
	<-over
}

func TestProgressIsOnlyMetadata(t *testing.T) {
	owner := Owner{Namespace: "ns", Prefix: "small-12345678", Labels: map[string]string{"a": "b", labelComponent: "result"}}
	cm := owner.Progress(3, 120)
	want := map[string]string{"a": "b", labelComponent: ComponentProgress, LabelShard: "3", LabelDone: "120"}
	if diff := cmp.Diff(want, cm.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if owner.Labels[labelComponent] != "result" {
		t.Error("the labels of results were changed")
	}
	if !strings.HasPrefix(cm.Name, "small-12345678-progress-3-120-") || len(cm.Data)+len(cm.BinaryData) > 0 || cm.Immutable == nil || !*cm.Immutable {
		t.Errorf("made %+v", cm)
	}
	if diff := cmp.Diff(cm, owner.Progress(3, 120)); diff != "" {
		t.Errorf("a shard that runs again says it otherwise:\n%s", diff)
	}
}

// A shard's results do not depend on what it tells meanwhile.
func TestProgressDoesNotChangeResults(t *testing.T) {
	o := mountedOptions(t)
	o.Shards, o.Parallelism = 1, 1
	var silent, telling recordingCreator
	want, err := Run(t.Context(), o, &silent)
	if err != nil {
		t.Fatal(err)
	}
	ticks := make(chan time.Time)
	o.Ticks = ticks
	o.Progress = func(int) {
		ticks <- time.Time{}
		ticks <- time.Time{}
	}
	got, err := Run(t.Context(), o, &telling)
	if err != nil {
		t.Fatal(err)
	}
	var results []*corev1.ConfigMap
	told := 0
	for _, cm := range telling.created {
		if cm.Labels[labelComponent] == ComponentProgress {
			told++
			continue
		}
		results = append(results, cm)
	}
	if told != 3 {
		t.Errorf("it told %d times, want 3: after each simulation but the last", told)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-silent +telling):\n%s", diff)
	}
	if diff := cmp.Diff(silent.created, results); diff != "" {
		t.Errorf("results (-silent +telling):\n%s", diff)
	}
}
