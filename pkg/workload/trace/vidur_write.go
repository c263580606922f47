// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"io"

	"windtunnel.dev/windtunnel/pkg/workload"
)

// WriteVidur writes the first n requests of a source, or all if there are fewer, in the
// Vidur format. Arrivals keep their nanoseconds; the format has only times and lengths.
func WriteVidur(w io.Writer, source workload.Source, n int) error {
	out := newWriter(w, vidur, 0, nil)
	for range n {
		r, ok := source.Next()
		if !ok {
			break
		}
		if err := out.write(&record{at: int64(r.Arrival), input: int32(r.Prompt.Tokens()), output: int32(r.OutputTokens)}); err != nil {
			return err
		}
	}
	return out.Close()
}
