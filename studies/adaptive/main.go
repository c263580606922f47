// SPDX-License-Identifier: Apache-2.0

// Adaptive runs the experiments on weights that a law changes in the run: the published
// figures with fixed weights, six configurations at four rates, and five hypotheses with
// their stated rules. It writes docs/studies/adaptive.md with a chart.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "adaptive: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("adaptive", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("o", "../docs/studies/adaptive.md", "the page, a `file`; the chart goes beside it, with the ending svg")
	folder := flags.String("samples", "../config/samples", "the `folder` of the samples")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	s, err := readSamples(*folder)
	if err != nil {
		return err
	}
	f, err := find(context.Background(), s, fullScale(), stderr)
	if err != nil {
		return err
	}
	return f.write(*page)
}
