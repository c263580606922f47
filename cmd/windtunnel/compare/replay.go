// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// replayedLog is a log of real requests, which both sides replay.
type replayedLog struct {
	name, path string
	format     trace.Format
	outcomes   *trace.Outcomes
}

// Replay says how far the simulation of A is from what a log measured, and B from A.
type Replay struct {
	Log string `json:"log"`
	// Requests are those of the log, Failed those that were answered with an error, and Unreplayed those of them of
	// which the log does not say enough to send them again.
	Requests   int            `json:"requests"`
	Failed     int            `json:"failed"`
	Unreplayed int            `json:"unreplayed"`
	Metrics    []ReplayMetric `json:"metrics"`
}

// ReplayMetric is a metric of a log and of the means over the seeds of both sides.
type ReplayMetric struct {
	Metric string  `json:"metric"`
	Log    float64 `json:"log"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	// Error is (A − Log) ÷ Log, and Change (B − A) ÷ A; absent where the divisor is 0.
	Error  *float64 `json:"error,omitempty"`
	Change *float64 `json:"change,omitempty"`
	// Beyond says that B differs from A, with the confidence of results, by more than A from the log.
	Beyond bool `json:"beyondError"`
}

// readLog reads the log of --log; nil without one.
func (o *compareOptions) readLog() (*replayedLog, error) {
	if o.log == "" {
		return nil, nil
	}
	l := &replayedLog{name: o.log}
	err := o.opened(func(in io.Reader) (err error) {
		l.format, _, err = trace.RecogniseFormat(in, o.log)
		return err
	})
	if err == nil {
		err = o.opened(func(in io.Reader) (err error) {
			l.outcomes, err = trace.ReadOutcomes(l.format, trace.Options{ZeroOutput: trace.PrefillOnly}, in, o.log)
			return err
		})
	}
	if err == nil {
		l.path, err = filepath.Abs(o.log)
	}
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--log: %w", err))
	}
	return l, nil
}

// opened calls a function with the log.
func (o *compareOptions) opened(read func(io.Reader) error) error {
	in, err := trace.OpenPath(o.log)
	if err != nil {
		return err
	}
	return errors.Join(read(in), in.Close())
}

// replayIn has a run replay the log in place of its own traffic. SLOs of classes hold for no request of a log that has
// no classes.
func (l *replayedLog) replayIn(run *v1alpha1.SimulationRun) {
	s := &run.Spec.Scenario
	s.Workload.Clients, s.Workload.Traces = nil, nil
	s.Workload.Trace = &v1alpha1.Trace{
		Format: v1alpha1.TraceFormat(l.format), File: &l.path, ZeroOutput: v1alpha1.ZeroOutputAction(trace.PrefillOnly),
		RateScale: "1", Arrivals: v1alpha1.ArrivalsAsRecorded,
	}
	if len(s.Routers) == 0 && len(s.Pools) > 0 {
		s.Workload.Trace.Model = s.Pools[0].Model // a gateway's name for it is another one
	}
	if !l.format.NamesTenants() {
		s.SLOs = slices.DeleteFunc(slices.Clone(s.SLOs), func(o v1alpha1.SLO) bool { return o.Class != workload.DefaultLabel })
	}
	s.Horizon.Duration, s.Horizon.Warmup, s.Horizon.WarmupRule = "", "", ""
	s.Horizon.Requests = new(int64(l.outcomes.Requests))
}

// contrast holds the rows of both sides against the log.
func (l *replayedLog) contrast(sides [2]*side) *Replay {
	r := &Replay{Log: l.name, Requests: l.outcomes.Requests, Failed: l.outcomes.Failed, Unreplayed: l.outcomes.Unreplayed}
	a, b := sideOfRows("A", sides[0].rows).values, sideOfRows("B", sides[1].rows).values
	measured := l.metrics()
	for _, m := range result.RegisteredMetrics() {
		name := m.String()
		value, known := measured[name]
		if !known || len(a[name]) == 0 || len(b[name]) != len(a[name]) {
			continue
		}
		of := ReplayMetric{Metric: name, Log: value, A: mean(a[name]), B: mean(b[name])}
		of.Error, of.Change = relative(of.A, of.Log), relative(of.B, of.A)
		difference := stats.PairedDifference(b[name], a[name], result.Confidence)
		of.Beyond = difference.N > 1 && max(difference.Low, -difference.High) > math.Abs(of.A-of.Log)
		r.Metrics = append(r.Metrics, of)
	}
	return r
}

func mean(values []float64) float64 { return stats.MeanInterval(values, result.Confidence).Mean }

// relative is (to − from) ÷ from; nil where from is 0.
func relative(to, from float64) *float64 {
	if from == 0 {
		return nil
	}
	return new((to - from) / math.Abs(from))
}

// metrics are those that the log measured, in the units of the registry.
func (l *replayedLog) metrics() map[string]float64 {
	all := map[string]float64{}
	if hit := l.outcomes.CacheHit; hit != nil {
		all["cacheHit.gpu"] = *hit
	}
	for name, values := range map[string][]time.Duration{"ttft": l.outcomes.TTFT, "tpot": l.outcomes.TPOT, "e2e": l.outcomes.E2E} {
		if len(values) == 0 {
			continue
		}
		ascending, sum := slices.Sorted(slices.Values(values)), 0.0
		for _, v := range ascending {
			sum += v.Seconds()
		}
		all[name+".mean"] = sum / float64(len(values))
		for _, p := range []int{50, 90, 95, 99} {
			all[name+".p"+strconv.Itoa(p)] = ascending[(len(ascending)*p+99)/100-1].Seconds()
		}
	}
	return all
}

// table prints the comparison for people.
func (r *Replay) table(w io.Writer) error {
	fmt.Fprintf(w, "Both replay %s: %d requests, of which %d failed", r.Log, r.Requests, r.Failed)
	if r.Unreplayed > 0 {
		fmt.Fprintf(w, "; %d of those have no numbers of tokens and are not sent again", r.Unreplayed)
	}
	fmt.Fprint(w, ".\n\n")
	rows := []string{"metric\tlog\tA\tA against log\tB\tB against A\tbeyond the error"}
	for i := range r.Metrics {
		rows = append(rows, r.Metrics[i].row())
	}
	if err := writeRows(w, rows); err != nil {
		return err
	}
	fmt.Fprint(w, `
A against log is the error of the simulation on what was measured. beyond the error: B
differs from A by more than that, with 95 % confidence for each row alone. Where it does
not, the log supports no claim about B.

`)
	return nil
}

func (m *ReplayMetric) row() string {
	name, text := shown(m.Metric, min(m.Log, m.A), m.B)
	return strings.Join([]string{name, text(m.Log), text(m.A), percent(m.Error), text(m.B), percent(m.Change), yesOrNo(&m.Beyond)}, "\t")
}
