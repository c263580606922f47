// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/promote"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// promoteOptions are the flags of sweep about promotion.
type promoteOptions struct {
	// file is where the EPP configuration is written; - is standard output, "" is nowhere.
	file string
	// scalers are the values of --promote-scaler, and manifests what they say.
	scalers   []string
	manifests []scalerFile
	// anyway promotes though gates do not pass.
	anyway bool
	stdout io.Writer
	stderr io.Writer
}

func (o *promoteOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.file, "promote", "", "file to write the EPP configuration of the best point to, or the bundle if a parameter evolves, - for standard output; fails if gates do not pass, unless spec.promote.when is Complete")
	o.registerScalers(f)
}

// registerScalers defines the flags but that of the EPP configuration.
func (o *promoteOptions) registerScalers(f *pflag.FlagSet) {
	f.StringArrayVar(&o.scalers, "promote-scaler", nil, "`NAME=FILE`: file to write the HorizontalPodAutoscaler or ScaledObject of scaler NAME at the best point to, under the same conditions; NAME.workloadVariantAutoscaler is its ConfigMap of that name; all files are written or none; may be repeated")
	f.BoolVar(&o.anyway, "promote-anyway", false, "promote even if gates do not pass")
}

// wanted reports whether anything is to be written.
func (o *promoteOptions) wanted() bool { return o.file != "" || len(o.scalers) > 0 }

// existingFile reads a file that is to be replaced; false where there is no file with a
// content that may be lost.
func existingFile(name string) (content []byte, there bool, err error) {
	if at, err := os.Stat(name); name == "" || name == "-" || err != nil || !at.Mode().IsRegular() || at.Size() == 0 {
		return nil, false, nil //nolint:nilerr // what is not there cannot be lost
	}
	content, err = os.ReadFile(name)
	return content, true, err
}

// checkForm refuses to replace a file that holds something else than what the sweep
// writes, such as Helm values by a bare configuration.
func (o *promoteOptions) checkForm(sweep local.Sweep) error {
	file, there, err := existingFile(o.file)
	if err != nil {
		return cli.BadInput(fmt.Errorf("--promote: %w", err))
	}
	if !there {
		return nil
	}
	if sweep.Plan.Evolving() != nil {
		return o.checkBundle(file)
	}
	have := promote.Form(file)
	for _, form := range advice.PromotedForms(sweep.Plan, promotionFormat(sweep)) {
		if form != have {
			return cli.BadInput(fmt.Errorf(
				"--promote: %s holds %s, and the sweep would replace the file by %s: to edit the file, name the file as endpointPickerConfig.file in the scenario in place of the present configuration, without spec.promote.format; or name a new file",
				o.file, have, form))
		}
	}
	return nil
}

// checkBundle refuses to replace a file by a bundle that holds something else.
func (o *promoteOptions) checkBundle(file []byte) error {
	if _, errs := bundle.Read(file, nil); len(errs) > 0 {
		return cli.BadInput(fmt.Errorf("--promote: %s holds no PolicyBundle, and the sweep would replace the file by one: name a new file", o.file))
	}
	return nil
}

// promotionFormat is the form in which the sweep promotes.
func promotionFormat(s local.Sweep) v1alpha1.PromotionFormat {
	if p := s.Spec.Promote; p != nil {
		return p.Format
	}
	return v1alpha1.SourceFormat
}

// promote writes the best point's configuration and manifests. open says which gate does
// not pass, if one does not.
func (o *promoteOptions) promote(sweep local.Sweep, st *study.Study, open error) error {
	if !o.wanted() {
		return nil
	}
	whatever := o.anyway
	if p := sweep.Spec.Promote; p != nil {
		whatever = whatever || p.When == v1alpha1.PromoteWhenComplete
	}
	// The error with which the verb ends says why.
	var not cli.GatesNotPassed
	switch {
	case open == nil || o.anyway:
	case errors.As(open, &not) && not.Verdict.Reason == verdict.BaselineIsBest:
		return o.keepBaseline()
	case !whatever:
		fmt.Fprintln(o.stderr, "windtunnel: no file written because not all gates pass; --promote-anyway writes it")
		return nil
	}
	p, err := o.prepare(sweep, st)
	switch {
	case errors.Is(err, promote.ErrNotPossible), errors.Is(err, advice.ErrNothingToPromote):
		return cli.BadInput(err)
	case err != nil:
		return err
	case !o.anyway && sweep.Spec.Proposal == nil && p.point == st.BaselinePoint() && !p.changes():
		return o.keepBaseline()
	}
	return o.write(p, cmp.Or(st.Points()[p.point].String(), result.OnlyPoint))
}

// A rollOut is what is to be written of a point.
type rollOut struct {
	point int
	// picker is the EPP configuration; nil where no flag asks for one.
	picker *advice.Promotion
	// bundle is the policy that evolved; nil where none did, or no flag asks for it.
	bundle    *advice.PromotedBundle
	manifests []*advice.PromotedManifest
	// elsewhere are the values of the point that no file gets.
	elsewhere []advice.Setting
}

// changes reports whether a file differs from the text that was given.
func (r *rollOut) changes() bool {
	return r.bundle != nil && len(r.bundle.Line) > 1 || r.picker != nil && r.picker.Diff != "" ||
		slices.ContainsFunc(r.manifests, func(m *advice.PromotedManifest) bool { return m.Diff != "" })
}

// prepare makes the texts that the flags ask for.
func (o *promoteOptions) prepare(sweep local.Sweep, st *study.Study) (*rollOut, error) {
	manifests, err := advice.PromoteManifests(st, o.scalerNames())
	if err != nil {
		return nil, err
	}
	r := &rollOut{manifests: manifests}
	if o.file == "" {
		r.point = manifests[0].Point
		r.elsewhere = advice.WithoutManifests(advice.Settings(st, r.point), manifests)
		return r, nil
	}
	if sweep.Plan.Evolving() != nil {
		if r.bundle, err = advice.PromoteBundle(st); err != nil {
			return nil, err
		}
		r.point, r.elsewhere = r.bundle.Point, advice.WithoutManifests(r.bundle.Elsewhere, manifests)
		return r, nil
	}
	if r.picker, err = advice.Promote(st, promotionFormat(sweep)); err != nil {
		return nil, err
	}
	r.point = r.picker.Point
	r.elsewhere = advice.WithoutManifests(r.picker.Elsewhere, manifests)
	return r, nil
}

// keepBaseline says that no file is written, and why.
func (o *promoteOptions) keepBaseline() error {
	fmt.Fprintln(o.stderr, "windtunnel: no file written: the baseline ranks first, so keep your configuration; --promote-anyway writes the baseline's file")
	return nil
}

// write writes the texts of a point and says where to, and what else to set.
func (o *promoteOptions) write(r *rollOut, point string) error {
	if p := r.picker; p != nil && p.Model != "" {
		fmt.Fprintf(o.stderr, "windtunnel: the EPP configuration is that of the router of %s\n", p.Model)
	}
	outside, main, words := "the EPP configuration", "", "the EPP configuration of"
	switch {
	case r.bundle != nil:
		outside, main, words = "the bundle", r.bundle.Text, "the bundle of"
	case r.picker != nil:
		main = r.picker.Text
	}
	if len(r.manifests) > 0 {
		outside = "the written files"
	}
	for _, s := range r.elsewhere {
		fmt.Fprintf(o.stderr, "windtunnel: set this outside of %s: %s = %s\n", outside, s.Path, s.Value)
	}
	var files []cli.FileContent
	var titles []string
	if main != "" && o.file != "-" {
		files, titles = append(files, cli.FileContent{Name: o.file, Content: main}), append(titles, words)
	}
	for i, m := range r.manifests {
		files, titles = append(files, cli.FileContent{Name: o.manifests[i].file, Content: m.Text}), append(titles, m.Title()+" at")
	}
	if err := cli.WriteTogether(files); err != nil {
		return cli.BadInput(fmt.Errorf("no file written: %w", err))
	}
	for i, f := range files {
		fmt.Fprintf(o.stderr, "windtunnel: %s has %s %s\n", f.Name, titles[i], point)
	}
	if o.file == "-" {
		_, err := io.WriteString(cli.FileOutput(o.stdout), main)
		return err
	}
	return nil
}
