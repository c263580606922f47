// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// errSlow says that a spec waits for its turn in the slow lane, or is compiled there.
var errSlow = errors.New("the spec takes long to compile")

const (
	// slowDelay is how soon the manager looks again at an object in the slow lane.
	slowDelay = 2 * time.Second
	// namespaceCredit is the processor time that the specs of one namespace take together with others, and
	// creditShare how much of each second it gets back. All other specs of the namespace are slow.
	namespaceCredit = 2 * time.Second
	creditShare     = 0.1
	// resultAge is how long the lane keeps what no object asks for, and slowAge how long it knows
	// objects.
	resultAge = time.Minute
	slowAge   = time.Hour
)

// compilation is what came of a spec.
type compilation struct {
	compiled *compile.Compiled
	inputs   compile.Inputs
	errs     field.ErrorList
	err      error
	// cut is the field at which the processor time was up; nil if it was not.
	cut *field.Path
	// used is the processor time.
	used time.Duration
}

// slowLane compiles the specs that take long, one at a time, in the order of the turns of their
// namespaces: no worker and no other object waits for them. Processor time decides and not the time
// of a clock, so a busy manager or a full node makes no spec slow. It may be used concurrently.
type slowLane struct {
	// quick is the processor time of a spec outside the lane, and most that of one in the lane.
	quick, most time.Duration
	// credit is the most that a namespace has.
	credit time.Duration
	clock  clock.PassiveClock
	brief  *briefReconciles

	mu      sync.Mutex
	turns   roundRobin
	busy    bool
	jobs    map[types.UID]*slowJob
	slow    map[types.UID]time.Time
	credits map[string]credit
}

// slowJob is a spec in the lane.
type slowJob struct {
	request    reconcile.Request
	generation int64
	compile    func() compilation
	cancel     context.CancelFunc
	result     *compilation
	ended      time.Time
}

// credit is what a namespace had at a time.
type credit struct {
	left time.Duration
	at   time.Time
}

func newSlowLane(quick, most time.Duration, now clock.PassiveClock) *slowLane {
	return &slowLane{
		quick: quick, most: most, credit: namespaceCredit, clock: now, brief: newBriefReconciles(), turns: newRoundRobin(),
		jobs: map[types.UID]*slowJob{}, slow: map[types.UID]time.Time{}, credits: map[string]credit{},
	}
}

// takes reports whether a spec is compiled in the lane: it was slow before, or its namespace has used
// up what it may take outside the lane.
func (l *slowLane) takes(s subject) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, slow := l.slow[s.object().GetUID()]
	return slow || l.jobs[s.object().GetUID()] != nil || l.creditOf(s.object().GetNamespace()) <= 0
}

func (l *slowLane) creditOf(namespace string) time.Duration {
	c, known := l.credits[namespace]
	if !known {
		return l.credit
	}
	return min(l.credit, c.left+time.Duration(creditShare*float64(l.clock.Since(c.at))))
}

// charge takes processor time from the credit of an object's namespace. slow notes that the object
// is for the lane.
func (l *slowLane) charge(s subject, used time.Duration, slow bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, namespace := l.clock.Now(), s.object().GetNamespace()
	l.credits[namespace] = credit{l.creditOf(namespace) - used, now}
	maps.DeleteFunc(l.credits, func(namespace string, _ credit) bool { return l.creditOf(namespace) >= l.credit })
	maps.DeleteFunc(l.slow, func(_ types.UID, at time.Time) bool { return now.Sub(at) > slowAge })
	if slow {
		l.slow[s.object().GetUID()] = now
	} else {
		delete(l.slow, s.object().GetUID())
	}
}

// ask returns what came of a spec, once, or nil: then the spec waits for its turn. An edit takes the
// place of the spec before.
func (l *slowLane) ask(ctx context.Context, s subject, compileIn func(context.Context) compilation) *compilation {
	l.mu.Lock()
	defer l.mu.Unlock()
	uid := s.object().GetUID()
	l.dropOld()
	j := l.jobs[uid]
	if j != nil && j.generation == s.object().GetGeneration() {
		if j.result != nil {
			delete(l.jobs, uid)
		}
		return j.result
	}
	if j != nil {
		j.cancel()
	}
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	j = &slowJob{
		request: reconcile.Request{NamespacedName: types.NamespacedName{Namespace: s.object().GetNamespace(), Name: string(uid)}}, generation: s.object().GetGeneration(),
		compile: func() compilation { return compileIn(within) }, cancel: cancel,
	}
	l.jobs[uid] = j
	if !l.turns.has(j.request) {
		l.turns.push(j.request)
	}
	if !l.busy {
		l.busy = true
		go l.work()
	}
	return nil
}

// dropOld forgets results that no object has asked for, such as of objects that were deleted.
func (l *slowLane) dropOld() {
	maps.DeleteFunc(l.jobs, func(_ types.UID, j *slowJob) bool {
		return j.result != nil && l.clock.Since(j.ended) > resultAge
	})
}

// work compiles what waits, and ends when nothing does.
func (l *slowLane) work() {
	for {
		j := l.next()
		if j == nil {
			return
		}
		result := j.compile()
		j.cancel()
		l.mu.Lock()
		j.result, j.ended = &result, l.clock.Now()
		l.mu.Unlock()
	}
}

// next is the spec whose turn it is, or nil: then the lane is not busy any more.
func (l *slowLane) next() *slowJob {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		request, ok := l.turns.pop(func(string) bool { return true })
		if !ok {
			l.busy = false
			return nil
		}
		if j := l.jobs[types.UID(request.Name)]; j != nil && j.result == nil {
			return j
		}
	}
}

// tooLong is the error of a spec that takes more processor time than the lane has for it.
func (l *slowLane) tooLong(cut *field.Path, used time.Duration) field.ErrorList {
	return field.ErrorList{field.Invalid(cut, field.OmitValueType{}, fmt.Sprintf(
		"takes too long to compile: %.3g s of processor time, at most %.3g s: use fewer values, shorter rules or smaller files", used.Seconds(), l.most.Seconds()))}
}
