// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/pkg/report"
)

// A legend explains the tables of a command. It is printed once, below all tables.
type legend struct {
	shown bool
	flag  *pflag.Flag
	lines []string
}

// register defines --legend.
func (l *legend) register(f *pflag.FlagSet) {
	f.BoolVar(&l.shown, "legend", false, "explain all columns and marks below the tables; without the flag, a legend of one or two lines is printed, and --legend=false leaves it out, too")
	l.flag = f.Lookup("legend")
}

// table prints a text without its legend, which it keeps for the end.
func (l *legend) table(w io.Writer, text report.Text) error {
	l.add(text.Legend)
	_, err := io.WriteString(w, text.Body)
	return err
}

// add keeps lines for the end, each once.
func (l *legend) add(lines []string) {
	for _, line := range lines {
		if !slices.Contains(l.lines, line) {
			l.lines = append(l.lines, line)
		}
	}
}

// shortLegend is how many lines a legend may have to be printed unasked.
const shortLegend = 2

// end prints the legend of all tables.
func (l *legend) end(w io.Writer) {
	switch {
	case len(l.lines) == 0 || l.flag != nil && l.flag.Changed && !l.shown:
		return
	case !l.shown && len(l.lines) > shortLegend:
		fmt.Fprint(w, "\n--legend explains the columns and marks.\n")
		return
	}
	fmt.Fprint(w, "\nLegend:\n")
	for _, line := range l.lines {
		fmt.Fprintf(w, "  %s\n", line)
	}
}
