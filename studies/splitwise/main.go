// SPDX-License-Identifier: Apache-2.0

// Splitwise compares a cluster of equal machines that run prefill and decode together
// with the same machines split into prefill and decode machines, with measured step
// times. It writes docs/studies/disaggregation.md with a chart.
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
		fmt.Fprintf(os.Stderr, "splitwise: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	s := fullScale()
	flags := flag.NewFlagSet("splitwise", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("o", "../docs/studies/disaggregation.md", "the page, a `file`; the chart goes next to it, with the ending svg")
	flags.IntVar(&s.seeds, "seeds", s.seeds, "`simulations` at each rate")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case s.seeds < 1:
		return fmt.Errorf("-seeds %d: want at least 1", s.seeds)
	}
	in, err := readInputs()
	if err != nil {
		return err
	}
	variants, err := in.variants(s)
	if err != nil {
		return err
	}
	all, err := find(variants, s)
	if err != nil {
		return err
	}
	return newPage(in, s, all).write(*page)
}
