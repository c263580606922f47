// SPDX-License-Identifier: Apache-2.0

// Affinity measures how large the weight of a warm prefix relative to load may be before
// all traffic goes to one replica, and compares sweeps with the bound that follows from the
// workload. It writes docs/studies/affinity.md with a chart.
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
		fmt.Fprintf(os.Stderr, "affinity: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("affinity", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("o", "../docs/studies/affinity.md", "the page, a `file`; the chart goes beside it, with the ending svg")
	from := flags.String("sample", "../config/samples/policysweep-affinity.yaml", "the `manifest` of the sweep over the weight")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	sample, err := readSample(*from)
	if err != nil {
		return err
	}
	f, err := find(context.Background(), sample, fullScale())
	if err != nil {
		return err
	}
	return f.write(*page)
}
