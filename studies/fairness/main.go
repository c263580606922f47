// SPDX-License-Identifier: Apache-2.0

// Fairness measures which protections keep one abusive tenant of ten from slowing the
// others down, for three kinds of abuse, and which signals tell the abuser from a tenant
// that is merely large. It writes docs/studies/fairness.md with a chart.
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
		fmt.Fprintf(os.Stderr, "fairness: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("fairness", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("o", "../docs/studies/fairness.md", "the page, a `file`; the chart goes beside it, with the ending svg")
	from := flags.String("sample", "../config/samples/policysweep-fairness.yaml", "the `manifest` of the sweep over protections")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	s, err := readSample(*from)
	if err != nil {
		return err
	}
	f, err := find(context.Background(), s, fullScale())
	if err != nil {
		return err
	}
	return f.write(*page)
}
