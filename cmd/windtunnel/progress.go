// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress draws a line about long work on a terminal, and nothing elsewhere.
type progress struct {
	w     io.Writer
	label string
	total int
	start time.Time
	drawn time.Time
}

// redrawInterval keeps a terminal from flickering.
const redrawInterval = 100 * time.Millisecond

func newProgress(label string, total int) *progress {
	p := &progress{label: label, total: total, start: time.Now()}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.w = os.Stderr
	}
	return p
}

// update says that so many are done. It is called by one goroutine at a time.
func (p *progress) update(done int) {
	now := time.Now()
	if p.w == nil || (done < p.total && now.Sub(p.drawn) < redrawInterval) {
		return
	}
	p.drawn = now
	elapsed := now.Sub(p.start)
	fmt.Fprintf(p.w, "\r\x1b[K%s: %d of %d simulations, %s", p.label, done, p.total, elapsed.Round(time.Second))
	if done > 0 && done < p.total {
		left := time.Duration(float64(elapsed) / float64(done) * float64(p.total-done))
		fmt.Fprintf(p.w, ", about %s left", left.Round(time.Second))
	}
}

// end leaves the line.
func (p *progress) end() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
