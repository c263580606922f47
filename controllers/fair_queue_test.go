// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// requested makes a request of namespace/name.
func requested(text string) reconcile.Request {
	namespace, name, _ := strings.Cut(text, "/")
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}

// newTestQueue is a queue without metrics, which belong to the whole process.
func newTestQueue(workers int) *fairQueue {
	return newFairQueue("", backOff(time.Millisecond, time.Second), workers)
}

func TestNamespacesTakeTurns(t *testing.T) {
	listed := func(q *fairQueue, requests ...string) {
		low := handler.LowPriority
		for _, r := range requests {
			q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, requested(r))
		}
	}
	changed := func(q *fairQueue, requests ...string) {
		for _, r := range requests {
			q.Add(requested(r))
		}
	}
	tests := map[string]struct {
		add  func(q *fairQueue)
		want string
	}{
		"one namespace is served in its own order": {
			func(q *fairQueue) { changed(q, "a/1", "a/2", "a/3") },
			"a/1 a/2 a/3",
		},
		"a neighbour waits for one request, not for all that came before": {
			func(q *fairQueue) { changed(q, "a/1", "a/2", "a/3", "b/1", "b/2", "c/1") },
			"a/1 b/1 c/1 a/2 b/2 a/3",
		},
		"what changed comes before what is only listed": {
			func(q *fairQueue) { listed(q, "a/1", "a/2", "b/1"); changed(q, "a/3") },
			"a/3 a/1 b/1 a/2",
		},
		"what was listed and changes then has changed": {
			func(q *fairQueue) { listed(q, "a/1", "a/2", "a/3"); changed(q, "a/3") },
			"a/3 a/1 a/2",
		},
		"what changed and is listed then has changed all the same": {
			func(q *fairQueue) { listed(q, "b/1"); changed(q, "a/1"); listed(q, "a/1") },
			"a/1 b/1",
		},
		"a request that is added twice is handed out once": {
			func(q *fairQueue) { changed(q, "a/1", "a/1", "b/1"); listed(q, "b/1") },
			"a/1 b/1",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			q := newTestQueue(1)
			defer q.ShutDown()
			tc.add(q)
			var got []string
			for q.Len() > 0 {
				r, _, _ := q.GetWithPriority()
				got = append(got, r.String())
				q.Done(r)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("the order (−want +got):\n%s", diff)
			}
		})
	}
}

// TestOneNamespaceHoldsHalfOfTheWorkers: objects that take for ever leave the other
// workers to the neighbours.
func TestOneNamespaceHoldsHalfOfTheWorkers(t *testing.T) {
	q := newTestQueue(5)
	defer q.ShutDown()
	for _, r := range []string{"a/1", "a/2", "a/3", "a/4", "a/5"} {
		q.Add(requested(r))
	}
	for range 3 {
		q.Get()
	}
	if q.Len() != 0 {
		t.Fatalf("three of five workers are namespace a's, and %d more requests may be handed out", q.Len())
	}
	q.Add(requested("b/1"))
	if r, _ := q.Get(); r != requested("b/1") {
		t.Errorf("%s is handed out, want b/1", r)
	}
	q.Done(requested("a/2"))
	if r, _ := q.Get(); r != requested("a/4") {
		t.Errorf("%s is handed out once a/2 is done, want a/4", r)
	}
}

// TestARequestOfAFullNamespaceIsTakenWhenOneIsDone: no worker sleeps on, though
// requests of the namespace that it may take wait.
func TestARequestOfAFullNamespaceIsTakenWhenOneIsDone(t *testing.T) {
	q := newTestQueue(4)
	const each = 200
	var served sync.Map
	var done, workers sync.WaitGroup
	done.Add(3 * each)
	for range 4 {
		workers.Go(func() {
			for {
				r, shutdown := q.Get()
				if shutdown {
					return
				}
				if _, twice := served.LoadOrStore(r, true); twice {
					t.Errorf("%s is served twice", r)
				}
				done.Done()
				q.Done(r)
			}
		})
	}
	for i := range 3 * each {
		q.Add(requested(string(rune('a'+i%3)) + "/" + string(rune('0'+i))))
	}
	done.Wait()
	q.ShutDown()
	workers.Wait()
}

// TestTurnsAreFair holds random sequences against a plain account of
// what was added and not yet handed out.
func TestTurnsAreFair(t *testing.T) {
	for seed := range int64(50) {
		s := stats.NewStream(seed, "turns")
		turns := newTurns(1 + s.IntN(3))
		waiting, out := map[reconcile.Request]bool{}, []reconcile.Request{}
		for range 400 {
			r := requested(string(rune('a'+s.IntN(4))) + "/" + string(rune('0'+s.IntN(8))))
			switch s.IntN(3) {
			case 0:
				turns.mark(r, s.IntN(2) == 0)
				if waiting[r] {
					turns.Touch(r)
				} else {
					turns.Push(r)
				}
				waiting[r] = true
			case 1:
				if turns.Len() == 0 {
					continue
				}
				got := turns.Pop()
				if !waiting[got] {
					t.Fatalf("seed %d: %s is handed out and was not waiting", seed, got)
				}
				delete(waiting, got)
				out = append(out, got)
			default:
				if len(out) > 0 {
					turns.release(out[0].Namespace)
					out = out[1:]
				}
			}
			held, free := map[string]int{}, 0
			for _, r := range out {
				held[r.Namespace]++
			}
			for r := range waiting {
				if held[r.Namespace] < turns.most {
					free++
				}
			}
			for namespace, n := range held {
				if n > turns.most {
					t.Fatalf("seed %d: namespace %s has %d workers, and may have %d", seed, namespace, n, turns.most)
				}
			}
			if turns.Len() != free {
				t.Fatalf("seed %d: %d requests may be handed out, want %d", seed, turns.Len(), free)
			}
		}
	}
}

// BenchmarkFairQueue hands out 10,000 requests of one namespace and of many.
func BenchmarkFairQueue(b *testing.B) {
	for name, namespaces := range map[string]int{"one namespace": 1, "1000 namespaces": 1000} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				q := newTestQueue(10)
				for i := range 10_000 {
					q.Add(requested(string(rune(i%namespaces)) + "/" + string(rune(i))))
				}
				for q.Len() > 0 {
					r, _ := q.Get()
					q.Done(r)
				}
				q.ShutDown()
			}
		})
	}
}

var _ workqueue.Queue[reconcile.Request] = &namespaceTurns{}
