// SPDX-License-Identifier: Apache-2.0

package study

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/clip"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// originer is a search that knows how points came about.
type originer interface {
	Origin(search.Values) (search.Origin, bool)
}

// values are those of a point as the search has them.
func (s *Study) values(point *experiment.Point) search.Values {
	values := make(search.Values, len(point.Values))
	for i := range point.Values {
		values[i] = point.Values[i].Value
		if s.Plan.Parameters[i].Evolve != nil {
			values[i] = point.Policy
		}
	}
	return values
}

// origin says how the policy of a point came about, and which point has its parent, or
// none of them. It is nil where no policy evolves.
func (s *Study) origin(id int) (from *result.Origin, parent int) {
	if s.Plan.Evolving() == nil {
		return nil, NoPoint
	}
	origins, _ := search.As[originer](s.algorithm) // only such a search evolves
	of, known := origins.Origin(s.values(&s.points[id]))
	if !known {
		return nil, NoPoint
	}
	from = &result.Origin{Generation: of.Generation, Island: of.Island, Changes: of.Changes}
	if of.Parent == nil {
		return from, NoPoint
	}
	for i := range of.Parent {
		if s.Plan.Parameters[i].Evolve != nil {
			from.Parent = experiment.PolicyValue(of.Parent[i])
		}
	}
	parent, known = s.ids[strings.Join(of.Parent, separator)]
	if !known {
		return from, NoPoint
	}
	return from, parent
}

// NoPoint stands for a point that there is not.
const NoPoint = -1

// An Ancestor is a policy in the line of another one.
type Ancestor struct {
	Point  int
	Policy string
	result.Origin
}

// Lineage is the line of a point's policy from the first one that is known to the policy
// itself; empty where no policy evolves.
func (s *Study) Lineage(id int) []Ancestor {
	var line []Ancestor
	for id != NoPoint {
		from, parent := s.origin(id)
		if from == nil {
			break
		}
		line = append(line, Ancestor{id, experiment.PolicyValue(s.points[id].Policy), *from})
		id = parent
	}
	slices.Reverse(line)
	return line
}

// Bundle is the policy of a point with what it was made of; nil where none evolves.
func (s *Study) Bundle(id int) (*bundle.Bundle, error) {
	from, _ := s.origin(id)
	if from == nil {
		return nil, nil
	}
	b, errs := bundle.Read([]byte(s.points[id].Policy), field.NewPath("bundle"))
	if len(errs) > 0 {
		return nil, fmt.Errorf("point %d: %w", id, errs.ToAggregate())
	}
	b.Metadata.Name = "policy-" + b.ID()
	b.Generation, b.Parent, b.Mutations = int64(from.Generation), from.Parent, from.Changes
	return b, nil
}

// maxLineage bounds the line of a status, and maxChangeBytes what is said of a step.
const (
	maxLineage     = 10
	maxChangeBytes = 512
)

// lineage is the end of the line of a point's policy, as a status has it. Points without
// figures have no value.
func (s *Study) lineage(id int) ([]v1alpha1.Ancestor, error) {
	line := s.Lineage(id)
	if len(line) == 0 {
		return nil, nil
	}
	board, err := s.Leaderboard()
	if err != nil {
		return nil, err
	}
	values := map[int]string{}
	for i := range board.Candidates {
		c := &board.Candidates[i]
		if value, ok := c.Metrics[s.Plan.Objectives[0].Metric]; ok {
			values[c.Point] = experiment.Figure(value.Mean)
		}
	}
	var out []v1alpha1.Ancestor
	for _, a := range line[max(0, len(line)-maxLineage):] {
		out = append(out, v1alpha1.Ancestor{
			Policy: a.Policy, Point: int64(a.Point), Generation: int32(a.Generation),
			Change: clip.Text(strings.Join(a.Changes, "; "), maxChangeBytes), Value: values[a.Point],
		})
	}
	return out, nil
}
