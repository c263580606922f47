// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Lines are the state of an object as a table for a terminal.
func Lines(o Object) []string {
	rows := [][2]string{{o.Kind(), o.Meta().Namespace + "/" + o.Meta().Name}, {"state", o.State()}}
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, [2]string{name, text})
		}
	}
	if p := o.Status().Progress; p != nil {
		if p.Round > 0 {
			add("round", fmt.Sprint(p.Round))
		}
		add("simulations", simulations(p))
	}
	if o.Sweep != nil {
		add("best so far", pointLine(study.PointOf(o.Sweep.Status.Best)))
		add("baseline", pointLine(study.PointOf(o.Sweep.Status.Baseline)))
	} else {
		for _, m := range o.Run.Status.Metrics[:min(3, len(o.Run.Status.Metrics))] {
			add(m.Metric, study.Figure(m))
		}
	}
	for _, g := range o.Status().Gates {
		add("gate "+g.Name, verdict.Outcome(g.Verdict).Word()+": "+g.Message)
	}
	if at := o.attention(); at < gateFails || at == isBlocked {
		add("message", OneLine(o.Why()))
	}
	return aligned(rows)
}

// aligned writes pairs in two columns.
func aligned(rows [][2]string) []string {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = fmt.Sprintf("%-*s  %s", width, r[0], r[1])
	}
	return lines
}

// simulations says how many are done, and of these, how many failed or come from elsewhere.
func simulations(p *v1alpha1.ProgressStatus) string {
	text := fmt.Sprintf("%d of %d done", p.Completed+p.Underway, p.Total)
	for _, n := range []struct {
		count int64
		word  string
	}{{p.Failed, "failed"}, {p.Reused, "reused"}} {
		if n.count > 0 {
			text += fmt.Sprintf(", %d %s", n.count, n.word)
		}
	}
	if p.Shards > 0 {
		text += fmt.Sprintf(", %d shards", p.Shards)
	}
	return text
}

func pointLine(p *verdict.PointSummary) string {
	if p == nil {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintf("point %d: %s", p.ID, p.Figures), ": ")
}

// Line is the state of an object in one line, for output that is no terminal.
func Line(o Object) string {
	parts := []string{o.State()}
	if p := o.Status().Progress; p != nil {
		if p.Round > 0 {
			parts = append(parts, fmt.Sprintf("round %d", p.Round))
		}
		parts = append(parts, simulations(p))
	}
	if best := o.best(); best != "" {
		parts = append(parts, "best "+best)
	}
	if counts := gateCounts(o.Status().Gates); counts != "" {
		parts = append(parts, "gates: "+counts)
	}
	return strings.Join(parts, "; ")
}

// gateCounts counts gates by verdict.
func gateCounts(gates []v1alpha1.GateStatus) string {
	var parts []string
	for _, o := range verdict.Outcomes {
		n := len(slices.DeleteFunc(slices.Clone(gates), func(g v1alpha1.GateStatus) bool { return verdict.Outcome(g.Verdict) != o }))
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o.Word()))
		}
	}
	return strings.Join(parts, ", ")
}
