// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/pkg/result"
)

// WriteLeaderboard prints a leaderboard for people: latencies in ms, shares in %, each
// objective's mean with half the width of its interval and, where there is a
// baseline, the difference from it. Of a search for capacities the loads that were
// tried follow. What the figures rest on stands below.
func WriteLeaderboard(w io.Writer, of *result.Leaderboard) error {
	l := board{of}
	var b bytes.Buffer
	l.grid().write(&b)
	b.WriteByte('\n')
	if curve := l.curve(); curve != nil {
		curve.write(&b)
		b.WriteByte('\n')
	}
	for _, note := range l.notes() {
		fmt.Fprintln(&b, note)
	}
	_, err := b.WriteTo(w)
	return err
}

// board is a leaderboard to print.
type board struct{ *result.Leaderboard }
