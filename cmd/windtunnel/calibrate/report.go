// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/calibrate/results"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// runReport names the result file of a run, and says what it does not.
type runReport struct {
	File string `json:"file"`
	// Before is an earlier scrape of metrics, Seconds the time since then.
	Before  string `json:"before"`
	Seconds string `json:"seconds"`
	// Arrivals are as the file says, or Poisson, where they are empty. Rate and Concurrency
	// say how requests were sent where the file does not.
	Arrivals    calibrate.Arrivals `json:"arrivals"`
	Rate        string             `json:"rate"`
	Concurrency int                `json:"concurrency"`
}

const (
	// maxDrawn bounds the requests that are replayed; a report may be of millions.
	maxDrawn = 5000
	// maxLoadSeconds bounds how long they take to come, and maxPrefixes each number of which
	// a report has beginnings of prompts.
	maxLoadSeconds = 1e7
	maxPrefixes    = 1 << 15
)

// validateReport returns the faults of a run with a report.
func (f *runFile) validateReport() field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("report")
	if f.Report.File == "" {
		errs = append(errs, field.Required(path.Child("file"), "a result file of a benchmark"))
	}
	if a := f.Report.Arrivals; a != "" && !slices.Contains(calibrate.AllArrivals(), a) {
		errs = append(errs, field.NotSupported(path.Child("arrivals"), a, calibrate.AllArrivals()))
	}
	for _, d := range []decimal{{"seconds", f.Report.Seconds}, {"rate", f.Report.Rate}} {
		if d.text != "" {
			errs = append(errs, d.check(path)...)
		}
	}
	errs = append(errs, atLeast(0, f.Report.Concurrency, "report", "concurrency")...)
	if f.Report.Rate != "" && f.Report.Concurrency > 0 {
		errs = append(errs, field.Forbidden(path.Child("rate"), "in a closed loop of report.concurrency the rate follows from the answers: set only one of the two"))
	}
	if f.Requests.File != "" {
		errs = append(errs, field.Forbidden(path, "the run has a log of requests: name only one of requests.file and report.file"))
	}
	if f.Blocks != nil {
		errs = append(errs, field.Forbidden(field.NewPath("blocks"), "a report has no single requests whose blocks these could be"))
	}
	if f.FitRequests != 0 {
		errs = append(errs, field.Forbidden(field.NewPath("fitRequests"), "a report has no figures of its first requests alone"))
	}
	return errs
}

// reported are the runs of a result file, with warnings about what the replays leave out.
func (f *runFile) reported(title, folder string, engine calibrate.Engine) ([]measuredRun, error) {
	name := resolvePath(folder, f.Report.File)
	all, err := f.results(name, folder)
	if err != nil {
		return nil, err
	}
	var runs []measuredRun
	said := map[string]bool{}
	for i := range all {
		r := &all[i]
		if errs := f.pace(r); len(errs) > 0 {
			return nil, fmt.Errorf("%s: %w", name, errs.ToAggregate())
		}
		if r.Requests == nil {
			if err := f.bound(r); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		run := r.Run(title, engine)
		var warnings []string
		for _, text := range slices.Concat(r.Notes, f.mismatches(r, engine.Model.Name)) {
			if !said[text] { // what holds for all results is said once
				warnings = append(warnings, text)
			}
			said[text] = true
		}
		for _, text := range run.Warnings() {
			warnings = append(warnings, strings.TrimPrefix(r.Part+": "+text, ": "))
		}
		runs = append(runs, measuredRun{run, warnings})
	}
	return runs, nil
}

// results reads the result file, whichever benchmark wrote it.
func (f *runFile) results(name, folder string) ([]results.Result, error) {
	raw, err := readResultFile(name)
	if err != nil {
		return nil, err
	}
	var all []results.Result
	var errs field.ErrorList
	switch {
	case f.Report.Before != "" || f.Report.Seconds != "":
		var before []byte
		if f.Report.Before != "" {
			if before, err = readResultFile(resolvePath(folder, f.Report.Before)); err != nil {
				return nil, err
			}
		}
		var one results.Result
		one, errs = results.ReadScrapes(before, raw, decimal{text: f.Report.Seconds}.float())
		all = []results.Result{one}
	case looksLikeReport(raw):
		var one results.Result
		one, errs = f.benchmarkReport(raw)
		all = []results.Result{one}
	default:
		all, errs = results.Read(raw, f.TensorParallelism)
	}
	if what, _ := input.AsResult(raw); len(errs) > 0 && what != "" && errs[0].Field == "file" {
		return nil, fmt.Errorf("%s %s, which windtunnel calibrate does not read:\n%s", name, what, cli.BulletList(errs))
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("%s holds no results that this command reads:\n%s", name, cli.BulletList(errs))
	}
	return all, nil
}

func readResultFile(name string) ([]byte, error) {
	at, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if at.Size() > results.MaxBytes {
		return nil, fmt.Errorf("%s has %d bytes; a result file has at most %d", name, at.Size(), results.MaxBytes)
	}
	return input.Read(name)
}

// pace takes from the run how requests were sent where the file does not say it.
func (f *runFile) pace(r *results.Result) field.ErrorList {
	rate, concurrency := decimal{text: f.Report.Rate}.float(), f.Report.Concurrency
	switch stated := f.Report.Rate != "" || concurrency > 0; {
	case r.Unpaced == nil && stated:
		path := field.NewPath("report")
		if concurrency > 0 {
			path = path.Child("concurrency")
		} else {
			path = path.Child("rate")
		}
		return field.ErrorList{field.Forbidden(path, "the file says how requests were sent: leave it out")}
	case r.Unpaced != nil && !stated:
		fault := *r.Unpaced
		fault.Detail += "; or set report.rate or report.concurrency"
		return field.ErrorList{&fault}
	case stated:
		r.Pace(rate, concurrency)
	}
	if f.Report.Arrivals != "" {
		r.Load.Arrivals = f.Report.Arrivals
	}
	return nil
}

// bound keeps a replay of drawn requests short.
func (f *runFile) bound(r *results.Result) error {
	l := &r.Load
	if l.Requests > maxDrawn {
		r.Notes = append(r.Notes, fmt.Sprintf("the file is of %d requests; the first %d are replayed", l.Requests, maxDrawn))
		l.Requests = maxDrawn
	}
	if l.Rate > 0 && float64(l.Requests)/l.Rate > maxLoadSeconds {
		return fmt.Errorf("at %g requests per second, the load takes longer than %d seconds", l.Rate, int(maxLoadSeconds))
	}
	l.Prefixes = min(l.Prefixes, maxPrefixes)
	if l.PrefixTokens > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("prompts share one of %d beginnings of %d tokens, each as often as the others", l.Prefixes, l.PrefixTokens))
	}
	return nil
}

// mismatches says where the file describes another engine than the run.
func (f *runFile) mismatches(r *results.Result, model string) []string {
	var all []string
	if tp := r.TensorParallelism; tp > 0 && tp != f.TensorParallelism {
		all = append(all, fmt.Sprintf("the report has tensor parallelism %d, and the run %d", tp, f.TensorParallelism))
	}
	known, _ := latency.Builtin().Model(r.Model)
	if r.Model != "" && known.Name != model && !strings.EqualFold(lastWord(r.Model), lastWord(f.Model)) {
		all = append(all, fmt.Sprintf("the report is of the model %s, and the run of %s", r.Model, f.Model))
	}
	if v := r.EngineVersion; v != "" && f.Engine.Version == "" {
		all = append(all, fmt.Sprintf("the report is of the engine version %s, and the run has no engine.version", v))
	}
	return all
}

// lastWord is a model's name without who published it.
func lastWord(model string) string { return model[strings.LastIndexByte(model, '/')+1:] }

// orNaN is a figure of a report; NaN where it has none.
func orNaN(value float64, has bool) float64 {
	if !has || value == 0 {
		return math.NaN()
	}
	return value
}
