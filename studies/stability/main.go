// SPDX-License-Identifier: Apache-2.0

// Stability measures at which load the wait queue of a replica begins to grow without
// bound, under the assumptions of the queueing law and in the engine, and what a stability
// controller reports and achieves there. It writes docs/studies/stability.md with a chart.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "stability: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("stability", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("o", "../docs/studies/stability.md", "the page, a `file`; the chart goes beside it, with the ending svg")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	t, err := readTraces()
	if err != nil {
		return err
	}
	f, err := find(fullScale(t))
	if err != nil {
		return err
	}
	return f.write(*page)
}
