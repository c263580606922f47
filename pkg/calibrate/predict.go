// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"cmp"
	"context"
	"sync"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// sideBySide calls do with 0 to n-1 on up to workers goroutines.
func sideBySide(workers, n int, do func(i int)) {
	var group sync.WaitGroup
	seats := make(chan struct{}, max(workers, 1))
	for i := range n {
		seats <- struct{}{}
		group.Go(func() {
			defer func() { <-seats }()
			do(i)
		})
	}
	group.Wait()
}

// replays simulates the run n times, with numbers from first on, and returns
// the times of each replay.
func (r *Run) replays(ctx context.Context, c latency.RooflineCoefficients, first, n, workers int) ([][]Times, error) {
	all := make([][]Times, n)
	errs := make([]error, n)
	sideBySide(workers, n, func(i int) { all[i], errs[i] = r.Replay(ctx, c, first+i) })
	// Replays fail alike.
	return all, cmp.Or(errs...)
}

// prediction is what replays say about some of a run's requests.
type prediction struct {
	// figures are the means over the replays, spread their standard deviation.
	figures, spread Figures
	// requests are the means of each request over the replays.
	requests []Times
}

// predictionOf reduces the replays of requests [from, to).
func predictionOf(replays [][]Times, from, to int) prediction {
	p := prediction{requests: make([]Times, to-from)}
	figures := make([]Figures, len(replays))
	for k, all := range replays {
		part := all[from:to]
		figures[k] = FiguresOf(part)
		for i, t := range part {
			sum := &p.requests[i]
			sum.TTFT += t.TTFT / float64(len(replays))
			sum.TPOT += t.TPOT / float64(len(replays))
			sum.E2E += t.E2E / float64(len(replays))
		}
	}
	p.figures = meanFigures(figures)
	p.spread = deviation(figures, p.figures)
	return p
}
