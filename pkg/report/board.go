// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"io"

	"windtunnel.dev/windtunnel/pkg/result"
)

// WriteLeaderboard prints the text of a leaderboard with its legend.
func WriteLeaderboard(w io.Writer, of *result.Leaderboard) error {
	return Leaderboard(of).write(w)
}

// Leaderboard returns a leaderboard for people: latencies in ms, shares in %, each
// objective's mean with half the width of its interval and, with a baseline, the
// difference from it. A table of each objective by workload follows, if there are several
// workloads. For a search for capacities the table of tried loads follows.
// The sentences below the tables say what the figures are based on.
func Leaderboard(of *result.Leaderboard) Text {
	l := board{of}
	var b bytes.Buffer
	l.grid().write(&b)
	b.WriteByte('\n')
	for _, g := range l.byWorkload() {
		g.write(&b)
		b.WriteByte('\n')
	}
	if curve := l.curve(); curve != nil {
		curve.write(&b)
		b.WriteByte('\n')
	}
	return newText(&b, l.facts(), l.legend())
}

// board is a leaderboard to print.
type board struct{ *result.Leaderboard }
