// SPDX-License-Identifier: Apache-2.0

// Search tunes one routing profile with every search algorithm at equal effort, and
// compares the results with random search. It writes docs/studies/search.md with a chart.
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
		fmt.Fprintf(os.Stderr, "search: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := flags.String("o", "../docs/studies/search.md", "the page, a `file`; the chart goes beside it, with the ending svg")
	from := flags.String("sample", "../config/samples/policysweep-search.yaml", "the `manifest` of the sweep")
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
	contest, err := s.compete(contestants)
	if err != nil {
		return err
	}
	grid, err := s.searchGrid()
	if err != nil {
		return err
	}
	return (&page{s, contest, grid}).write(*path)
}
