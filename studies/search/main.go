// SPDX-License-Identifier: Apache-2.0

// Search tunes one routing profile with every search algorithm at equal effort, and
// compares the results with random search. It writes docs/studies/search.md with a chart.
package main

import (
	"flag"

	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	study.Main("search", func(flags *flag.FlagSet) func() error {
		path := flags.String("o", "../docs/studies/search.md", "the page, a `file`; the chart goes next to it, with the ending svg")
		from := flags.String("sample", "../config/samples/policysweep-search.yaml", "the `manifest` of the sweep")
		return func() error {
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
	})
}
