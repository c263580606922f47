// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// WriteErrors writes a judgement as a table: a row for each metric and
// statistic with what was measured and predicted in ms, the error and the
// standard deviation over replays in percent of what was measured.
func (j *Judgement) WriteErrors(w io.Writer) error {
	errs := j.Errors()
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmeasured ms\tpredicted ms\terror %\tnoise %\t")
	for m := range Metrics {
		if math.IsNaN(j.Measured[m][Mean]) {
			continue
		}
		for s := range Statistics {
			if math.IsNaN(j.Measured[m][s]) {
				continue
			}
			fmt.Fprintf(t, "%v %v\t%.1f\t%.1f\t%+.2f\t%.2f\t\n", m, s,
				j.Measured[m][s]*1e3, j.Predicted[m][s]*1e3, 100*errs[m][s], 100*j.Spread[m][s]/j.Measured[m][s])
		}
	}
	return t.Flush()
}
