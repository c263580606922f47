// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Sample is the state of one controller and what tells it from others.
type Sample struct {
	// Labels are written in this order; there may be none.
	Labels []Label
	State  State
}

// A Label is the name and the value of a Prometheus label.
type Label struct{ Name, Value string }

// metrics are the seven, in order. Of an insufficient state only those that are
// always known have a value.
var metrics = []struct {
	name, help string
	always     bool
	value      func(*State) float64
}{
	{"queueing_lambda", "Current arrival rate (req/sec)", true, func(s *State) float64 { return s.ArrivalsPerSecond }},
	{"queueing_mu", "Current service rate (req/sec)", false, func(s *State) float64 { return s.ServedPerSecond }},
	{"queueing_rho", "Utilization (dimensionless, unstable from 1 on)", false, func(s *State) float64 { return s.Utilization }},
	{"queueing_is_stable", "1 if stable, 0 otherwise", false, func(s *State) float64 { return oneIf(s.IsStable) }},
	{"queueing_lambda_critical", "Critical arrival rate threshold (req/sec)", false, func(s *State) float64 { return s.CriticalArrivalsPerSecond }},
	{"queueing_minimum_stable_blocks", "Minimum stable blocks for this arrival rate, margin included (blocks)", false, func(s *State) float64 { return float64(s.MinimumStableBlocks) }},
	{"queueing_stability_margin_pct", "(1 - rho) * 100 (%)", false, func(s *State) float64 { return s.StabilityMarginPercent }},
}

// WriteMetrics writes the seven metrics of states in the text format of
// Prometheus. Of an insufficient state only the arrival rate has a value, and
// the other metrics have no sample.
func WriteMetrics(w io.Writer, samples ...Sample) error {
	var text strings.Builder
	for _, m := range metrics {
		fmt.Fprintf(&text, "# HELP %s %s\n# TYPE %s gauge\n", m.name, m.help, m.name)
		for i := range samples {
			if s := &samples[i]; m.always || !s.State.Insufficient {
				fmt.Fprintf(&text, "%s%s %s\n", m.name, labels(s.Labels), strconv.FormatFloat(m.value(&s.State), 'g', -1, 64))
			}
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// escape is what the format demands of the values of labels.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labels writes labels in braces; nothing without labels.
func labels(all []Label) string {
	var texts []string
	for _, l := range all {
		texts = append(texts, fmt.Sprintf(`%s="%s"`, l.Name, escape.Replace(l.Value)))
	}
	if len(texts) == 0 {
		return ""
	}
	return "{" + strings.Join(texts, ",") + "}"
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
