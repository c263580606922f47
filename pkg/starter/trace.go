// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/fit"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/inspect"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// mostReplayed bounds the requests of a first simulation.
const mostReplayed = 10_000

// Replay is the traffic that replays a trace. spec is the trace as the scenario names it.
func Replay(spec v1alpha1.Trace, recorded *trace.Trace) (Traffic, error) {
	in, err := inspect.Trace(recorded)
	if err != nil {
		return Traffic{}, err
	}
	s, err := recorded.Statistics()
	if err != nil {
		return Traffic{}, err
	}
	how := fit.Arrivals(s)
	if how == trace.Spread {
		spec.Arrivals = v1alpha1.ArrivalsSpread
	}
	classes, err := classesOf(recorded, how)
	if err != nil {
		return Traffic{}, err
	}
	t := Traffic{Requests: int64(min(s.Requests, mostReplayed)), Workload: v1alpha1.Workload{Trace: &spec}, Classes: classes}
	t.Notes = append(t.Notes, fmt.Sprintf("The trace has %d requests in %s, %.3g a second: prompts of %d tokens in the mean (p99 %d), answers of %d (p99 %d).",
		s.Requests, s.Span.Round(time.Second), s.RatePerSecond, int(s.Input.Mean), s.Input.P99, int(s.Output.Mean), s.Output.P99))
	if s.Requests > mostReplayed {
		t.Notes = append(t.Notes, fmt.Sprintf("The simulation ends after %d of them: raise horizon.requests.", mostReplayed))
	}
	for _, f := range in.Findings {
		t.Notes = append(t.Notes, "Odd about it: "+f.Message+".")
	}
	t.Notes = append(t.Notes, "A cluster reads the trace from a ConfigMap or a volume in place of a file: windtunnel trace configmap makes one.")
	return t, nil
}

// classesOf are the classes of a trace's requests.
func classesOf(recorded *trace.Trace, how trace.Arrivals) ([]string, error) {
	replay := recorded.Replay(trace.Replay{RateScale: 1, Arrivals: how}, 1)
	return replay.Labels().Classes, workload.Close(workload.AnsweredAtOnce(replay))
}

// Imitate is the traffic of clients that imitate a trace.
func Imitate(fitted *fit.Traffic) Traffic {
	classes := []string{"default"}
	return Traffic{Horizon: &fitted.Horizon, Workload: fitted.Workload, Classes: classes, Notes: fitted.Notes}
}
