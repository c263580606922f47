// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/pkg/report"
)

// A Legend explains the tables of a command. It is printed once, below all tables.
type Legend struct {
	Shown bool
	flag  *pflag.Flag
	lines []string
}

// Register defines --legend.
func (l *Legend) Register(f *pflag.FlagSet) {
	f.BoolVar(&l.Shown, "legend", false, "explain all columns and marks below the tables; without the flag, a legend of one or two lines is printed, and --legend=false leaves it out, too")
	l.flag = f.Lookup("legend")
}

// Table prints a text without its legend, which it keeps for the end.
func (l *Legend) Table(w io.Writer, text report.Text) error {
	l.Add(text.Legend)
	_, err := io.WriteString(w, text.Body)
	return err
}

// Add keeps lines for the end, each once.
func (l *Legend) Add(lines []string) {
	for _, line := range lines {
		if !slices.Contains(l.lines, line) {
			l.lines = append(l.lines, line)
		}
	}
}

// shortLegend is how many lines a legend may have to be printed unasked.
const shortLegend = 2

// End prints the legend of all tables.
func (l *Legend) End(w io.Writer) {
	switch {
	case len(l.lines) == 0 || l.flag != nil && l.flag.Changed && !l.Shown:
		return
	case !l.Shown && len(l.lines) > shortLegend:
		fmt.Fprint(w, "\n--legend explains the columns and marks.\n")
		return
	}
	fmt.Fprint(w, "\nLegend:\n")
	for _, line := range l.lines {
		fmt.Fprintf(w, "  %s\n", line)
	}
}
