// SPDX-License-Identifier: Apache-2.0

package page

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// SweepData are the numbers of a sweep's charts, in the units in which people read them. Columns
// have an entry for each point, in order of rank.
type SweepData struct {
	Objectives []Axis       `json:"objectives"`
	Parameters []Parameter  `json:"parameters"`
	Points     Points       `json:"points"`
	Versus     []Difference `json:"versus"`
	// All is the number of points of the sweep, of which the columns have a sample if they are
	// fewer.
	All int `json:"all"`
	// Best and Baseline are places in the columns; -1 is none.
	Best     int `json:"best"`
	Baseline int `json:"baseline"`
	// Evolution is nil where no policy evolves.
	Evolution *Evolution `json:"evolution,omitempty"`
	// Series are those of the baseline and of the best point; nil without series.
	Series *SeriesData `json:"series,omitempty"`
}

// Axis is an objective.
type Axis struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	// LessIsBetter is false where more is better.
	LessIsBetter bool    `json:"lessIsBetter,omitempty"`
	Bounds       []Bound `json:"bounds,omitempty"`
}

// Bound is a limit of a constraint or of a gate.
type Bound struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Parameter is an axis of the search.
type Parameter struct {
	Name string `json:"name"`
	// Labels are the values in order if they are not all numbers.
	Labels []string `json:"labels,omitempty"`
}

// Points are columns. Values and figures are null if a point has none.
type Points struct {
	ID       []int    `json:"id"`
	Rank     []int    `json:"rank"`
	Standing []string `json:"standing"`
	Pareto   []bool   `json:"pareto"`
	// Certainty is the probability of being on the Pareto front.
	Certainty []*float64 `json:"certainty"`
	// Values has a column for each parameter: numbers, or places in its labels.
	Values [][]*float64 `json:"values"`
	// Mean, Low and High have a column for each objective; Low and High are the ends of the
	// interval, null for one seed.
	Mean [][]*float64 `json:"mean"`
	Low  [][]*float64 `json:"low"`
	High [][]*float64 `json:"high"`
}

// Difference is that of a point from the baseline in an objective, in percent.
type Difference struct {
	Point     int      `json:"point"`
	Rank      int      `json:"rank"`
	Name      string   `json:"name"`
	Objective int      `json:"objective"`
	Percent   float64  `json:"percent"`
	Half      *float64 `json:"half"`
	// Low is the lower end of the interval: a figure that is never negative loses 100 % at most.
	Low     *float64      `json:"low"`
	Verdict result.Effect `json:"verdict"`
	// Alike is how many more points have the same rank and difference, which the chart leaves out.
	Alike int `json:"alike,omitempty"`
}

// Bounds of what charts show.
const (
	// mostPoints is how many points the columns have at most.
	mostPoints = 20000
	// mostCompared is how many points the chart of differences has at most.
	mostCompared = 12
)

// NewSweepData returns the numbers of a report.
func NewSweepData(r *report.Sweep) *SweepData {
	shown := sample(r.Board.Candidates)
	d := &SweepData{
		Objectives: axes(r), Parameters: parameters(shown), All: r.Board.Counts.All, Best: -1, Baseline: -1, Versus: []Difference{},
	}
	d.Points = newPoints(len(shown), len(d.Parameters), len(d.Objectives))
	for i, c := range shown {
		d.Points.set(i, c)
		for j := range d.Parameters {
			d.Points.Values[j][i] = d.Parameters[j].place(c)
		}
		for j, o := range r.Board.Objectives {
			d.Points.setFigures(i, j, c, o.Measure)
		}
		if c.Point == r.Best {
			d.Best = i
		}
		if c.Baseline {
			d.Baseline = i
		}
		d.compare(c, c.Point == r.Best)
	}
	d.Evolution = newEvolution(r, shown, d.Parameters)
	return d
}

// compare adds the differences of a point to the chart, which has the first ones and the best one.
// A point that is like one of the chart is counted there.
func (d *SweepData) compare(c *result.Ranked, best bool) {
	all := differences(c)
	if len(all) == 0 {
		return
	}
	distinct := 0
	for i := range d.Versus {
		v := &d.Versus[i]
		if v.Objective != all[0].Objective {
			continue
		}
		distinct++
		if !best && v.like(&all[0]) {
			v.Alike++
			return
		}
	}
	if best || distinct < mostCompared {
		d.Versus = append(d.Versus, all...)
	}
}

// like reports whether two points have one rank and one difference: rank is by all objectives.
func (v *Difference) like(other *Difference) bool {
	sameHalf := v.Half == other.Half || v.Half != nil && other.Half != nil && *v.Half == *other.Half
	return v.Rank == other.Rank && v.Percent == other.Percent && v.Verdict == other.Verdict && sameHalf
}

// sample returns the candidates that charts show: all, or those that matter and others at equal
// distances.
func sample(all []result.Ranked) []*result.Ranked {
	every := 1 + len(all)/mostPoints
	var shown []*result.Ranked
	for i := range all {
		if c := &all[i]; i%every == 0 || i < mostCompared || c.Baseline || c.Pareto || c.Elite != nil {
			shown = append(shown, c)
		}
	}
	return shown
}

// axes are the objectives, with the limits of constraints and gates on them.
func axes(r *report.Sweep) []Axis {
	list := []Axis{}
	for _, o := range r.Board.Objectives {
		display := o.Measure.Unit().Display()
		a := Axis{
			Name: o.Measure.String(), Unit: display.Suffix,
			LessIsBetter: o.Direction == result.Minimize,
		}
		for _, c := range r.Board.Constraints {
			if c.Measure.String() == a.Name {
				a.Bounds = append(a.Bounds, Bound{c.String(), c.Bound * display.Factor})
			}
		}
		for _, g := range r.Gates {
			if g.Measure.String() == a.Name && !g.Relative {
				a.Bounds = append(a.Bounds, Bound{g.Name, g.Bound * display.Factor})
			}
		}
		list = append(list, a)
	}
	return list
}

// parameters are those of all points, in the order in which points state them.
func parameters(points []*result.Ranked) []Parameter {
	list := []Parameter{}
	for _, c := range points {
		for _, a := range c.Parameters {
			if !slices.ContainsFunc(list, func(p Parameter) bool { return p.Name == a.Name }) {
				list = append(list, Parameter{Name: a.Name})
			}
		}
	}
	for i := range list {
		list[i].Labels = labels(points, list[i].Name)
	}
	return list
}

// labels are the distinct values of a parameter, sorted; none if all are numbers.
func labels(points []*result.Ranked, name string) []string {
	values := map[string]bool{}
	numbers := true
	for _, c := range points {
		if value, ok := valueOf(c, name); ok && !values[value] {
			values[value] = true
			_, err := strconv.ParseFloat(value, 64)
			numbers = numbers && err == nil
		}
	}
	if numbers {
		return nil
	}
	return slices.Sorted(maps.Keys(values))
}

func valueOf(c *result.Ranked, name string) (string, bool) {
	for _, a := range c.Parameters {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// place is a point's value on the parameter's axis; nil if it has none.
func (p *Parameter) place(c *result.Ranked) *float64 {
	text, ok := valueOf(c, p.Name)
	if !ok {
		return nil
	}
	if p.Labels != nil {
		at, _ := slices.BinarySearch(p.Labels, text)
		return number(float64(at))
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return number(value)
}

func newPoints(points, parameters, objectives int) Points {
	columns := func(n int) [][]*float64 {
		all := make([][]*float64, n)
		for i := range all {
			all[i] = make([]*float64, points)
		}
		return all
	}
	return Points{
		ID: make([]int, points), Rank: make([]int, points), Standing: make([]string, points), Pareto: make([]bool, points), Certainty: make([]*float64, points),
		Values: columns(parameters), Mean: columns(objectives), Low: columns(objectives), High: columns(objectives),
	}
}

func (p *Points) set(i int, c *result.Ranked) {
	p.ID[i], p.Rank[i], p.Standing[i], p.Pareto[i] = c.Point, c.Rank, string(c.Standing), c.Pareto
	if c.ParetoProbability != nil {
		p.Certainty[i] = number(*c.ParetoProbability)
	}
}

func (p *Points) setFigures(i, objective int, c *result.Ranked, m result.Measure) {
	interval, ok := c.Metrics[m.String()]
	if !ok || interval.N == 0 {
		return
	}
	factor := m.Unit().Display().Factor
	p.Mean[objective][i] = number(interval.Mean * factor)
	if interval.N > 1 {
		p.Low[objective][i], p.High[objective][i] = number(m.Unit().LowEnd(interval.Low)*factor), number(interval.High*factor)
	}
}

// differences are those of a point from the baseline.
func differences(c *result.Ranked) []Difference {
	var all []Difference
	for i := range c.VersusBaseline {
		v := &c.VersusBaseline[i]
		if v.Relative == nil {
			continue
		}
		d := Difference{Point: c.Point, Rank: c.Rank, Name: c.Title(), Objective: i, Percent: *rounded(*v.Relative * 100), Verdict: v.Verdict}
		if v.RelativeHalfWidth != nil {
			d.Half = rounded(*v.RelativeHalfWidth * 100)
			d.Low = rounded(v.RelativeLow() * 100)
		}
		all = append(all, d)
	}
	return all
}

// number is a finite number with six digits; nil for others.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return rounded(x)
}

// rounded keeps six digits, which is more than a chart shows.
func rounded(x float64) *float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		y = x
	}
	return &y
}
