// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// writeErrors writes what a model gives for each point, and by how much of the
// measured time it is off; then by phase the mean of that, signs kept, and of
// its size.
func writeErrors(w io.Writer, points []point, timer latency.StepTimer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "phase\tsequences\tnew tokens\tcontext\tmeasured µs\troofline µs\terror\t")
	sums := map[string]*errorSum{"decode": {}, "prefill": {}}
	for _, p := range points {
		model := float64(timer.StepTime(p.step()).Nanoseconds()) / 1e3
		relative := model/p.microseconds - 1
		sums[p.phase()].add(relative)
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.1f\t%.1f\t%+.1f %%\t\n",
			p.phase(), p.sequences, p.newTokens, p.contextTokens, p.microseconds, model, 100*relative)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, phase := range []string{"decode", "prefill"} {
		if s := sums[phase]; s.n > 0 {
			fmt.Fprintf(w, "%s: %d points, mean error %+.1f %%, mean size of it %.1f %%\n", phase, s.n, 100*s.signed/float64(s.n), 100*s.size/float64(s.n))
		}
	}
	return nil
}

type errorSum struct {
	n            int
	signed, size float64
}

func (s *errorSum) add(relative float64) {
	s.n++
	s.signed += relative
	s.size += math.Abs(relative)
}

func (p point) phase() string {
	if p.decode {
		return "decode"
	}
	return "prefill"
}
