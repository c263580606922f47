// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/promote"
)

// promoteOptions are the flags of sweep about promotion.
type promoteOptions struct {
	// file is what is written; - is standard output, "" is nothing.
	file string
	// anyway promotes though gates do not pass.
	anyway bool
	stdout io.Writer
}

func (o *promoteOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.file, "promote", "", "file to write the EPP configuration of the best point to, - for standard output; fails if gates do not pass, unless spec.promote.when is Complete")
	f.BoolVar(&o.anyway, "promote-anyway", false, "promote even if gates do not pass")
}

func (o *promoteOptions) check() error {
	if o.anyway && o.file == "" {
		return badInputError{errors.New("--promote-anyway needs --promote FILE")}
	}
	return nil
}

// promote writes the best point's configuration. open says which gate does not
// pass, if one does not.
func (o *promoteOptions) promote(sweep compiledSweep, st *study.Study, open error) error {
	if o.file == "" {
		return nil
	}
	format, whatever := v1alpha1.SourceFormat, o.anyway
	if p := sweep.Spec.Promote; p != nil {
		format, whatever = p.Format, whatever || p.When == v1alpha1.PromoteWhenComplete
	}
	// The error with which the verb ends says why.
	var not gatesNotPassed
	switch {
	case open == nil || o.anyway:
	case errors.As(open, &not) && not.verdict.KeepBaseline:
		fmt.Fprintln(os.Stderr, "windtunnel: no file written: the baseline is best, so keep your configuration; --promote-anyway writes the baseline's file")
		return nil
	case !whatever:
		fmt.Fprintln(os.Stderr, "windtunnel: no file written because not all gates pass; --promote-anyway writes it")
		return nil
	}
	p, err := advice.Promote(st, format)
	switch {
	case errors.Is(err, promote.ErrNotPossible), errors.Is(err, advice.ErrNothingToPromote):
		return badInputError{err}
	case err != nil:
		return err
	}
	if p.Model != "" {
		fmt.Fprintf(os.Stderr, "windtunnel: the EPP configuration is that of the router of %s\n", p.Model)
	}
	for _, s := range p.Elsewhere {
		fmt.Fprintf(os.Stderr, "windtunnel: set this outside of the EPP configuration: %s = %s\n", s.Path, s.Value)
	}
	if o.file == "-" {
		_, err = io.WriteString(o.stdout, p.Text)
		return err
	}
	return toBadInput(os.WriteFile(o.file, []byte(p.Text), 0o644))
}

// writeSweepReport writes the report of a sweep.
func (o *sweepOptions) writeSweepReport(sweep compiledSweep, st *study.Study) error {
	promoted, err := advice.Promote(st, v1alpha1.DocumentFormat)
	if err != nil {
		promoted = nil // --promote says why; a report can do without.
	}
	report, ok, err := advice.NewReport(st, sweep.label(), promoted)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("no point has all of its results")
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil {
		return err
	}
	return toBadInput(os.WriteFile(o.report, text.Bytes(), 0o644))
}
