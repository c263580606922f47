// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/promote"
	"windtunnel.dev/windtunnel/pkg/result"
)

// promoteOptions are the flags of sweep about promotion.
type promoteOptions struct {
	// file is what is written; - is standard output, "" is nothing.
	file string
	// anyway promotes though gates do not pass.
	anyway bool
	stdout io.Writer
	stderr io.Writer
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

// checkForm refuses to replace a file that holds something else than what the sweep
// writes, such as Helm values by a bare configuration.
func (o *promoteOptions) checkForm(sweep compiledSweep) error {
	if at, err := os.Stat(o.file); o.file == "" || o.file == "-" || err != nil || !at.Mode().IsRegular() || at.Size() == 0 {
		return nil
	}
	file, err := os.ReadFile(o.file)
	if err != nil {
		return badInputError{fmt.Errorf("--promote: %w", err)}
	}
	have := promote.Form(file)
	for _, form := range advice.PromotedForms(sweep.Plan, sweep.promotionFormat()) {
		if form != have {
			return badInputError{fmt.Errorf(
				"--promote: %s holds %s, and the sweep would replace the file by %s: to edit the file, name the file as endpointPickerConfig.file in the scenario in place of the present configuration, without spec.promote.format; or name a new file",
				o.file, have, form)}
		}
	}
	return nil
}

// promotionFormat is the form in which the sweep promotes.
func (s compiledSweep) promotionFormat() v1alpha1.PromotionFormat {
	if p := s.Spec.Promote; p != nil {
		return p.Format
	}
	return v1alpha1.SourceFormat
}

// promote writes the best point's configuration. open says which gate does not
// pass, if one does not.
func (o *promoteOptions) promote(sweep compiledSweep, st *study.Study, open error) error {
	if o.file == "" {
		return nil
	}
	whatever := o.anyway
	if p := sweep.Spec.Promote; p != nil {
		whatever = whatever || p.When == v1alpha1.PromoteWhenComplete
	}
	// The error with which the verb ends says why.
	var not gatesNotPassed
	switch {
	case open == nil || o.anyway:
	case errors.As(open, &not) && not.verdict.KeepBaseline:
		return o.keepBaseline()
	case !whatever:
		fmt.Fprintln(o.stderr, "windtunnel: no file written because not all gates pass; --promote-anyway writes it")
		return nil
	}
	p, err := advice.Promote(st, sweep.promotionFormat())
	switch {
	case errors.Is(err, promote.ErrNotPossible), errors.Is(err, advice.ErrNothingToPromote):
		return badInputError{err}
	case err != nil:
		return err
	case !o.anyway && sweep.Spec.Proposal == nil && p.Point == st.BaselinePoint() && p.Diff == "":
		return o.keepBaseline()
	}
	return o.write(p, cmp.Or(st.Points()[p.Point].String(), result.OnlyPoint))
}

// keepBaseline says that no file is written, and why.
func (o *promoteOptions) keepBaseline() error {
	fmt.Fprintln(o.stderr, "windtunnel: no file written: the baseline ranks first, so keep your configuration; --promote-anyway writes the baseline's file")
	return nil
}

// write writes the configuration of a point and says where to, and what else to set.
func (o *promoteOptions) write(p *advice.Promotion, point string) error {
	if p.Model != "" {
		fmt.Fprintf(o.stderr, "windtunnel: the EPP configuration is that of the router of %s\n", p.Model)
	}
	for _, s := range p.Elsewhere {
		fmt.Fprintf(o.stderr, "windtunnel: set this outside of the EPP configuration: %s = %s\n", s.Path, s.Value)
	}
	if o.file == "-" {
		_, err := io.WriteString(o.stdout, p.Text)
		return err
	}
	if err := os.WriteFile(o.file, []byte(p.Text), 0o644); err != nil {
		return badInputError{err}
	}
	fmt.Fprintf(o.stderr, "windtunnel: %s has the EPP configuration of %s\n", o.file, point)
	return nil
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
