// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Contrast sets two sets of rows against each other in everything that was
// measured.
type Contrast struct {
	// Names are what the two are called.
	Names [2]string `json:"names"`
	// Seeds are those that both have.
	Seeds []int64 `json:"seeds"`
	// Differing are the measures with another value under some seed: those that
	// users feel before those of how replicas were used, and of each the surest
	// differences first, unless [Contrast.PutFirst] moves some. P-values are corrected for all of them.
	Differing []Contrasted `json:"differing"`
	// Equal is how many measures have the same value under every seed.
	Equal int `json:"equal"`
	// Only are the measures that one side alone has values of.
	Only [2][]Measure `json:"only"`
}

// Same reports whether no measure tells the two apart.
func (c *Contrast) Same() bool { return len(c.Differing)+len(c.Only[0])+len(c.Only[1]) == 0 }

// Contrasted is one measure of both.
type Contrasted struct {
	// Comparison is of the second against the first.
	Comparison
	// Means are over the common seeds.
	Means [2]float64 `json:"means"`
}

// NewContrast compares the rows of two runs or candidates, seed by seed; those
// of shortened or failed simulations are left out. Beside the registry's metrics
// it looks at derived ones. A set of rows of several points, contradicting rows
// and sets without a common seed are errors.
func NewContrast(names [2]string, first, second []Row, derived []Measure) (*Contrast, error) {
	c := &Contrast{Names: names}
	var sides [2][]Row
	for i, rows := range [][]Row{first, second} {
		sorted, err := sortRows(rows)
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", names[i], err)
		}
		sides[i] = completed(sorted)
		if len(sides[i]) == 0 {
			return nil, fmt.Errorf("compare %s: it has no rows of complete simulations", names[i])
		}
		if len(cut(sides[i])) > 1 {
			return nil, fmt.Errorf("compare %s: its rows are of several points; choose one, such as %s#0", names[i], names[i])
		}
	}
	for _, seed := range seedsOf(sides[0]) {
		if slices.Contains(seedsOf(sides[1]), seed) {
			c.Seeds = append(c.Seeds, seed)
		}
	}
	if len(c.Seeds) == 0 {
		return nil, fmt.Errorf("compare %s with %s: they have no seed in common", names[0], names[1])
	}
	c.contrast(sides, derived)
	c.correct()
	return c, nil
}

// contrast looks at all measures.
func (c *Contrast) contrast(sides [2][]Row, derived []Measure) {
	has := [2]map[string]bool{{}, {}}
	all := map[string]bool{}
	for i, rows := range sides {
		for j := range rows {
			for name := range rows[j].Metrics.All() {
				has[i][name], all[name] = true, true
			}
		}
	}
	measures := slices.Clone(derived)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := Of(MustParseMetric(name))
		switch {
		case !has[0][name]:
			c.Only[1] = append(c.Only[1], m)
		case !has[1][name]:
			c.Only[0] = append(c.Only[0], m)
		default:
			measures = append(measures, m)
		}
	}
	for _, m := range measures {
		xs, ys := pairs(sides[1], sides[0], m.Reader())
		switch {
		case len(xs) == 0:
		case slices.Equal(xs, ys):
			c.Equal++
		default:
			contrasted := Contrasted{Comparison: compareMeasure(sides[1], sides[0], m), Means: [2]float64{mean(ys), mean(xs)}}
			if m.hasBetter() {
				contrasted.direction = m.Direction()
			}
			c.Differing = append(c.Differing, contrasted)
		}
	}
}

// correct corrects the p-values for each other, gives the verdicts and sorts.
func (c *Contrast) correct() {
	var ps []float64
	var of []*Contrasted
	for i := range c.Differing {
		if d := &c.Differing[i]; d.PValue != nil {
			ps, of = append(ps, *d.PValue), append(of, d)
		}
	}
	for i, p := range stats.Holm(ps) {
		of[i].decide(p)
		if of[i].direction == "" && of[i].Verdict != Undecided {
			of[i].Verdict = Differs
		}
	}
	p := func(d *Contrasted) float64 {
		if d.PValue == nil {
			return 2
		}
		return *d.PValue
	}
	group := func(d *Contrasted) int {
		if d.Measure.matters() {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.Differing, func(a, b Contrasted) int {
		return cmp.Or(cmp.Compare(group(&a), group(&b)), cmp.Compare(p(&a), p(&b)))
	})
}

// PutFirst has the measures of these texts come first, in this order; the others
// follow in theirs.
func (c *Contrast) PutFirst(texts []string) {
	place := map[string]int{}
	for i, text := range texts {
		if m, errs := ParseMetric(text, nil); len(errs) == 0 {
			text = m.String()
		}
		if _, named := place[text]; !named {
			place[text] = i - len(texts)
		}
	}
	slices.SortStableFunc(c.Differing, func(a, b Contrasted) int {
		return cmp.Compare(place[a.Measure.String()], place[b.Measure.String()])
	})
}
