// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"windtunnel.dev/windtunnel/internal/figure"
)

// maxColumns is how many hours a table shows apart.
const maxColumns = 12

// WriteTable writes a report for people, with a legend or without.
func (r *Report) WriteTable(w io.Writer, legend bool) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n\n", r.verdict())
	r.summary(&out)
	r.hours(&out)
	r.causes(&out)
	for _, note := range r.Notes {
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	if legend {
		fmt.Fprintf(&out, "\n%s", r.legend())
	}
	_, err := out.WriteTo(w)
	return err
}

// verdict is the first line.
func (r *Report) verdict() string {
	verdict := "as predicted"
	if r.Drift {
		verdict = "drift"
		if r.Causes != nil && r.Causes.Most() != "" {
			verdict += ", mainly in the " + r.Causes.Most()
		}
	}
	return fmt.Sprintf("%s: %s. %d of %d values are outside of their intervals, and %s are expected. %s to %s, %s.",
		r.Run, verdict, r.Outside, len(r.Checks), figure.Fixed((1-r.Rules.Confidence)*float64(len(r.Checks)), 1),
		r.From.UTC().Format("2006-01-02 15:04"), r.To.UTC().Format("2006-01-02 15:04 UTC"), figure.Plural(len(r.Seeds), "seed"))
}

// row is a measure over all of its hours.
type row struct {
	*Check          // the last one
	checks          []*Check
	measured        float64
	predicted       float64
	low, high       float64
	bucket          *Bucket // nil without buckets
	outside, drifts int
}

// rows are those of all measures.
func (r *Report) rows() []row {
	var rows []row
	at := map[string]int{}
	for i := range r.Checks {
		c := &r.Checks[i]
		if _, known := at[c.name]; !known {
			at[c.name] = len(rows)
			rows = append(rows, row{})
		}
		of := &rows[at[c.name]]
		of.Check, of.checks = c, append(of.checks, c)
	}
	for i := range rows {
		rows[i].sum()
		rows[i].bucket = meanBucket(rows[i].checks)
	}
	return rows
}

func (r *row) sum() {
	n := float64(len(r.checks))
	for _, c := range r.checks {
		r.measured += c.Measured / n
		r.predicted += c.Predicted / n
		r.low += c.Low / n
		r.high += c.High / n
		if !c.Inside {
			r.outside++
		}
		if c.Drift {
			r.drifts++
		}
	}
}

// meanBucket is where the mean of quantiles lies that lie in buckets: between the means of the
// bounds. Without the upper bound of one there is none for the mean.
func meanBucket(checks []*Check) *Bucket {
	n := float64(len(checks))
	var low, high float64
	bounded := true
	for _, c := range checks {
		if c.Bucket == nil {
			return nil
		}
		low += c.Bucket.Low / n
		if bounded = bounded && c.Bucket.High != nil; bounded {
			high += *c.Bucket.High / n
		}
	}
	if !bounded {
		return &Bucket{Low: low}
	}
	return &Bucket{Low: low, High: &high}
}

// summary has a line for each measure: means over the hours.
func (r *Report) summary(w io.Writer) {
	lines := [][]string{{"metric", "measured", "bucket", "predicted", "interval of an hour", "error", "outside", "drift"}}
	for _, of := range r.rows() {
		show := display(of.Unit, of.measured, of.predicted)
		drift := "no"
		if of.drifts > 0 {
			drift = fmt.Sprintf("%d of %d", of.drifts, len(of.checks))
		}
		lines = append(lines, []string{
			of.name + show.suffix, show.text(of.measured), show.between(of.bucket), show.text(of.predicted),
			show.text(of.low) + " to " + show.text(of.high), percent(ratio(of.Unit, of.measured, of.predicted)),
			fmt.Sprintf("%d of %d", of.outside, len(of.checks)), drift,
		})
	}
	writeAligned(w, lines)
}

// hours has the error of each measure in each hour: the last ones of many.
func (r *Report) hours(w io.Writer) {
	first := max(0, r.window.Hours-maxColumns)
	if r.window.Hours < 2 {
		return
	}
	head := []string{"error by hour"}
	for hour := first; hour < r.window.Hours; hour++ {
		head = append(head, r.window.Start(hour).UTC().Format(r.clock()))
	}
	lines := [][]string{head}
	for _, of := range r.rows() {
		line := make([]string, len(head))
		for i := range line {
			line[i] = figure.Absent
		}
		line[0] = of.name
		for _, c := range of.checks {
			if c.hour >= first {
				line[1+c.hour-first] = percent(c.Error) + mark(c)
			}
		}
		lines = append(lines, line)
	}
	fmt.Fprintln(w)
	writeAligned(w, lines)
	if first > 0 {
		fmt.Fprintf(w, "The table has the last %d of %d hours; -o json has them all.\n", maxColumns, r.window.Hours)
	}
}

// clock is how the report labels its hours.
func (r *Report) clock() string {
	if r.window.Every < time.Minute {
		return "15:04:05"
	}
	return "15:04"
}

// mark shows a value outside of its interval, and drift.
func mark(c *Check) string {
	switch {
	case c.Drift:
		return " !"
	case !c.Inside:
		return " *"
	default:
		return ""
	}
}

// causes has a line for each input of each assumption.
func (r *Report) causes(w io.Writer) {
	if r.Causes == nil {
		return
	}
	lines := [][]string{{"assumption", "input", "scenario", "measured", "change", "error if as measured", "explains"}}
	for _, c := range r.Causes.Causes {
		for i, change := range c.Changes {
			line := make([]string, len(lines[0]))
			if i == 0 {
				line[0], line[5], line[6] = c.Assumption, figure.Fixed(c.Error, 2), figure.Fixed(100*c.Explained, 0)+" %"
			}
			show := display(change.Unit, change.Stated, change.Measured)
			line[1], line[2], line[3] = change.Input+show.suffix, show.text(change.Stated), show.text(change.Measured)
			line[4] = percent(ratio(change.Unit, change.Measured, change.Stated))
			lines = append(lines, line)
		}
	}
	fmt.Fprintln(w)
	writeAligned(w, lines)
	fmt.Fprintf(w, "The typical error is %s half widths of an interval.\n", figure.Fixed(r.Causes.Error, 2))
	for _, note := range r.Causes.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
}

func (r *Report) legend() string {
	return fmt.Sprintf(`interval: where the value of one hour lies with %s confidence. outside, *: values that do not.
drift, !: such a distance comes by chance in %s of all observations at most, with a tolerance of %s.
bucket: where the measured quantile lies, by the means over the hours. Measured and predicted ones are estimated in their buckets alike.
`, figure.Share(r.Rules.Confidence), figure.Share(r.Rules.FalseAlarms), figure.Share(r.Rules.Tolerance))
}

// writeAligned writes lines in columns: names to the left, figures to the right.
func writeAligned(w io.Writer, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// shown is how the values of a unit are shown.
type shown struct {
	suffix   string
	factor   float64
	decimals int
}

// display shows two values in three digits of the smaller one.
func display(u Unit, a, b float64) shown {
	s := shown{factor: 1}
	switch u {
	case Seconds:
		s.suffix, s.factor = " ms", 1000
	case Share:
		s.suffix, s.factor = " %", 100
	case PerSecond:
		s.suffix = " /s"
	}
	least := math.Min(math.Abs(a), math.Abs(b)) * s.factor
	for limit := 100.0; least < limit && s.decimals < 2; limit /= 10 {
		s.decimals++
	}
	return s
}

func (s *shown) text(v float64) string { return figure.Fixed(v*s.factor, s.decimals) }

// between shows a bucket.
func (s *shown) between(b *Bucket) string {
	switch {
	case b == nil:
		return ""
	case b.High == nil:
		return "above " + s.bound(b.Low)
	default:
		return s.bound(b.Low) + " to " + s.bound(*b.High)
	}
}

// percent is a relative difference.
func percent(ratio *float64) string {
	if ratio == nil {
		return figure.Absent
	}
	return figure.Signed(100**ratio, 1) + " %"
}

func (s *shown) bound(v float64) string { return strconv.FormatFloat(v*s.factor, 'g', 6, 64) }
