// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteMetrics writes the seven metrics of a state in the text format of
// Prometheus. Of an insufficient state only the arrival rate has a value, and
// the other metrics have no samples.
func WriteMetrics(w io.Writer, s State) error {
	var text strings.Builder
	for _, m := range []struct {
		name, help string
		value      float64
		known      bool
	}{
		{"queueing_lambda", "Current arrival rate (req/sec)", s.ArrivalsPerSecond, true},
		{"queueing_mu", "Current service rate (req/sec)", s.ServedPerSecond, !s.Insufficient},
		{"queueing_rho", "Utilization (dimensionless, unstable from 1 on)", s.Utilization, !s.Insufficient},
		{"queueing_is_stable", "1 if stable, 0 otherwise", oneIf(s.IsStable), !s.Insufficient},
		{"queueing_lambda_critical", "Critical arrival rate threshold (req/sec)", s.CriticalArrivalsPerSecond, !s.Insufficient},
		{"queueing_minimum_stable_blocks", "Minimum stable blocks, the floor of INVARIANT-11 (blocks)", float64(s.MinimumStableBlocks), !s.Insufficient},
		{"queueing_stability_margin_pct", "(1 - rho) * 100 (%)", s.StabilityMarginPercent, !s.Insufficient},
	} {
		fmt.Fprintf(&text, "# HELP %s %s\n# TYPE %s gauge\n", m.name, m.help, m.name)
		if m.known {
			fmt.Fprintf(&text, "%s %s\n", m.name, strconv.FormatFloat(m.value, 'g', -1, 64))
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
