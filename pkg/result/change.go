// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/internal/figure"
)

// A Change says how far simulations exercised what tells a candidate from its baseline.
// Where they did not, their figures say nothing about the candidate.
type Change struct {
	// Seeds counts those that both have, and EqualSeeds those under which all decisions
	// were the same.
	Seeds      int `json:"seeds"`
	EqualSeeds int `json:"equalSeeds"`
	// Decisions counts the requests of the baseline under these seeds; 0 where rows do not
	// say. Differing counts those of them that the candidate sent elsewhere or ended in
	// another way, where the requests of both are at hand.
	Decisions int64  `json:"decisions,omitempty"`
	Differing *int64 `json:"differing,omitempty"`
	// SameConfiguration says that both are one configuration, once defaults are filled in.
	SameConfiguration bool `json:"sameConfiguration,omitempty"`
	// Unexercised says why figures say nothing about the change, or about a part of it;
	// empty where they do.
	Unexercised string `json:"unexercised,omitempty"`

	figuresEqual, gatedEqual bool
}

// NewChange compares the rows of a candidate with those of its baseline, seed by seed; nil
// where they have no seed in common. gated are the measures that are judged.
func NewChange(candidate, baseline []Row, gated []Measure) *Change {
	c := &Change{SameConfiguration: true, figuresEqual: true, gatedEqual: true}
	before := bySeed(baseline)
	known := true
	for i := range candidate {
		b := &candidate[i]
		j := slices.IndexFunc(before, func(r Row) bool { return r.Seed == b.Seed && r.Share == b.Share && r.Workload == b.Workload })
		if j < 0 || b.Failed() || before[j].Failed() {
			continue
		}
		a := &before[j]
		c.Seeds++
		known = known && a.Decisions.Known() && b.Decisions.Known()
		c.Decisions += a.Decisions.Requests
		if sameCourse(a, b) {
			c.EqualSeeds++
		}
		c.SameConfiguration = c.SameConfiguration && a.Key == b.Key
		c.figuresEqual = c.figuresEqual && a.Metrics.Equal(b.Metrics)
		c.gatedEqual = c.gatedEqual && !slices.ContainsFunc(gated, func(m Measure) bool { return tellsApart(m, a, b) })
	}
	switch {
	case c.Seeds == 0:
		return nil
	case !known:
		c.Decisions = 0
	case c.EqualSeeds == c.Seeds:
		c.Differing = new(int64)
	}
	return c
}

// sameCourse reports whether two simulations decided alike: where rows do not say, whether
// they have the same figures.
func sameCourse(a, b *Row) bool {
	if a.Decisions.Known() && b.Decisions.Known() {
		return a.Decisions.Requests == b.Decisions.Requests && a.Decisions.Digest == b.Decisions.Digest
	}
	return a.Metrics.Equal(b.Metrics)
}

// tellsApart reports whether a measure has another value in one of two rows.
func tellsApart(m Measure, a, b *Row) bool {
	reader := m.Reader()
	x, hasX := reader.Value(a)
	y, hasY := reader.Value(b)
	return hasX != hasY || x != y
}

// IsBlind reports whether nothing that is judged can tell the candidate from the baseline
// though they are two configurations: no decision differs and no figure that is judged
// does, or no figure at all does.
func (c *Change) IsBlind() bool {
	return !c.SameConfiguration && (c.figuresEqual || c.EqualSeeds == c.Seeds && c.gatedEqual)
}

// String says what was found, such as 0 of 3,000 decisions differ.
func (c *Change) String() string {
	seeds := figure.Plural(c.Seeds, "seed")
	switch {
	case c.SameConfiguration:
		return "both sides have the same effective configuration"
	case c.Decisions == 0 && c.EqualSeeds == c.Seeds:
		return "every figure is the same over " + seeds
	case c.Decisions == 0:
		return fmt.Sprintf("figures differ under %d of %s", c.Seeds-c.EqualSeeds, seeds)
	case c.Differing != nil:
		return fmt.Sprintf("%s of %s decisions differ over %s", figure.Count(*c.Differing), figure.Count(c.Decisions), seeds)
	default:
		return fmt.Sprintf("decisions differ under %d of %s (%s decisions)", c.Seeds-c.EqualSeeds, seeds, figure.Count(c.Decisions))
	}
}
