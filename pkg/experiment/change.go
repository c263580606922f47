// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// maxChangesNamed bounds how many differences a sentence names.
const maxChangesNamed = 3

// NewChange says how far simulations exercised what tells a candidate from its baseline;
// nil where they have no seed in common. scenarios returns those of the baseline and of the
// candidate; it may be nil where they are not known. gated are the measures that are judged.
func NewChange(candidate, baseline []result.Row, gated []result.Measure, scenarios func() (before, after Tree, err error)) *result.Change {
	c := result.NewChange(candidate, baseline, gated)
	if c == nil || c.SameConfiguration || !c.IsBlind() && len(candidate[0].Decisions.Idle()) == 0 {
		return c
	}
	var parts []changedPart
	if scenarios != nil {
		// A point whose values do not go together has no rows to compare.
		if before, after, err := scenarios(); err == nil {
			if c.IsBlind() && samePickers(before, after) {
				c.SameConfiguration = true
				return c
			}
			parts = changedParts(before, after)
		}
	}
	rows := slices.Concat(baseline, candidate)
	if !c.IsBlind() {
		if parts = idleParts(parts, candidate, baseline); len(parts) == 0 {
			return c
		}
	}
	c.Unexercised = unexercised(c, parts, rows)
	return c
}

// A changedPart is a difference with the plugin or scorer that it is of.
type changedPart struct {
	Difference
	// plugin is its name as rows have it among those that were idle, and typ what it is;
	// empty without a plugin. weighs says that the difference is the plugin's place or
	// weight in a profile.
	plugin, typ string
	weighs      bool
}

func changedParts(before, after Tree) []changedPart {
	var parts []changedPart
	for _, d := range differences(before, after) {
		part := changedPart{Difference: d}
		for i := range d.Path[:max(len(d.Path)-1, 0)] {
			if list := d.Path[i].Name; (list == "plugins" || list == "scorers") && d.Path[i+1].Entry {
				part.plugin = d.Path[i+1].Name
				part.typ = typeOf(part.plugin, d.Path, before, after)
				part.weighs = list == "scorers" || i > 0 && d.Path[i-1].Entry
			}
		}
		if first := d.Path[0]; first.Name == "routers" && len(d.Path) > 1 && part.plugin != "" {
			part.plugin = setup.PartOfRouter(d.Path[1].Name, part.plugin)
		}
		parts = append(parts, part)
	}
	return parts
}

// typeOf is the type of a plugin of an EPP configuration, or the name of a scorer.
func typeOf(plugin string, path []Segment, trees ...Tree) string {
	end := slices.Index(path, Segment{Name: "endpointPickerConfig"})
	if end < 0 {
		return plugin
	}
	declared := append(slices.Clone(path[:end+1]), Segment{Name: "plugins"}, Segment{Name: plugin, Entry: true}, Segment{Name: "type"})
	for _, tree := range trees {
		if typ, ok := Lookup(tree, declared).(string); ok {
			return typ
		}
	}
	return plugin
}

// idleParts are the changes of the weights of plugins that told no two endpoints apart in
// any simulation that has them.
func idleParts(parts []changedPart, candidate, baseline []result.Row) []changedPart {
	return slices.DeleteFunc(parts, func(part changedPart) bool {
		return !part.weighs || part.Was != nil && !isIdle(part.plugin, baseline) || part.Is != nil && !isIdle(part.plugin, candidate)
	})
}

func isIdle(plugin string, rows []result.Row) bool {
	return !slices.ContainsFunc(rows, func(r result.Row) bool { return !slices.Contains(r.Decisions.Idle(), plugin) })
}

// unexercised says in a sentence what was not exercised, why, and what would do it.
func unexercised(c *result.Change, parts []changedPart, rows []result.Row) string {
	var of []string
	for i := range parts[:min(len(parts), maxChangesNamed)] {
		of = append(of, parts[i].String())
	}
	if more := len(parts) - len(of); more > 0 {
		of = append(of, figure.Plural(more, "more place"))
	}
	what := "the change"
	if len(of) > 0 {
		what += " of " + strings.Join(of, "; ")
	}
	reason := generalReason
	for i := range parts {
		if why := reasonOf(&parts[i], rows); why != "" {
			reason = why
			break
		}
	}
	return fmt.Sprintf("%s, so these simulations cannot judge %s: %s", c, what, reason)
}

// reasonOf is why a part did nothing, and what would exercise it; empty where that is not known.
func reasonOf(part *changedPart, rows []result.Row) string {
	if spot := blindSpotOf(part, rows); spot != nil {
		return spot.why + "; to exercise it, " + spot.remedy
	}
	if part.weighs && isIdle(part.plugin, rows) {
		return part.plugin + " told no two replicas apart in any decision; to exercise it, state the traffic and the load under which it does"
	}
	return ""
}

const generalReason = "this workload gives the two no occasion to act differently; to exercise it, state the traffic and the load that it is meant for"
