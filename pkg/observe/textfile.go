// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Exported is a metric that observations export.
type Exported struct {
	Name, Help string
	Labels     []string
}

// The exported metrics.
var (
	errorRatio = Exported{"windtunnel_prediction_error_ratio", "Measured value in the last hour, divided by the predicted one, less 1.", []string{"run", "metric", "quantile"}}
	drift      = Exported{"windtunnel_prediction_drift", "1 where the cluster is not as predicted, else 0.", []string{"run"}}
	inside     = Exported{"windtunnel_prediction_inside_ratio", "Share of the measured values that lie in the interval of the prediction.", []string{"run"}}
	explained  = Exported{"windtunnel_prediction_explained_ratio", "Share of the error that goes away if this assumption is as measured.", []string{"run", "assumption"}}
	observedAt = Exported{"windtunnel_prediction_observed_timestamp_seconds", "End of the time that was observed, in seconds since 1970.", []string{"run"}}
)

// The metrics that looks export in addition.
var (
	forecastInside = Exported{"windtunnel_forecast_inside_ratio", "Share of the figures of the window that lie where they were forecast. Of observe --follow.", []string{"run"}}
	forecastMean   = Exported{"windtunnel_forecast", "Value that is forecast of the next window. Of observe --follow.", []string{"run", "metric", "quantile", "of"}}
	proposedChange = Exported{"windtunnel_proposal_change_ratio", "Change by the proposal in the next window, as a share of the value without it. Of observe --follow.", []string{"run", "metric", "quantile"}}
)

// Exports lists them.
func Exports() []Exported {
	return []Exported{errorRatio, drift, inside, explained, observedAt, forecastInside, forecastMean, proposedChange}
}

// WriteMetrics writes a look in the text format of Prometheus.
func (l *Look) WriteMetrics(w io.Writer) error {
	if err := l.Report.WriteMetrics(w); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	if l.Held != nil && l.Held.Figures > 0 {
		forecastInside.head(out)
		forecastInside.sample(out, float64(l.Held.Inside)/float64(l.Held.Figures), l.Report.Run)
	}
	forecastMean.head(out)
	for _, figure := range l.Forecast.Figures {
		forecastMean.sample(out, figure.Mean, l.Report.Run, figure.Metric, quantileLabel(figure.Quantile), "present")
	}
	if l.Proposed != nil {
		for _, figure := range l.Proposed.Figures {
			forecastMean.sample(out, figure.Mean, l.Report.Run, figure.Metric, quantileLabel(figure.Quantile), "proposal")
		}
		proposedChange.head(out)
		for _, c := range l.Proposed.Change {
			proposedChange.sample(out, c.Mean, l.Report.Run, c.Metric, quantileLabel(c.Quantile))
		}
	}
	return out.Flush()
}

// quantileLabel is the label of a quantile; empty for 0, which is none.
func quantileLabel(quantile float64) string {
	if quantile == 0 {
		return ""
	}
	return strconv.FormatFloat(quantile, 'g', -1, 64)
}

// WriteMetrics writes a report in the text format of Prometheus, for the textfile collector of the
// node exporter.
func (r *Report) WriteMetrics(w io.Writer) error {
	out := bufio.NewWriter(w)
	errorRatio.head(out)
	for _, c := range r.last() {
		errorRatio.sample(out, *c.Error, r.Run, c.Metric, quantileLabel(c.Quantile))
	}
	drift.head(out)
	drift.sample(out, map[bool]float64{true: 1}[r.Drift], r.Run)
	inside.head(out)
	inside.sample(out, 1-float64(r.Outside)/float64(len(r.Checks)), r.Run)
	if r.Causes != nil {
		explained.head(out)
		for _, c := range r.Causes.Causes {
			explained.sample(out, c.Explained, r.Run, c.Assumption)
		}
	}
	observedAt.head(out)
	observedAt.sample(out, float64(r.To.Unix()), r.Run)
	return out.Flush()
}

// last are the checks of the last hour that each measure has, of those with an error.
func (r *Report) last() []*Check {
	var names []string
	last := map[string]*Check{}
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Error == nil {
			continue
		}
		if last[c.name] == nil {
			names = append(names, c.name)
		}
		last[c.name] = c // hours are in order
	}
	var checks []*Check
	for _, name := range names {
		checks = append(checks, last[name])
	}
	return checks
}

func (e *Exported) head(w io.Writer) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n", e.Name, e.Help, e.Name)
}

// sample writes a sample. An empty label is none.
func (e *Exported) sample(w io.Writer, value float64, values ...string) {
	var labels []string
	for i, v := range values {
		if v != "" {
			labels = append(labels, fmt.Sprintf(`%s="%s"`, e.Labels[i], escaper.Replace(v)))
		}
	}
	fmt.Fprintf(w, "%s{%s} %s\n", e.Name, strings.Join(labels, ","), strconv.FormatFloat(value, 'g', -1, 64))
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
