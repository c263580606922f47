// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Elite is the best trial of a cell.
type Elite struct {
	Cell  []int // the bin of each feature
	Trial Trial
}

// mapElites fills an archive with the best trial of each cell of the features'
// space, and breeds from its elites, each as likely as the others: what is best
// of its kind survives however good other kinds are (Mouret, Clune: Illuminating
// search spaces by mapping elites, 2015). Children are bred as NSGA2's are.
type mapElites struct {
	generations
	cells  map[string]int // places among the elites
	elites []Elite        // in the order in which their cells were found
}

func newMAPElites(p *problem) (Algorithm, field.ErrorList) {
	var errs field.ErrorList
	path := p.settings().Child("features")
	if len(p.Settings.Features) == 0 {
		errs = append(errs, field.Required(path, "there must be a feature that tells kinds apart"))
	}
	for i, f := range p.Settings.Features {
		if !(f.Min < f.Max) {
			errs = append(errs, field.Invalid(path.Index(i).Child("max"), f.Max, fmt.Sprintf("must be greater than min, %v", f.Min)))
		}
		if f.Bins < 1 {
			errs = append(errs, field.Invalid(path.Index(i).Child("bins"), f.Bins, "must be at least 1"))
		}
	}
	size := min(max(p.Settings.MaxTrials/24, 12), 100)
	return &mapElites{generations: newGenerations(p, size), cells: map[string]int{}}, errs
}

// Ask returns children of the elites.
func (m *mapElites) Ask() []Proposal {
	if len(m.elites) == 0 {
		return m.ask(nil)
	}
	return m.ask(func(s *stats.Stream) Point { return m.elites[s.IntN(len(m.elites))].Trial.Point })
}

// Tell gives cells to trials that are better than those they hold.
func (m *mapElites) Tell(trials []Trial) {
	m.tell(trials)
	for _, t := range trials {
		cell, ok := m.cell(&t)
		if !ok {
			continue
		}
		key := fmt.Sprint(cell)
		place, taken := m.cells[key]
		switch {
		case !taken:
			m.cells[key] = len(m.elites)
			m.elites = append(m.elites, Elite{cell, t})
		case better(t, m.elites[place].Trial):
			m.elites[place].Trial = t
		}
	}
}

// cell returns the bins of a trial, the outermost ones for features beyond their
// range; none where the trial failed or a feature is no number.
func (m *mapElites) cell(t *Trial) (bins []int, ok bool) {
	features := m.problem.Settings.Features
	if t.Failed() || len(t.Features) != len(features) {
		return nil, false
	}
	for i, f := range features {
		if math.IsNaN(t.Features[i]) {
			return nil, false
		}
		u := (t.Features[i] - f.Min) / (f.Max - f.Min)
		bins = append(bins, int(place(u, int64(f.Bins))))
	}
	return bins, true
}

// Elites returns the archive in the order of its cells, without cells whose best
// trial does not meet the constraints.
func (m *mapElites) Elites() []Elite {
	var elites []Elite
	for _, e := range m.elites {
		if e.Trial.Excess <= 0 {
			elites = append(elites, e)
		}
	}
	slices.SortFunc(elites, func(a, b Elite) int { return slices.Compare(a.Cell, b.Cell) })
	return elites
}
