// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// A proposer is a Genome that knows children of its own: the search asks it before
// it has the genome make children. Equal inquiries must have equal answers.
type proposer interface {
	Genome
	// Propose answers inquiries, each by as many children as it likes. Those beyond
	// the count of an inquiry, and those that were tried before, are left out.
	Propose([]Inquiry) [][]Proposed
}

// An Inquiry asks for children on an island.
type Inquiry struct {
	Generation, Island, Count int
	// Parents are elites of the island: the best one, and others drawn at random.
	Parents []Parent
}

// A Parent is an elite as a Proposer sees it.
type Parent struct {
	Value Value
	// Losses are those of the objectives, less being better; Excess and Features are
	// those of the trial.
	Losses   []float64
	Excess   float64
	Features []float64
}

// Proposed is a child of a Proposer.
type Proposed struct {
	Value Value
	// Parent is the place of its parent in the inquiry, and Changes say what differs.
	Parent  int
	Changes []string
}

// maxParents is how many elites an inquiry has.
const maxParents = 4

// family is what an island breeds in a generation.
type family struct {
	island *island
	stream *stats.Stream
	size   int
	// parents are those of an inquiry, and proposed what came of it.
	parents  []Elite
	proposed []Proposed
}

// proposing is the place of the parameter whose genome proposes children; negative
// where none does.
func (c *cube) proposing() int {
	return slices.IndexFunc(c.parameters, func(p Parameter) bool {
		_, is := p.Genome.(proposer)
		return is
	})
}

// Inquiries are what the genome that proposes is asked for the next generation: none
// where no genome proposes, and none where no island has elites.
func (m *mapElites) Inquiries() []Inquiry {
	m.breed()
	return m.inquiries
}

// breed divides the next generation into families, and draws the parents that the
// inquiries have.
func (m *mapElites) breed() {
	if m.bred != nil {
		return
	}
	m.bred, m.inquiring, m.inquiries = m.families(), nil, nil
	at := m.problem.cube.proposing()
	if at < 0 {
		return
	}
	for i, f := range m.bred {
		if len(f.island.elites) == 0 || f.size == 0 {
			continue
		}
		f.parents = f.island.parents(f.stream)
		inquiry := Inquiry{Generation: m.number, Island: i, Count: f.size}
		for _, e := range f.parents {
			t := e.Trial
			inquiry.Parents = append(inquiry.Parents, Parent{t.Point[at], t.Losses(), t.Excess, t.Features})
		}
		m.inquiries, m.inquiring = append(m.inquiries, inquiry), append(m.inquiring, f)
	}
}

// inquire asks the genome that proposes for children of all islands together.
func (m *mapElites) inquire() {
	if len(m.inquiries) == 0 {
		return
	}
	genome := m.problem.cube.parameters[m.problem.cube.proposing()].Genome.(proposer)
	for i, proposed := range genome.Propose(m.inquiries) {
		m.inquiring[i].proposed = proposed
	}
}

// parents are the best elite and others drawn at random.
func (l *island) parents(s *stats.Stream) []Elite {
	best := l.best()[0]
	others := slices.DeleteFunc(slices.Clone(l.elites), func(e Elite) bool { return slices.Equal(e.Cell, best.Cell) })
	parents := []Elite{best}
	for len(parents) < maxParents && len(others) > 0 {
		i := s.IntN(len(others))
		parents, others = append(parents, others[i]), slices.Delete(others, i, i+1)
	}
	return parents
}

// next takes the next child that was proposed; nil where none is left. Parameters
// except the one that evolves have the values of the parent.
func (f *family) next(m *mapElites) (Values, Origin) {
	at := m.problem.cube.proposing()
	for len(f.proposed) > 0 {
		child := f.proposed[0]
		f.proposed = f.proposed[1:]
		if child.Parent < 0 || child.Parent >= len(f.parents) {
			continue
		}
		mother := f.parents[child.Parent].Trial.Point
		p := slices.Clone(mother)
		if p[at] = child.Value; m.variator.take(p) {
			return p, Origin{Parent: mother, Changes: child.Changes}
		}
	}
	return nil, Origin{}
}
