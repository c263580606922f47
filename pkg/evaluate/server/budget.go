// SPDX-License-Identifier: Apache-2.0

package server

import "sync"

// A Budget is how many simulations there may be.
type Budget struct {
	Total int `json:"total"`
	Used  int `json:"used"`
	Left  int `json:"left"`
}

// budget counts simulations. One without a total never ends.
type budget struct {
	mu    sync.Mutex
	total int
	used  int
}

// take spends n, or nothing where fewer are left.
func (b *budget) take(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total > 0 && b.used+n > b.total {
		return false
	}
	b.used += n
	return true
}

// giveBack undoes what was taken for a simulation that did not end.
func (b *budget) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used--
}

// report is what is left; nil where there is no bound.
func (b *budget) report() *Budget {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total == 0 {
		return nil
	}
	return &Budget{b.total, b.used, b.total - b.used}
}
