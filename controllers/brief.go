// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
)

const (
	// briefTime is the processor time after which a compilation gives way, and after which it does so again.
	briefTime = 10 * time.Millisecond
	// longestPause is how long a compilation gives way at a time: it ends however many others there are.
	longestPause = 100 * time.Millisecond
)

// briefReconciles are the reconciles under way that have taken little processor time. Compilations that have taken
// more give way to them. It may be used concurrently.
type briefReconciles struct {
	// turn holds a value while a compilation waits: together, all compilations have the share of one.
	turn chan struct{}

	mu    sync.Mutex
	names sets.Set[subjectName]
	// none is closed while there are none.
	none chan struct{}
}

func newBriefReconciles() *briefReconciles {
	b := &briefReconciles{turn: make(chan struct{}, 1), names: sets.New[subjectName](), none: make(chan struct{})}
	close(b.none)
	return b
}

// begin adds the reconcile of an object.
func (b *briefReconciles) begin(name subjectName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.names) == 0 {
		b.none = make(chan struct{})
	}
	b.names.Insert(name)
}

// end removes the reconcile of an object, if it is there: it has ended, or is not brief.
func (b *briefReconciles) end(name subjectName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.names.Has(name) {
		return
	}
	if b.names.Delete(name); len(b.names) == 0 {
		close(b.none)
	}
}

// wait returns when there are none, or after a while.
func (b *briefReconciles) wait() {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	b.mu.Lock()
	none := b.none
	b.mu.Unlock()
	after := time.NewTimer(longestPause) //nolint:forbidigo // processors are shared in real time
	defer after.Stop()
	select {
	case <-none:
	case <-after.C:
	}
}

// pause returns what the compilation of an object's spec calls often: it gives way each time that the compilation
// has used briefTime. now is the processor time of its thread.
func (b *briefReconciles) pause(name subjectName, now func() time.Duration) func() {
	next := now() + briefTime
	return func() {
		if now() < next {
			return
		}
		b.end(name)
		b.wait()
		next = now() + briefTime
	}
}
