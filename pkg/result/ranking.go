// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/internal/figure"
)

// leaderboardBuilder holds entries in order of rank. There may be a hundred thousand, so
// that only what ranks them is worked out for all.
type leaderboardBuilder struct {
	LeaderboardInput
	seeds    []int64
	entries  []entry
	baseline *entry
	// readers read the objectives.
	readers []Reader
	// compared is how many entrants were tested against the baseline.
	compared int
}

// entry is a candidate and what ranks it.
type entry struct {
	candidate *Entry
	// short are its rows of shortened simulations, full those of full ones,
	// ascending by seed; failed ones are in neither.
	short, full []Row
	standing    Standing
	reason      string
	// losses are the means of the objectives, turned so that less is better;
	// nil without objectives.
	losses []float64
	excess float64
	rank   int
	// pareto and membership are those of Ranked.
	pareto     bool
	membership *float64
	// pValues are of the comparisons by objective, corrected; nil where nothing
	// was tested.
	pValues []float64
}

func newLeaderboardBuilder(in LeaderboardInput) (*leaderboardBuilder, error) {
	rows, err := inOrder(in.Rows)
	if err != nil {
		return nil, fmt.Errorf("leaderboard: %w", err)
	}
	s := &leaderboardBuilder{LeaderboardInput: in, entries: make([]entry, len(in.Candidates))}
	if in.Seeds != nil {
		s.seeds = slices.Compact(slices.Sorted(slices.Values(in.Seeds)))
	}
	for _, o := range in.Objectives {
		s.readers = append(s.readers, o.Measure.Reader())
	}
	byPoint, err := s.enter()
	if err != nil {
		return nil, fmt.Errorf("leaderboard: %w", err)
	}
	if err := s.hand(byPoint, rows); err != nil {
		return nil, fmt.Errorf("leaderboard: %w", err)
	}
	if s.seeds == nil {
		s.seeds = s.seedsInUse()
	}
	for i := range s.entries {
		s.judge(&s.entries[i])
	}
	s.rank()
	s.markFront()
	s.compare()
	return s, nil
}

// enter makes an entrant of each candidate and returns them by point.
func (s *leaderboardBuilder) enter() (map[int]*entry, error) {
	for _, o := range s.Objectives {
		if err := o.check(); err != nil {
			return nil, err
		}
	}
	byPoint := make(map[int]*entry, len(s.Candidates))
	for i := range s.Candidates {
		c := &s.Candidates[i]
		if byPoint[c.Point] != nil {
			return nil, fmt.Errorf("point %d is there twice", c.Point)
		}
		s.entries[i].candidate = c
		byPoint[c.Point] = &s.entries[i]
	}
	if s.Baseline != NoBaseline && byPoint[s.Baseline] == nil {
		return nil, fmt.Errorf("the baseline is point %d, which is not there", s.Baseline)
	}
	return byPoint, nil
}

// hand gives each entrant its rows, which are sorted.
func (s *leaderboardBuilder) hand(byPoint map[int]*entry, rows []Row) error {
	for _, of := range cut(rows) {
		e := byPoint[of[0].Point]
		if e == nil {
			return fmt.Errorf("there are rows of point %d, which is not there", of[0].Point)
		}
		if i := slices.IndexFunc(of, func(r Row) bool { return r.Failed() }); i >= 0 {
			e.standing, e.reason = Failed, of[i].Error
			of = slices.DeleteFunc(slices.Clone(of), func(r Row) bool { return r.Failed() })
		}
		short := slices.IndexFunc(of, func(r Row) bool { return r.Share == 1 })
		if short < 0 {
			short = len(of)
		}
		e.short, e.full = of[:short:short], of[short:]
	}
	return nil
}

// seedsInUse are those of all entrants that were not dropped, ascending.
func (s *leaderboardBuilder) seedsInUse() []int64 {
	seeds := map[int64]bool{}
	for i := range s.entries {
		if s.entries[i].candidate.Dropped != nil {
			continue
		}
		for _, row := range s.entries[i].full {
			seeds[row.Seed] = true
		}
	}
	all := make([]int64, 0, len(seeds))
	for seed := range seeds {
		all = append(all, seed)
	}
	slices.Sort(all)
	return all
}

// judge finds out where an entrant stands.
func (s *leaderboardBuilder) judge(e *entry) {
	if e.standing == Failed {
		return
	}
	ranking := s.ranking(e)
	e.losses = s.losses(ranking)
	switch missing := s.missing(e); {
	case e.candidate.Dropped != nil:
		e.standing, e.reason = Dropped, dropText(e)
	case len(e.full) == 0 && len(e.short) > 0:
		e.standing = Shortened
		e.reason = fmt.Sprintf("stopped at %s of the requests", figure.Share(e.short[len(e.short)-1].Share))
	case missing != "":
		e.standing, e.reason, e.losses = Incomplete, missing, nil
	default:
		e.standing = Feasible
		if e.excess, _ = Excess(s.Constraints, ranking); e.excess > 0 {
			e.standing = Infeasible
		}
	}
}

func dropText(e *entry) string {
	words := "dropped after one seed"
	if n := len(e.full); n > 1 {
		words = fmt.Sprintf("dropped after %d seeds", n)
	}
	if p := e.candidate.Dropped.PValue; p != nil {
		words += fmt.Sprintf(" (p %s)", figure.PValue(*p))
	}
	return words
}

// ranking are the rows that rank an entrant: those under the seeds of all.
func (s *leaderboardBuilder) ranking(e *entry) []Row {
	if len(e.full) <= len(s.seeds) {
		return e.full
	}
	rows := slices.Clone(e.full)
	return slices.DeleteFunc(rows, func(r Row) bool {
		_, found := slices.BinarySearch(s.seeds, r.Seed)
		return !found
	})
}

// losses returns the objectives' means; nil where one cannot be had.
func (s *leaderboardBuilder) losses(rows []Row) []float64 {
	if len(rows) == 0 {
		return nil
	}
	losses := make([]float64, len(s.Objectives))
	for i, o := range s.Objectives {
		values := s.readers[i].values(rows)
		if len(values) < len(rows) {
			return nil
		}
		losses[i] = o.Loss(mean(values))
	}
	return losses
}

// missing says what an entrant lacks to be ranked; nothing where it is whole.
func (s *leaderboardBuilder) missing(e *entry) string {
	if len(e.full) == 0 {
		return "no results"
	}
	if missing := without(s.seeds, seedsOf(e.full)); len(missing) > 0 {
		return "no result under " + figure.NamedSeeds(missing)
	}
	measures := make([]Measure, 0, len(s.Objectives)+len(s.Constraints))
	for _, o := range s.Objectives {
		measures = append(measures, o.Measure)
	}
	for _, c := range s.Constraints {
		measures = append(measures, c.Measure)
	}
	for _, m := range measures {
		var missing []int64
		for i := range e.full {
			if _, ok := m.Value(&e.full[i]); !ok {
				missing = append(missing, e.full[i].Seed)
			}
		}
		if len(missing) > 0 {
			return fmt.Sprintf("nothing measured for %s under %s", m, figure.NamedSeeds(missing))
		}
	}
	return ""
}

// rank sorts the entrants and gives them their places. Of those that share a place, the
// baseline comes first: a change that brings nothing is not worth a roll-out.
func (s *leaderboardBuilder) rank() {
	slices.SortFunc(s.entries, func(a, b entry) int {
		return cmp.Or(order(&a, &b), -cmp.Compare(s.atHome(&a), s.atHome(&b)), cmp.Compare(a.candidate.Point, b.candidate.Point))
	})
	for i := range s.entries {
		e := &s.entries[i]
		e.rank = i + 1
		if i > 0 && len(s.Objectives) > 0 && e.complete() && order(&s.entries[i-1], e) == 0 {
			e.rank = s.entries[i-1].rank
		}
		if e.candidate.Point == s.Baseline {
			s.baseline = e
		}
	}
}

// atHome is 1 for the baseline where objectives rank it.
func (s *leaderboardBuilder) atHome(e *entry) int {
	if len(s.Objectives) > 0 && e.candidate.Point == s.Baseline {
		return 1
	}
	return 0
}

// capacities says whether it is capacities that are ranked.
func (s *leaderboardBuilder) capacities() bool {
	return slices.ContainsFunc(s.Candidates, func(c Entry) bool { return c.Capacity != nil })
}

func (e *entry) complete() bool { return e.standing == Feasible || e.standing == Infeasible }

// order compares entrants by what their results say.
func order(a, b *entry) int {
	return cmp.Or(
		cmp.Compare(slices.Index(allStandings, a.standing), slices.Index(allStandings, b.standing)),
		cmp.Compare(a.excess, b.excess),
		cmp.Compare(a.candidate.Capacity.loss(), b.candidate.Capacity.loss()),
		slices.Compare(a.losses, b.losses),
	)
}

func (s *leaderboardBuilder) counts() Counts {
	c := Counts{All: len(s.entries)}
	of := map[Standing]*int{
		Feasible: &c.Feasible, Infeasible: &c.Infeasible, Dropped: &c.Dropped,
		Shortened: &c.Shortened, Incomplete: &c.Incomplete, Failed: &c.Failed,
	}
	for i := range s.entries {
		*of[s.entries[i].standing]++
	}
	return c
}

// listed returns the entrants to list, with all their figures.
func (s *leaderboardBuilder) listed() []Ranked {
	ranked, front, elites := []Ranked{}, 0, 0
	for i := range s.entries {
		e := &s.entries[i]
		elite := e.candidate.Elite != nil
		keep := s.Keep == 0 || i < s.Keep || e == s.baseline || e.pareto && front < s.Keep || elite && elites < s.Keep
		if !keep {
			continue
		}
		if e.pareto {
			front++
		}
		if elite {
			elites++
		}
		ranked = append(ranked, s.listing(e))
	}
	return ranked
}

func (s *leaderboardBuilder) listing(e *entry) Ranked {
	r := Ranked{
		Rank: e.rank, Entry: *e.candidate, Baseline: e == s.baseline,
		Standing: e.standing, Reason: e.reason, Excess: e.excess,
		Pareto: e.pareto, ParetoProbability: e.membership, Metrics: s.figures(e.full),
	}
	for i := range e.full {
		r.RejectedBy = r.RejectedBy.Plus(e.full[i].RejectedBy)
	}
	if s.baseline == nil || r.Baseline {
		return r
	}
	for i, o := range s.Objectives {
		c := compareRows(e.full, s.baseline.full, o)
		if c.PValue != nil {
			c.decide(e.pValues[i])
		}
		r.VersusBaseline = append(r.VersusBaseline, c)
	}
	return r
}

// seedsOf returns the seeds of rows, ascending.
func seedsOf(rows []Row) []int64 {
	seeds := make([]int64, 0, len(rows))
	for i := range rows {
		seeds = append(seeds, rows[i].Seed)
	}
	slices.Sort(seeds)
	return slices.Compact(seeds)
}

// without returns the members of all that are not in some; both ascending.
func without(all, some []int64) []int64 {
	var rest []int64
	for _, x := range all {
		if _, found := slices.BinarySearch(some, x); !found {
			rest = append(rest, x)
		}
	}
	return rest
}
