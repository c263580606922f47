// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"io"

	"windtunnel.dev/windtunnel/pkg/result"
)

// WriteSeries writes what one draws of series.
func WriteSeries(name string, s *result.Series) error {
	return WriteWhole(name, func(w io.Writer) error {
		out := json.NewEncoder(w)
		return out.Encode(s.Lines())
	})
}
