// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
)

// A Result is what one benchmark of one engine measured.
type Result struct {
	// Part says which one of its file it is; empty where a file has one.
	Part string
	// Load is what the engine got. Its lengths are there where Requests are not.
	Load calibrate.Load
	// Requests are in the order in which they were sent, where single ones were measured.
	Requests []calibrate.Request
	// Figures are NaN where they were not measured.
	Figures calibrate.Figures
	// Model, TensorParallelism and EngineVersion are as the file says; zero where it does
	// not.
	Model             string
	TensorParallelism int
	EngineVersion     string
	// Unpaced is the fault of a file that does not say when requests were sent.
	Unpaced *field.Error
	// Notes say in words for the user what a replay takes differently.
	Notes []string
}

// Run returns the run of the result on an engine.
func (r *Result) Run(name string, e calibrate.Engine) *calibrate.Run {
	if r.Part != "" {
		name += ", " + r.Part
	}
	if r.Requests == nil {
		l := r.Load
		l.BlockTokens = e.BlockTokens
		return calibrate.NewReportedRun(name, e, l, r.Figures)
	}
	run := calibrate.NewRun(name, e, r.Requests)
	run.Concurrency = r.Load.Concurrency
	return run
}

// Pace says how requests were sent where the file does not: a rate per second, or a number
// at once. One of both is 0.
func (r *Result) Pace(rate float64, concurrency int) {
	r.Load.Rate, r.Load.Concurrency = rate, concurrency
	r.Unpaced = nil
}

// note says what a replay takes differently.
func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// drawn says that single requests are not known.
func (r *Result) drawn() {
	r.note("the file has no single requests with their times: lengths and arrivals are drawn, each by itself")
}

// failed says that requests without an answer are left out.
func (r *Result) failed(failures, all float64) {
	if failures > 0 {
		r.note("%.0f of %.0f requests failed: they are left out, so that the replay has less load than the engine had", failures, all)
	}
}

// unmeasured are figures of which none is known yet.
func unmeasured() calibrate.Figures {
	var f calibrate.Figures
	for m := range f {
		for s := range f[m] {
			f[m][s] = math.NaN()
		}
	}
	return f
}

// measured reports whether a mean was measured, without which there is nothing to fit.
func measured(f calibrate.Figures) bool {
	for m := range f {
		if !math.IsNaN(f[m][calibrate.Mean]) {
			return true
		}
	}
	return false
}
