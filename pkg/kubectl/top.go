// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// A Row is an object in the output of top.
type Row struct {
	Namespace string `json:"namespace"`
	// Object is TYPE/NAME.
	Object string `json:"object"`
	State  string `json:"state"`
	// Done and Of count simulations.
	Done int64 `json:"done"`
	Of   int64 `json:"of"`
	// Outcome is what came of all gates in a word, and Verdict is its name for programs.
	Outcome string    `json:"-"`
	Verdict string    `json:"verdict,omitempty"`
	Best    string    `json:"best,omitempty"`
	Created time.Time `json:"created"`
	// Why says what is wrong, where something is.
	Why string `json:"why,omitempty"`
	// Next is the command that tells more.
	Next string `json:"next,omitempty"`
}

// Top makes rows of objects: what needs attention first comes first, and then what is newer.
func (c Caller) Top(objects []Object) []Row {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b Object) int {
		return cmp.Or(
			cmp.Compare(a.attention(), b.attention()),
			b.Meta().CreationTimestamp.Compare(a.Meta().CreationTimestamp.Time),
			cmp.Compare(a.Meta().Namespace, b.Meta().Namespace),
			cmp.Compare(a.Ref(), b.Ref()),
		)
	})
	rows := []Row{}
	for _, o := range sorted {
		row := Row{
			Namespace: o.Meta().Namespace, Object: o.Ref(), State: o.State(), Outcome: o.OutcomeWord(), Verdict: o.nameOfVerdict(),
			Best: o.best(), Created: o.Meta().CreationTimestamp.Time,
		}
		if p := o.Status().Progress; p != nil {
			row.Done, row.Of = p.Completed+p.Underway, p.Total
		}
		if at := o.attention(); at <= isUndecided {
			row.Why, row.Next = o.Why(), c.Next(o)
		}
		rows = append(rows, row)
	}
	return rows
}

// nameOfVerdict is the verdict by its name in the JSON of rows, which programs read: it has one
// for a baseline that ranks first.
func (o Object) nameOfVerdict() string {
	if c := o.condition(v1alpha1.ConditionPassed); c != nil && c.Reason == v1alpha1.ReasonBaselineIsBest && o.Outcome() != "" {
		return "keep"
	}
	return strings.ToLower(string(o.Outcome()))
}

// best is the best candidate of a sweep, or what a run has for its first metric.
func (o Object) best() string {
	if o.Sweep == nil {
		if m := o.Run.Status.Metrics; len(m) > 0 {
			return m[0].Metric + " " + study.Figure(m[0])
		}
		return ""
	}
	if b := o.Sweep.Status.Best; b != nil {
		return b.Summary
	}
	return ""
}

// Why says in a sentence what is wrong with an object.
func (o Object) Why() string {
	typ := v1alpha1.ConditionReady
	switch o.attention() {
	case gateFails, isUndecided:
		typ = v1alpha1.ConditionPassed
	case hasDamage:
		typ = v1alpha1.ConditionResultsDamaged
	}
	if c := o.condition(typ); c != nil {
		return c.Message
	}
	return ""
}

// WriteTop prints rows as a table, and the commands that tell more of those that need attention.
func WriteTop(w io.Writer, rows []Row, namespaces bool, now time.Time) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "There are no runs and no sweeps here.")
		return err
	}
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	head := "OBJECT\tSTATE\tDONE\tVERDICT\tAGE\tBEST"
	if namespaces {
		head = "NAMESPACE\t" + head
	}
	fmt.Fprintln(t, head)
	for _, r := range rows {
		if namespaces {
			fmt.Fprintf(t, "%s\t", r.Namespace)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Object, r.State, r.done(), cmp.Or(r.Outcome, "-"), duration.HumanDuration(now.Sub(r.Created)), cmp.Or(r.Best, "-"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range bytes.Lines(table.Bytes()) {
		fmt.Fprintf(w, "%s\n", bytes.TrimRight(line, " \n"))
	}
	writeAttention(w, rows)
	return nil
}

// mostShown bounds the objects of which top says what is wrong.
const mostShown = 5

// writeAttention says what is wrong with the first objects that need attention.
func writeAttention(w io.Writer, rows []Row) {
	for i, r := range rows {
		if r.Next == "" || i == mostShown {
			return
		}
		fmt.Fprintf(w, "\n%s: %s\nnext: %s\n", r.Object, OneLine(r.Why), r.Next)
	}
}

func (r Row) done() string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", r.Done, r.Of)
}

// mostOfLine bounds a message in a list, in bytes.
const mostOfLine = 300

// OneLine is a message on one line of a bounded length.
func OneLine(text string) string { return printable.Clip(text, mostOfLine) }
