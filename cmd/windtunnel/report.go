// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

// Formats of reports.
const (
	outputHTML     outputFormat = "html"
	outputMarkdown outputFormat = "markdown"
)

// reportOptions are the flags of report.
type reportOptions struct {
	namespace, name string
	output          outputFormat
	// most is the greatest number of characters; 0 is no limit.
	most int
}

func newReportCommand() *cobra.Command {
	o := reportOptions{output: outputHTML}
	cmd := &cobra.Command{
		Use:   "report FILE | NAME",
		Short: "Write the report of a PolicySweep as one page, from a file or a cluster",
		Long: `Write the report of a PolicySweep: whether the best candidate may ship and why, what
would change, what is expected, all candidates, and what the figures rest on. The page is
one HTML file with charts, which asks the network for nothing.

FILE is the output of sweep -o json. NAME is a PolicySweep in the cluster of the
kubeconfig; policysweep/NAME is the same. The command simulates nothing.

A file has the figures and not the scenario, so its report has neither changed lines
nor assumptions. sweep --report FILE.html writes them.

The exit code is 0 for each report, whatever the verdict.`,
		Example: `  windtunnel report my-sweep -n experiments > report.html
  windtunnel report my-sweep -o markdown
  windtunnel sweep -f sweep.yaml -o json > sweep.json; windtunnel report sweep.json > report.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	formats := choice{&o.output, []outputFormat{outputHTML, outputMarkdown, outputJSON}}
	f := cmd.Flags()
	f.VarP(formats, "output", "o", formats.words()+"; json is the numbers of the page")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object (default the kubeconfig's)")
	f.IntVar(&o.most, "max-characters", 0, "with -o markdown, leave out the longest sections until the report has so many characters, and say which; 0 is no limit, and a comment on GitHub may have 65536")
	f.StringVar(&o.name, "name", "", "report on the object of this name, from a file with several")
	return cmd
}

func (o *reportOptions) run(ctx context.Context, of string, stdout io.Writer) error {
	if err := checkLimit("--max-characters", o.most, o.output); err != nil {
		return err
	}
	p, err := o.read(ctx, of)
	if err != nil {
		return err
	}
	text, err := o.output.fitted(p, o.most)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, text)
	return err
}

// checkLimit checks the greatest number of characters that a flag gives a report.
func checkLimit(flag string, most int, output outputFormat) error {
	switch {
	case most < 0:
		return badInputError{fmt.Errorf("%s must not be negative", flag)}
	case most > 0 && output != outputMarkdown:
		return badInputError{fmt.Errorf("%s needs a report in Markdown", flag)}
	}
	return nil
}

// fitted is a report in a format with so many characters at most; 0 is no limit.
func (f outputFormat) fitted(p *page.Sweep, most int) (string, error) {
	var text bytes.Buffer
	if err := f.writeReport(&text, p); err != nil || most == 0 {
		return text.String(), err
	}
	short, err := report.Fit(text.String(), most)
	return short, toBadInput(err)
}

// writeReport writes a report in a format.
func (f outputFormat) writeReport(w io.Writer, p *page.Sweep) error {
	switch f {
	case outputHTML:
		return p.Write(w)
	case outputJSON:
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(page.NewSweepData(p.Report))
	default:
		return p.Report.Write(w)
	}
}

// read returns the report of a file if there is one of that name, else that of an object.
func (o *reportOptions) read(ctx context.Context, of string) (*page.Sweep, error) {
	if _, err := os.Stat(of); err == nil {
		return o.readFile(of)
	}
	if strings.ContainsAny(of, ".") {
		return nil, badInputError{fmt.Errorf("there is no file %s", of)}
	}
	kind, name, err := objectOf(of)
	switch {
	case err != nil:
		return nil, err
	case kind == kindRun:
		return nil, badInputError{errors.New("report writes reports of PolicySweeps; windtunnel results prints the rows of a SimulationRun")}
	}
	reader, namespace, err := clusterReader()
	if err != nil {
		return nil, err
	}
	if o.namespace != "" {
		namespace = o.namespace
	}
	return o.clusterReport(ctx, reader, client.ObjectKey{Namespace: namespace, Name: name})
}

// clusterReport is the report of a sweep on a cluster: its rows take the place of simulations.
func (o *reportOptions) clusterReport(ctx context.Context, reader client.Reader, key client.ObjectKey) (*page.Sweep, error) {
	var sweep v1alpha1.PolicySweep
	if err := reader.Get(ctx, key, &sweep); err != nil {
		return nil, archive.NotFound(err, kindSweep, key.Namespace, key.Name)
	}
	label := fmt.Sprintf("PolicySweep %s/%s", key.Namespace, key.Name)
	set := &resultSet{}
	if err := set.read(ctx, reader, kindSweep, &sweep, sweep.Status.Results); err != nil {
		return nil, err
	}
	st, err := archive.Study(ctx, &sweep, archive.ClusterInputs{Reader: reader, Namespace: sweep.Namespace}, set.rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	r, err := reportOf(st, label, o.output)
	if err != nil {
		return nil, badInputError{fmt.Errorf("%s: %w", label, err)}
	}
	return &page.Sweep{Report: r, Facts: archive.PlanFacts(st.Plan)}, nil
}

// readFile reads the output of sweep -o json.
func (o *reportOptions) readFile(name string) (*page.Sweep, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, badInputError{err}
	}
	objects, err := archive.ReadPrinted(raw)
	if err != nil {
		return nil, badInputError{fmt.Errorf("%s is not the output of sweep -o json", name)}
	}
	p, err := o.choose(objects)
	if err != nil {
		return nil, badInputError{fmt.Errorf("%s: %w", name, err)}
	}
	s, err := p.Report()
	if err != nil {
		return nil, badInputError{fmt.Errorf("%s: %w", name, err)}
	}
	return s, nil
}

// choose returns the object that --name names, or the only one.
func (o *reportOptions) choose(objects []archive.Printed) (*archive.Printed, error) {
	if o.name == "" && len(objects) > 1 {
		return nil, fmt.Errorf("the file has %d objects: select one with --name", len(objects))
	}
	at := slices.IndexFunc(objects, func(p archive.Printed) bool { return o.name == "" || p.Metadata.Name == o.name })
	if at < 0 {
		return nil, fmt.Errorf("the file has no object %q", o.name)
	}
	return &objects[at], nil
}
