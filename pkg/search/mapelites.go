// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Origin says how a point came about.
type Origin struct {
	// Generation and Island number, from 0, where the point was proposed.
	Generation, Island int
	// Parent is the point that a parameter that evolves was changed from, and Changes
	// say how; both are nil of the first point, and where nothing evolves.
	Parent  Values
	Changes []string
}

// mapElites fills archives with the best trial of each cell of the features'
// space, and breeds from their elites, each as likely as the others: what is best
// of its kind survives however good other kinds are (Mouret, Clune: Illuminating
// search spaces by mapping elites, 2015). Children are bred as NSGA2's are. There
// may be several archives, the islands, which exchange their best elites now and
// then.
type mapElites struct {
	generations
	islands []*island
	every   int // generations from one exchange to the next
	// origins are those of the points that were proposed, by their keys, where
	// anybody wants to know.
	origins map[string]Origin
	// bred are the families of the next generation; nil where they were not made yet.
	// inquiring are those that inquiries are of.
	bred, inquiring []*family
	inquiries       []Inquiry
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
	m := &mapElites{every: 5}
	if p.Settings.Islands.MigrateEvery > 0 {
		m.every = p.Settings.Islands.MigrateEvery
	}
	count := max(p.Settings.Islands.Count, 1)
	for range count {
		m.islands = append(m.islands, newIsland())
	}
	m.generations = newGenerations(p, max(min(max(p.Settings.MaxTrials/24, 12), 100), count))
	if m.size < count {
		errs = append(errs, field.Invalid(p.settings().Child("generationSize"), m.size, fmt.Sprintf("must be at least the number of islands, %d", count)))
	}
	if count > 1 || p.cube.anyEvolves() {
		m.origins = map[string]Origin{}
	}
	return m, errs
}

// Ask returns children of the elites of each island.
func (m *mapElites) Ask() []Proposal {
	if m.asked != nil {
		return m.asked
	}
	points := []Values{}
	m.breed()
	m.inquire()
	for i, f := range m.bred {
		points = append(points, m.children(i, f)...)
	}
	m.asked = m.problem.inFull(points)
	return m.asked
}

// families divide the generation among the islands.
func (m *mapElites) families() []*family {
	whole := min(m.size, m.problem.Settings.MaxTrials-m.told)
	var families []*family
	for i, of := range m.islands {
		f := &family{island: of, stream: m.problem.stream(m.number), size: whole / len(m.islands)}
		if i < whole%len(m.islands) {
			f.size++
		}
		if len(m.islands) > 1 {
			f.stream = stats.NewStream(m.problem.Settings.Seed, fmt.Sprintf("search/%s/%d/island/%d", MAPElites, m.number, i))
		}
		families = append(families, f)
	}
	return families
}

// children are those of an island.
func (m *mapElites) children(i int, f *family) []Values {
	var points []Values
	for range f.size {
		p, from := f.next(m)
		if p == nil {
			p, from = m.child(i, f.island, f.stream)
		}
		if p == nil {
			break
		}
		points = append(points, p)
		if m.origins != nil {
			from.Generation, from.Island = m.number, i
			m.origins[p.key()] = from
		}
	}
	return points
}

// child takes one point, nil if none is left.
func (m *mapElites) child(i int, of *island, s *stats.Stream) (Values, Origin) {
	evolves := m.problem.cube.anyEvolves()
	if evolves && i == 0 && m.number == 0 {
		if p := m.problem.cube.first(); m.variator.take(p) {
			return p, Origin{}
		}
	}
	if len(of.elites) > 0 {
		mother, father := m.elite(of, s), m.elite(of, s)
		if p, changed := m.variator.child(mother, father, s); p != nil {
			if !evolves {
				return p, Origin{}
			}
			return p, Origin{Parent: mother, Changes: changed}
		}
	}
	if evolves {
		p, changed := m.variator.fresh(s)
		return p, Origin{Parent: m.problem.cube.first(), Changes: changed}
	}
	return m.variator.draw(s), Origin{}
}

func (m *mapElites) elite(of *island, s *stats.Stream) Values {
	return of.elites[s.IntN(len(of.elites))].Trial.Point
}

// Tell gives cells to trials that are better than those they hold.
func (m *mapElites) Tell(trials []Trial) {
	if m.origins != nil {
		m.Ask() // which island each trial is of
	}
	for _, t := range trials {
		if cell, ok := m.cell(&t); ok {
			m.islands[m.origins[t.Point.key()].Island].keep(Elite{cell, t})
		}
	}
	m.tell(trials)
	m.bred = nil
	if len(m.islands) > 1 && m.number%m.every == 0 {
		migrate(m.islands)
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

// Elites returns the best elites of all islands in the order of their cells, without
// cells whose best trial does not meet the constraints.
func (m *mapElites) Elites() []Elite {
	all := newIsland()
	for _, l := range m.islands {
		for _, e := range l.elites {
			all.keep(e)
		}
	}
	elites := slices.DeleteFunc(all.elites, func(e Elite) bool { return e.Trial.Excess > 0 })
	slices.SortFunc(elites, func(a, b Elite) int { return slices.Compare(a.Cell, b.Cell) })
	return elites
}

// Origin returns how a point came about; false where that is not known.
func (m *mapElites) Origin(p Values) (Origin, bool) {
	from, known := m.origins[p.key()]
	return from, known
}
