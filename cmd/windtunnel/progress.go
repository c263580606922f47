// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"windtunnel.dev/windtunnel/internal/printable"
)

// progress draws a line about long work on a terminal, and nothing elsewhere.
type progress struct {
	w     io.Writer
	label string
	// before are done, of a total that grows with a search that learns.
	before, total int
	// rounds were begun.
	rounds int
	start  time.Time
	drawn  time.Time
}

// redrawInterval keeps a terminal from flickering.
const redrawInterval = 100 * time.Millisecond

func newProgress(label string) *progress {
	p := &progress{label: printable.Line(label), start: time.Now()}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.w = os.Stderr
	}
	return p
}

// begin says that so many more are to be done, after all that were before.
func (p *progress) begin(more int) {
	p.before = p.total
	p.rounds++
	p.total += more
	p.update(0)
}

// update says that so many of those that were begun last are done. It is called
// by one goroutine at a time.
func (p *progress) update(done int) {
	done += p.before
	now := time.Now()
	if p.w == nil || (done < p.total && now.Sub(p.drawn) < redrawInterval) {
		return
	}
	p.drawn = now
	elapsed := now.Sub(p.start)
	label := p.label
	if p.rounds > 1 {
		label = fmt.Sprintf("%s, round %d", label, p.rounds)
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s: %d of %d simulations, %s", label, done, p.total, elapsed.Round(time.Second))
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
