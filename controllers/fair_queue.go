// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// fairQueue is the work queue of one controller. It gives each namespace its turn:
// of n namespaces with waiting objects, each one gets every n-th free worker,
// however many objects the others have. Objects that are only listed, as all are
// when the manager starts, come after those that change.
//
// Delays, rates, metrics and the promise that no object is reconciled twice at once
// are those of client-go's work queue; turns is its storage.
type fairQueue struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
	turns *namespaceTurns
}

var _ priorityqueue.PriorityQueue[reconcile.Request] = &fairQueue{}

// newFairQueue returns the queue of a controller with a number of workers, of
// which one namespace holds half at most, rounded up.
func newFairQueue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request], workers int) *fairQueue {
	t := newTurns((workers + 1) / 2)
	ready := returning{workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[reconcile.Request]{Name: name, Queue: t}), t}
	delaying := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{Name: name, Queue: ready})
	return &fairQueue{
		workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{Name: name, DelayingQueue: delaying}),
		t,
	}
}

// Add implements workqueue.TypedInterface.
func (q *fairQueue) Add(r reconcile.Request) { q.AddWithOpts(priorityqueue.AddOpts{}, r) }

// AddWithOpts implements priorityqueue.PriorityQueue. There are two priorities:
// that of what is only listed, which is negative, and that of all else. What
// waits for a time first comes back as all else.
func (q *fairQueue) AddWithOpts(o priorityqueue.AddOpts, requests ...reconcile.Request) {
	for _, r := range requests {
		switch {
		case o.RateLimited:
			q.AddRateLimited(r)
		case o.After > 0:
			q.AddAfter(r, o.After)
		default:
			q.turns.mark(r, o.Priority != nil && *o.Priority < 0)
			q.TypedRateLimitingInterface.Add(r)
		}
	}
}

// GetWithPriority implements priorityqueue.PriorityQueue. The priority is that
// with which a request comes back.
func (q *fairQueue) GetWithPriority() (r reconcile.Request, priority int, shutdown bool) {
	r, shutdown = q.Get()
	return r, 0, shutdown
}

// returning tells the turns which requests are done.
type returning struct {
	*workqueue.Typed[reconcile.Request]
	turns *namespaceTurns
}

// Done implements workqueue.TypedInterface. The place that becomes free needs no
// signal: the worker that calls Done asks for the next request itself.
func (q returning) Done(r reconcile.Request) {
	q.turns.release(r.Namespace)
	q.Typed.Done(r)
}

// namespaceTurns is the order of a fairQueue's requests. It implements workqueue.Queue. It
// may be called concurrently.
type namespaceTurns struct {
	// most is how many requests of one namespace are handed out at a time.
	most int

	mu        sync.Mutex
	handedOut map[string]int
	changed   roundRobin
	listed    roundRobin
	// onlyListed are the requests that go into the line of that name.
	onlyListed sets.Set[reconcile.Request]
}

func newTurns(most int) *namespaceTurns {
	return &namespaceTurns{most: most, handedOut: map[string]int{}, changed: newRoundRobin(), listed: newRoundRobin(), onlyListed: sets.New[reconcile.Request]()}
}

// mark says into which line a request goes that is about to be added.
func (t *namespaceTurns) mark(r reconcile.Request, onlyListed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !onlyListed:
		t.onlyListed.Delete(r)
	case !t.changed.has(r):
		t.onlyListed.Insert(r)
	}
}

// Push implements workqueue.Queue.
func (t *namespaceTurns) Push(r reconcile.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.onlyListed.Has(r) {
		t.listed.push(r)
	} else {
		t.changed.push(r)
	}
}

// Touch implements workqueue.Queue: a request that was only listed may have
// changed since.
func (t *namespaceTurns) Touch(r reconcile.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.onlyListed.Has(r) && t.listed.remove(r) {
		t.changed.push(r)
	}
}

// Len implements workqueue.Queue. It counts the requests whose turn may come now:
// a worker waits while there are none.
func (t *namespaceTurns) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.changed.size + t.listed.size
	for namespace := range t.handedOut {
		if !t.hasFreeWorker(namespace) {
			n -= t.changed.waitingIn(namespace) + t.listed.waitingIn(namespace)
		}
	}
	return n
}

// Pop implements workqueue.Queue. It is called where Len is above 0.
func (t *namespaceTurns) Pop() reconcile.Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.changed.pop(t.hasFreeWorker)
	if !ok {
		if r, ok = t.listed.pop(t.hasFreeWorker); !ok {
			panic("controllers: a worker took a request where none may be handed out")
		}
	}
	t.onlyListed.Delete(r)
	t.handedOut[r.Namespace]++
	return r
}

// release takes back what Pop handed out.
func (t *namespaceTurns) release(namespace string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.handedOut[namespace]--; t.handedOut[namespace] == 0 {
		delete(t.handedOut, namespace)
	}
}

// hasFreeWorker says whether a namespace may have one more worker.
func (t *namespaceTurns) hasFreeWorker(namespace string) bool { return t.handedOut[namespace] < t.most }

// roundRobin is a queue in which namespaces take turns.
type roundRobin struct {
	// namespaces are those with waiting requests, in the order of their turns.
	namespaces []string
	waiting    map[string]*fifo
	// size is how many requests wait.
	size int
}

// fifo holds the requests of one namespace, each once.
type fifo struct {
	requests []reconcile.Request
	known    sets.Set[reconcile.Request]
}

func newRoundRobin() roundRobin { return roundRobin{waiting: map[string]*fifo{}} }

func (l *roundRobin) has(r reconcile.Request) bool {
	f := l.waiting[r.Namespace]
	return f != nil && f.known.Has(r)
}

func (l *roundRobin) push(r reconcile.Request) {
	f := l.waiting[r.Namespace]
	if f == nil {
		f = &fifo{known: sets.New[reconcile.Request]()}
		l.waiting[r.Namespace] = f
		l.namespaces = append(l.namespaces, r.Namespace)
	}
	f.requests = append(f.requests, r)
	f.known.Insert(r)
	l.size++
}

// pop takes the first request of the first namespace that may have a worker, and
// puts that namespace last.
func (l *roundRobin) pop(mayHave func(namespace string) bool) (reconcile.Request, bool) {
	i := slices.IndexFunc(l.namespaces, mayHave)
	if i < 0 {
		return reconcile.Request{}, false
	}
	namespace := l.namespaces[i]
	r := l.waiting[namespace].requests[0]
	l.take(namespace, 0)
	if l.waiting[namespace] != nil {
		l.namespaces = append(slices.Delete(l.namespaces, i, i+1), namespace)
	}
	return r, true
}

// remove takes a request out of the line, and says whether it was there.
func (l *roundRobin) remove(r reconcile.Request) bool {
	if !l.has(r) {
		return false
	}
	l.take(r.Namespace, slices.Index(l.waiting[r.Namespace].requests, r))
	return true
}

// take removes the i-th request of a namespace, and the namespace with its last.
func (l *roundRobin) take(namespace string, i int) {
	f := l.waiting[namespace]
	f.known.Delete(f.requests[i])
	l.size--
	if i == 0 {
		f.requests = f.requests[1:]
	} else {
		f.requests = slices.Delete(f.requests, i, i+1)
	}
	if len(f.requests) == 0 {
		delete(l.waiting, namespace)
		at := slices.Index(l.namespaces, namespace)
		l.namespaces = slices.Delete(l.namespaces, at, at+1)
	}
}

// waitingIn returns how many requests of a namespace wait.
func (l *roundRobin) waitingIn(namespace string) int {
	if f := l.waiting[namespace]; f != nil {
		return len(f.requests)
	}
	return 0
}
