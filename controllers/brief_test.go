// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A compilation gives way to the reconciles of others, not to its own, once it has used briefTime; until they
// have ended, and for longestPause at most.
func TestCompilationsGiveWayToBriefReconciles(t *testing.T) {
	own, other := sweepNamed("slow"), sweepNamed("small")
	tests := map[string]struct {
		used  time.Duration
		brief []subjectName
		ends  time.Duration // when the other reconcile ends; 0 for never
		want  time.Duration
	}{
		"alone":                    {used: briefTime, want: 0},
		"its own reconcile":        {used: briefTime, brief: []subjectName{own}, want: 0},
		"after little":             {used: briefTime - 1, brief: []subjectName{other}, want: 0},
		"another that ends soon":   {used: briefTime, brief: []subjectName{own, other}, ends: 30 * time.Millisecond, want: 30 * time.Millisecond},
		"another that never ends":  {used: briefTime, brief: []subjectName{own, other}, want: longestPause},
		"another, after more time": {used: time.Second, brief: []subjectName{other}, want: longestPause},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBriefReconciles()
				for _, name := range tc.brief {
					b.begin(name)
				}
				if tc.ends > 0 {
					time.AfterFunc(tc.ends, func() { b.end(other) })
				}
				var used time.Duration
				pause := b.pause(own, func() time.Duration { return used })
				used = tc.used
				began := time.Now()
				pause()
				if got := time.Since(began); got != tc.want {
					t.Errorf("it pauses for %s, want %s", got, tc.want)
				}
				began = time.Now()
				if pause(); time.Since(began) > 0 {
					t.Error("it pauses again though it has used nothing since")
				}
			})
		})
	}
}

// All compilations together go on once in each longestPause while there are others.
func TestCompilationsGiveWayOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBriefReconciles()
		b.begin(sweepNamed("small"))
		began, ended := time.Now(), make(chan time.Duration)
		for range 3 {
			go func() {
				b.wait()
				ended <- time.Since(began)
			}()
		}
		for i := range time.Duration(3) {
			if got := <-ended; got != (i+1)*longestPause {
				t.Errorf("compilation %d goes on after %s, want %s", i+1, got, (i+1)*longestPause)
			}
		}
	})
}

// Reconciles begin and end in any order, and an end that comes twice counts once.
func TestBriefReconcilesEnd(t *testing.T) {
	b := newBriefReconciles()
	none := func() bool {
		select {
		case <-b.none:
			return true
		default:
			return false
		}
	}
	for _, step := range []struct {
		do   func(subjectName)
		name string
		want bool
	}{
		{b.end, "a", true}, {b.begin, "a", false}, {b.begin, "b", false}, {b.end, "a", false}, {b.end, "a", false},
		{b.end, "b", true}, {b.end, "b", true}, {b.begin, "a", false}, {b.end, "a", true},
	} {
		if step.do(sweepNamed(step.name)); none() != step.want {
			t.Fatalf("after %s: none is %v, want %v", step.name, none(), step.want)
		}
	}
}

func sweepNamed(name string) subjectName {
	return subjectName{sweeps.kind, types.NamespacedName{Namespace: "team-a", Name: name}}
}
