// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"windtunnel.dev/windtunnel/internal/printable"
)

// Progress draws a line about long work on a terminal, and nothing elsewhere.
type Progress struct {
	w     io.Writer
	label string
	// before are done, of a total that grows with a search that learns.
	before, Total int
	// rounds were begun.
	rounds int
	start  time.Time
	drawn  time.Time
}

// redrawInterval keeps a terminal from flickering.
const redrawInterval = 100 * time.Millisecond

// NewProgress makes a line of progress under a label. It is drawn on a terminal only.
func NewProgress(label string) *Progress {
	p := &Progress{label: printable.Line(label), start: time.Now()}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.w = os.Stderr
	}
	return p
}

// Begin adds simulations to do, after all that were begun before.
func (p *Progress) Begin(more int) {
	p.before = p.Total
	p.rounds++
	p.Total += more
	p.Update(0)
}

// Update sets how many of the simulations begun last are done. It is called
// by one goroutine at a time.
func (p *Progress) Update(done int) {
	done += p.before
	now := time.Now()
	if p.w == nil || (done < p.Total && now.Sub(p.drawn) < redrawInterval) {
		return
	}
	p.drawn = now
	elapsed := now.Sub(p.start)
	label := p.label
	if p.rounds > 1 {
		label = fmt.Sprintf("%s, round %d", label, p.rounds)
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s: %d of %d simulations, %s", label, done, p.Total, elapsed.Round(time.Second))
	if done > 0 && done < p.Total {
		left := time.Duration(float64(elapsed) / float64(done) * float64(p.Total-done))
		fmt.Fprintf(p.w, ", about %s left", left.Round(time.Second))
	}
}

// End leaves the line.
func (p *Progress) End() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// Wait waits for so long, or until the context ends.
func Wait(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}
