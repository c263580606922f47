// SPDX-License-Identifier: Apache-2.0

package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// ErrTooManyFailed says that more points failed than the plan allows.
var ErrTooManyFailed = errors.New("too many points failed")

// ErrNothingServed says in addition that no request of any point completed: what
// is wrong is what all points have in common.
var ErrNothingServed = errors.New("no point served anything")

// Study goes through the rounds of a plan. It is a pure function of the plan and
// of the rows that it has received: whoever has them can go on where another
// stopped, and gets the same rounds.
type Study struct {
	Plan      *experiment.Plan
	algorithm search.Algorithm
	criteria  *experiment.Criteria
	scale     *trialScorer

	points   []experiment.Point
	ids      map[string]int // of points, by their values
	baseline int

	proposals []search.Proposal
	round     *experiment.Round
	// inquiries are those whose answers the next round, of this index, waits for.
	inquiries []search.Inquiry
	waiting   int
	rows      []result.Row // of all rounds that are recorded
	// merged are the rows of a plan with workloads, one a trial and seed.
	merged  []result.Row
	metrics []result.Metric // of the criteria
	// confirmed are the rows under fresh seeds at the end, if there are some: of
	// the point that was found best, and of the baseline.
	confirmed []result.Row
	// failed are the points that have no figures, and why the first one has
	// none.
	failed       map[int]bool
	firstFailure string
	// policyBytes is how long the policies of all points are together.
	policyBytes int
	// simulations is the number of those of all rounds so far.
	simulations int
}

// NoBaseline is what BaselinePoint returns without a baseline.
const NoBaseline = -1

// New returns the study of a plan, before its first round.
func New(p *experiment.Plan) (*Study, error) {
	spec := field.NewPath("spec")
	algorithm, errs := p.Algorithm(spec)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	criteria, errs := p.Criteria(spec)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	s := &Study{
		Plan: p, algorithm: algorithm, criteria: criteria, scale: newTrialScorer(criteria, p.ClaimConfidence()),
		ids: map[string]int{}, baseline: NoBaseline, failed: map[int]bool{}, metrics: criteria.Metrics(),
	}
	s.next(0)
	return s, nil
}

// Round is the one under way, or nil when all is done, and while the study waits for the
// answers to Inquiries.
func (s *Study) Round() *experiment.Round { return s.round }

// Inquiries are what the plan's proposer has not answered yet; nil where the study waits
// for nothing.
func (s *Study) Inquiries() []search.Inquiry { return s.inquiries }

// Continue asks the plan's proposer again, and goes on where it has the answers.
func (s *Study) Continue() {
	if s.inquiries != nil {
		s.next(s.waiting)
	}
}

// Points returns all points that were proposed so far. A run has one, without
// values, and so has a sweep of workloads alone.
func (s *Study) Points() []experiment.Point { return s.points }

// PolicyBytes is how long the policies are together that the search made.
func (s *Study) PolicyBytes() int { return s.policyBytes }

// BaselinePoint returns the ID of the baseline, or NoBaseline.
func (s *Study) BaselinePoint() int { return s.baseline }

// Simulations is the number of simulations of all rounds so far, the one under way
// included.
func (s *Study) Simulations() int { return s.simulations }

// Rows are those of all rounds that are recorded, in their order.
func (s *Study) Rows() []result.Row { return s.rows }

// Failed is the number of points without figures.
func (s *Study) Failed() int { return len(s.failed) }

// AddRows reports the rows of the round's simulations, in their order, and goes on
// to the next round. The study keeps the rows, and the caller must not change them. Rows that are
// not those of the round are an error, and so is one point too many that failed.
func (s *Study) AddRows(rows []result.Row) error {
	if err := s.check(rows); err != nil {
		return err
	}
	merged, workloads := s.merge(rows), len(s.round.Workloads)
	trials := make([]search.Trial, len(s.proposals))
	for i, proposal := range s.proposals {
		of := merged[s.round.First(i)/workloads : s.round.Ends[i]/workloads]
		trials[i] = s.scale.trial(proposal, of)
		if trials[i].Failed() && !s.excused(of) {
			s.fail(&s.round.Trials[i], of)
		}
	}
	if most := s.Plan.MaxFailed(); len(s.failed) > most {
		err := fmt.Errorf("%w: %d, and %d may (spec.search.maxFailedTrials); the first: %s", ErrTooManyFailed, len(s.failed), most, s.firstFailure)
		if result.NothingServed(slices.Concat(s.rows, rows)) != "" {
			err = fmt.Errorf("%w: %w", ErrNothingServed, err)
		}
		return err
	}
	if s.rows == nil {
		s.rows = slices.Clip(rows)
	} else {
		s.rows = append(s.rows, rows...)
	}
	if len(s.Plan.Workloads) > 0 {
		s.merged = append(s.merged, merged...)
	}
	if c, ok := search.As[interface{ Confirming() bool }](s.algorithm); ok && c.Confirming() {
		s.confirmed = merged
	}
	s.algorithm.Tell(trials)
	s.next(s.round.Index + 1)
	return nil
}

// scored are the rows by which points are ranked and judged: one a trial and seed.
func (s *Study) scored() []result.Row {
	if len(s.Plan.Workloads) == 0 {
		return s.rows
	}
	return s.merged
}

// merge returns one row for each trial and seed of the round under way.
func (s *Study) merge(rows []result.Row) []result.Row {
	if len(s.Plan.Workloads) == 0 {
		return rows
	}
	var merged []result.Row
	for each := range slices.Chunk(rows, len(s.round.Workloads)) {
		merged = append(merged, result.MergeWorkloads(each, s.metrics))
	}
	return merged
}

// check compares rows with the round's simulations.
func (s *Study) check(rows []result.Row) error {
	if len(rows) != s.round.Simulations() {
		return fmt.Errorf("round %d has %d simulations, and there are %d rows", s.round.Index, s.round.Simulations(), len(rows))
	}
	for i := range rows {
		of := s.round.At(i)
		if rows[i].Point != of.Point.ID || rows[i].Seed != of.Seed || rows[i].Workload != of.Workload {
			return fmt.Errorf("row %d of round %d is of point %d, seed %d, workload %q, and should be of point %d, seed %d, workload %q",
				i, s.round.Index, rows[i].Point, rows[i].Seed, rows[i].Workload, of.Point.ID, of.Seed, of.Workload)
		}
	}
	return nil
}

// excused reports whether a trial failed because simulations of it were lost, and
// the plan has no budget of failed trials that it could count against: whoever lost
// them has a budget of their own.
func (s *Study) excused(rows []result.Row) bool {
	return s.Plan.MaxFailed() == 0 && slices.ContainsFunc(rows, func(row result.Row) bool { return row.Lost })
}

// fail takes note of a trial without figures.
func (s *Study) fail(trial *experiment.Trial, rows []result.Row) {
	if s.firstFailure == "" {
		s.firstFailure = failureMessage(trial, rows)
	}
	s.failed[trial.Point.ID] = true
}

func failureMessage(trial *experiment.Trial, rows []result.Row) string {
	for i := range rows {
		if rows[i].Error != "" {
			return rows[i].Error
		}
	}
	why := "no value of an objective or constraint"
	if nothing := result.NothingServed(rows); nothing != "" {
		why += ", since " + nothing
	}
	return fmt.Sprintf("point %d (%s): %s", trial.Point.ID, trial.Point, why)
}

// next asks for a round.
func (s *Study) next(index int) {
	if s.inquiries = s.unanswered(); s.inquiries != nil {
		s.round, s.proposals, s.waiting = nil, nil, index
		return
	}
	s.proposals = s.algorithm.Ask()
	if len(s.proposals) == 0 {
		s.round = nil
		return
	}
	trials := make([]experiment.Trial, len(s.proposals))
	for i, proposal := range s.proposals {
		trials[i] = experiment.Trial{Point: s.point(proposal.Point), Share: proposal.Effort.Share}
		if i > 0 && s.proposals[i-1].Effort == proposal.Effort {
			trials[i].Seeds = trials[i-1].Seeds
		} else {
			trials[i].Seeds = s.seeds(proposal.Effort)
		}
	}
	s.round = s.Plan.NewRound(index, trials)
	s.simulations += s.round.Simulations()
}

func (s *Study) seeds(of search.Effort) []int64 {
	seeds := make([]int64, of.Seeds)
	for i := range seeds {
		seeds[i] = s.Plan.Seed(of.First + i)
	}
	return seeds
}

// unanswered are the inquiries for the next round, where the proposer has no answers yet.
func (s *Study) unanswered() []search.Inquiry {
	asker, asks := search.As[interface{ Inquiries() []search.Inquiry }](s.algorithm)
	if s.Plan.Proposer == nil || !asks {
		return nil
	}
	inquiries := asker.Inquiries()
	if len(inquiries) == 0 || s.Plan.Proposer(inquiries) != nil {
		return nil
	}
	return inquiries
}

// separator joins the values of a point to a key; no value holds it.
const separator = "\x00"

// point returns the point of values, which is a new one the first time.
func (s *Study) point(values search.Values) experiment.Point {
	key := strings.Join(values, separator)
	if id, known := s.ids[key]; known {
		return s.points[id]
	}
	point := s.Plan.NewPoint(len(s.points), values)
	s.policyBytes += len(point.Policy)
	if s.Plan.IsBaseline(values) {
		s.baseline = point.ID
	}
	s.ids[key] = point.ID
	s.points = append(s.points, point)
	return point
}
