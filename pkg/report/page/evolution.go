// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Evolution says how the policies of a sweep came about.
type Evolution struct {
	// Parameter is the one that has the policies.
	Parameter int `json:"parameter"`
	// Generations are those of the points; null is a point that no search made.
	Generations []*int `json:"generations"`
	// Line are the places of the best point's ancestors in the columns, from the first one to
	// itself, as far as the columns have them.
	Line []int `json:"line"`
}

// newEvolution returns nil where no policy evolves.
func newEvolution(r *report.Sweep, shown []*result.Ranked, parameters []Parameter) *Evolution {
	at := evolving(shown, parameters)
	if at < 0 {
		return nil
	}
	e := &Evolution{Parameter: at, Generations: make([]*int, len(shown)), Line: []int{}}
	for i, c := range shown {
		if c.Origin != nil {
			e.Generations[i] = &c.Origin.Generation
		}
	}
	for _, c := range lineOf(r, parameters[at].Name) {
		if i := slices.IndexFunc(shown, func(s *result.Ranked) bool { return s.Point == c.Point }); i >= 0 {
			e.Line = append(e.Line, i)
		}
	}
	return e
}

// evolving is the place of the parameter whose values are the policies that others were made of;
// -1 if there is none.
func evolving(points []*result.Ranked, parameters []Parameter) int {
	parents := map[string]bool{}
	for _, c := range points {
		if c.Origin != nil && c.Origin.Parent != "" {
			parents[c.Origin.Parent] = true
		}
	}
	return slices.IndexFunc(parameters, func(p Parameter) bool {
		return slices.ContainsFunc(points, func(c *result.Ranked) bool {
			value, ok := valueOf(c, p.Name)
			return ok && parents[value]
		})
	})
}

// lineOf are the ancestors of the best point, from the first one to itself.
func lineOf(r *report.Sweep, parameter string) []*result.Ranked {
	byPolicy := map[string]*result.Ranked{}
	for i := range r.Board.Candidates {
		c := &r.Board.Candidates[i]
		if value, ok := valueOf(c, parameter); ok && byPolicy[value] == nil {
			byPolicy[value] = c // the best comes first
		}
	}
	var line []*result.Ranked
	for c := r.Candidate(r.Best); c != nil && !slices.Contains(line, c); {
		line = append(line, c)
		if c.Origin == nil {
			break
		}
		c = byPolicy[c.Origin.Parent]
	}
	slices.Reverse(line)
	return line
}

// lineage is the table of the best point's ancestors.
func lineage(r *report.Sweep, parameter string) report.CaptionedTable {
	objectives := r.Board.Objectives
	table := report.CaptionedTable{Caption: "How the best policy came about", Table: report.Table{Titles: []string{"policy", "generation", "made of", "changes"}}}
	for _, o := range objectives {
		table.Titles = append(table.Titles, o.Measure.Unit().Title(o.Measure.String()))
	}
	for _, c := range lineOf(r, parameter) {
		policy, _ := valueOf(c, parameter)
		row := []string{policy, "", "", ""}
		if from := c.Origin; from != nil {
			row = []string{policy, strconv.Itoa(from.Generation), from.Parent, strings.Join(from.Changes, "; ")}
		}
		for _, o := range objectives {
			row = append(row, r.Estimate(c, o.Measure))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}
