// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// changes keeps the changes of scalers under which most requests missed a target.
type changes struct {
	open  []*change // by unit; nil before the first one
	worst []*change
}

// A change is of the number of replicas, and holds until the next one of its scaler.
type change struct {
	unit        int
	at, until   simtime.Time
	was, wanted []int
	notes       string
	requests    int // that ended meanwhile
	bad         int
}

func (n *changes) scaled(d simulator.ScalerCall) {
	if slices.Equal(d.Was, d.Wanted) {
		return
	}
	var notes []string
	for _, note := range d.Notes {
		notes = append(notes, fmt.Sprint(note.Name, " ", number(note.Value)))
	}
	if before := n.open[d.Unit]; before != nil {
		n.close(before, d.At)
	}
	n.open[d.Unit] = &change{unit: d.Unit, at: d.At, was: slices.Clone(d.Was), wanted: slices.Clone(d.Wanted), notes: strings.Join(notes, ", ")}
}

func (n *changes) close(g *change, at simtime.Time) {
	g.until = at
	n.worst = worstChanges(append(n.worst, g))
}

// worstChanges are the first ones by the requests that missed a target.
func worstChanges(all []*change) []*change {
	slices.SortStableFunc(all, func(a, b *change) int {
		return cmp.Or(cmp.Compare(b.bad, a.bad), cmp.Compare(a.at, b.at), cmp.Compare(a.unit, b.unit))
	})
	return all[:min(len(all), exampled)]
}

func (n *changes) add(r *record) {
	for _, g := range n.open {
		if g == nil {
			continue
		}
		g.requests++
		if r.bad {
			g.bad++
		}
	}
}

// examples describes the worst changes, with those that hold to the end.
func (n *changes) examples(c *Collector) []Example {
	all := slices.Clone(n.worst)
	for _, g := range n.open {
		if g != nil {
			last := *g
			last.until = c.outcome.last
			all = append(all, &last)
		}
	}
	var examples []Example
	for _, g := range worstChanges(all) {
		examples = append(examples, Example{
			Inputs:           fmt.Sprintf("t=%s s: scaler %s; %s", number(round(g.at.Seconds())), c.scaling[g.unit].Name, g.notes),
			GeneratedOutputs: "replicas " + list(g.was) + " → " + list(g.wanted),
			Feedback:         fmt.Sprintf("The number held for %s s. Of %d requests that ended meanwhile, %d missed a target.", number(round(g.until.Sub(g.at).Seconds())), g.requests, g.bad),
		})
	}
	return examples
}
