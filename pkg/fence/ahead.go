// SPDX-License-Identifier: Apache-2.0

package fence

import "sync"

// ahead has children that started before there is a request for them. Each has one request
// in its life, as all children do: what a program leaves behind ends with it.
type ahead struct {
	mu      sync.Mutex
	idle    []*process
	stopped bool
	starts  sync.WaitGroup
}

// StartAhead has a number of children wait for requests, which then do not take the time that a
// process needs to start. Requests with open files of traces start processes of their own.
// The caller calls stop when there are no more requests.
func (f *Fence) StartAhead(n int) (stop func()) {
	f.ahead = &ahead{}
	for range n {
		f.ahead.starts.Go(func() { f.ahead.add(f) })
	}
	return f.ahead.stop
}

// add starts a child that waits.
func (a *ahead) add(f *Fence) {
	p, err := f.start(nil)
	if err != nil {
		return // the request starts one, and says why it does not
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		p.end()
		return
	}
	a.idle = append(a.idle, p)
}

// take returns a child that waits, and starts another one in its place; nil where there is
// none.
func (a *ahead) take(f *Fence) *process {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.idle) == 0 {
		return nil
	}
	p := a.idle[0]
	a.idle = a.idle[1:]
	a.starts.Go(func() { a.add(f) })
	return p
}

// stop ends those that wait.
func (a *ahead) stop() {
	a.mu.Lock()
	a.stopped = true
	idle := a.idle
	a.idle = nil
	a.mu.Unlock()
	for _, p := range idle {
		p.end()
	}
	a.starts.Wait()
}
