// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/clip"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// maxGateMessageBytes bounds what a status says of a gate, in bytes.
const maxGateMessageBytes = 512

// Judged is the verdict on a study that is over, with the results of its gates.
type Judged struct {
	verdict.Verdict
	Results []result.GateResult
	// Steps are those of a rollout; nil of another object. Results are those of the step that decides.
	Steps []result.Step
}

// View is the verdict as people read it, also of an object without gates, for which v is nil.
func (v *Judged) View() *verdict.Verdict {
	if v == nil {
		return verdict.Ungated()
	}
	return &v.Verdict
}

// Judge is the verdict on results of gates.
func Judge(results []result.GateResult) *Judged {
	return &Judged{Verdict: result.Judge(results), Results: results}
}

// judgeSteps is the verdict on the steps of a rollout.
func judgeSteps(steps []result.Step) *Judged {
	return &Judged{Verdict: result.JudgeSteps(steps), Results: result.Deciding(steps).Gates, Steps: steps}
}

// Verdict judges the gates; nil without gates. They are about the best
// point, or a run's only one, unless they say which points. Where the study ended
// with a confirmation, a point that was confirmed is judged by that alone.
func (s *Study) Verdict() (*Judged, error) {
	if len(s.criteria.Gates) == 0 {
		return nil, nil
	}
	best, ok, err := s.Best()
	if err != nil {
		return nil, err
	}
	if !ok {
		return &Judged{Verdict: verdict.Verdict{Outcome: verdict.Undecided, Reason: verdict.TooFewSeeds, Message: "no point has all of its results"}}, nil
	}
	board, err := s.Top(2)
	if err != nil {
		return nil, err
	}
	var results []result.GateResult
	ofBest, changes := false, s.changes()
	if steps := changes.steps(); steps != nil {
		v := judgeSteps(steps)
		s.fillPoints(v, board)
		return v, nil
	}
	for _, g := range s.criteria.Gates {
		results = append(results, changes.judge(g, best))
		ofBest = ofBest || isOfBest(&g)
	}
	if best == s.baseline && ofBest {
		if unexercised := changes.allUnexercised(); unexercised != nil {
			for i := range results {
				results[i] = results[i].With(unexercised)
			}
		}
	}
	v := Judge(results)
	s.fillPoints(v, board)
	if v.Outcome == verdict.Fail || !ofBest || best != s.baseline || v.Reason == verdict.ChangeNotExercised {
		return v, nil
	}
	v.Outcome, v.Reason, v.Message, v.Next = verdict.Fail, verdict.BaselineIsBest, board.KeepBaseline(), ""
	return v, nil
}

func isOfBest(g *experiment.Gate) bool { return g.Subject == "" || g.Subject == v1alpha1.GateOfBest }

// judge says what came of one gate.
func (c *changes) judge(g experiment.Gate, best int) result.GateResult {
	switch {
	case g.Subject == v1alpha1.GateOfEveryOther:
		others := c.others()
		for i := range others {
			others[i] = c.contender(&g, others[i].Name, others[i].Point, others[i].Rows)
		}
		return g.JudgeEach(others, c.standard(&g))
	case g.Subject == v1alpha1.GateOfPoint:
		return c.judgePoint(g)
	case g.Relative && best == c.Study.baseline:
		return g.AgainstItself()
	default:
		one := c.contender(&g, "", best, c.evidence(best))
		return g.JudgeOne(&one, c.standard(&g))
	}
}

// contender is a point next to the baseline, as a gate needs it.
func (c *changes) contender(g *experiment.Gate, name string, point int, rows []result.Row) result.Contender {
	return result.Contender{Name: name, Point: point, Rows: rows, Change: c.of(point, rows), ModelError: c.modelError(g, point)}
}

// standard is the baseline as a gate needs it; without rows if the study has no baseline.
func (c *changes) standard(g *experiment.Gate) *result.Contender {
	return &result.Contender{Rows: c.baseline, ModelError: c.modelError(g, c.Study.baseline)}
}

// modelError is what a gate asks for of a point.
func (c *changes) modelError(g *experiment.Gate, point int) result.ModelError {
	if !g.ModelError || point == NoBaseline {
		return result.ModelError{}
	}
	scenario, err := c.Plan.ScenarioAt(c.points[point], 1)
	if err != nil {
		panic(fmt.Sprintf("study: a point that was simulated: %v", err))
	}
	return c.Plan.Builder.ModelError(scenario, g.Measure.Checked())
}

// changes says of points how far what tells them from the baseline was exercised.
type changes struct {
	*Study
	gated    []result.Measure
	baseline []result.Row
}

func (s *Study) changes() changes {
	c := changes{Study: s}
	for _, g := range s.criteria.Gates {
		c.gated = append(c.gated, g.Measure)
	}
	if s.baseline != NoBaseline {
		c.baseline = s.evidence(s.baseline)
	}
	return c
}

// of is nil of the baseline, and without a baseline.
func (c *changes) of(point int, rows []result.Row) *result.Change {
	if c.Study.baseline == NoBaseline || point == c.Study.baseline {
		return nil
	}
	return experiment.NewChange(rows, c.baseline, c.gated, func() (before, after experiment.Tree, err error) {
		if before, err = c.Plan.ScenarioAt(c.points[c.Study.baseline], 1); err == nil {
			after, err = c.Plan.ScenarioAt(c.points[point], 1)
		}
		return before, after, err
	})
}

// allUnexercised is a change from the baseline if no other point differs from it; nil
// if one does, or there is no other.
func (c *changes) allUnexercised() *result.Change {
	var first *result.Change
	for _, other := range c.others() {
		if len(other.Rows) < len(c.Plan.Seeds) {
			continue // the search gave it up
		}
		change := c.of(other.Point, other.Rows)
		if change == nil || !change.IsBlind() {
			return nil
		}
		first = cmp.Or(first, change)
	}
	return first
}

// judgePoint judges the point that a gate names. The search may have left it out.
func (c *changes) judgePoint(g experiment.Gate) result.GateResult {
	for _, point := range c.points {
		if !point.Is(g.Point) {
			continue
		}
		return g.JudgeEach([]result.Contender{c.contender(&g, point.String(), point.ID, c.evidence(point.ID))}, c.standard(&g))
	}
	name := experiment.Point{Values: g.Point}.String()
	return result.GateResult{
		Gate: g.Gate, Point: name, Verdict: verdict.Undecided,
		Message: fmt.Sprintf("%s: the search did not simulate %s", g, name),
	}
}

// others are all points but the baseline, with their evidence.
func (s *Study) others() []result.Contender {
	byPoint := make([][]result.Row, len(s.points))
	for _, row := range s.scored() {
		byPoint[row.Point] = append(byPoint[row.Point], row)
	}
	var others []result.Contender
	for _, point := range s.points {
		if point.ID == s.baseline {
			continue
		}
		rows := oneASeed(byPoint[point.ID], point.ID)
		if s.isConfirmed(point.ID) {
			rows = s.evidence(point.ID)
		}
		others = append(others, result.Contender{Name: point.String(), Point: point.ID, Rows: rows})
	}
	return others
}

// Best returns the ID of the point that ranks first, or that was found best
// before it was confirmed; false where no point has all of its results.
func (s *Study) Best() (int, bool, error) {
	if len(s.confirmed) > 0 {
		return s.confirmed[0].Point, true, nil
	}
	board, err := s.Top(1)
	if err != nil || len(board.Candidates) == 0 || !board.Candidates[0].Complete() {
		return 0, false, err
	}
	return board.Candidates[0].Point, true, nil
}

// evidence are the rows by which a point is judged: those of its confirmation, if
// it had one.
func (s *Study) evidence(point int) []result.Row {
	if s.isConfirmed(point) {
		return oneASeed(s.confirmed, point)
	}
	return oneASeed(s.scored(), point)
}

func (s *Study) isConfirmed(point int) bool {
	return slices.ContainsFunc(s.confirmed, func(r result.Row) bool { return r.Point == point })
}

// oneASeed are the full simulations of a point among rows, one a seed: searches
// may try a point again under seeds that it had.
func oneASeed(of []result.Row, point int) []result.Row {
	var rows []result.Row
	for i := range of {
		if of[i].Point == point && of[i].Share == 1 {
			rows = append(rows, of[i])
		}
	}
	slices.SortStableFunc(rows, func(a, b result.Row) int { return cmp.Compare(a.Seed, b.Seed) })
	return slices.CompactFunc(rows, func(a, b result.Row) bool { return a.Seed == b.Seed })
}

// FillVerdict fills in what came of the gates.
func FillVerdict(status *v1alpha1.CommonStatus, v *Judged) {
	status.Gates = nil
	if v == nil {
		return
	}
	for _, gate := range v.Gates {
		status.Gates = append(status.Gates, v1alpha1.GateStatus{
			Name: gate.Name, Verdict: v1alpha1.GateOutcome(gate.Outcome), Message: clip.Text(gate.Message, maxGateMessageBytes),
		})
	}
}

// Passed is condition Passed of an object with gates.
func (v *Judged) Passed() metav1.Condition {
	return metav1.Condition{Type: v1alpha1.ConditionPassed, Status: passed[v.Outcome], Reason: string(v.Reason), Message: v.Message}
}

// passed is the status of condition Passed for an outcome.
var passed = map[verdict.Outcome]metav1.ConditionStatus{
	verdict.Pass: metav1.ConditionTrue, verdict.Fail: metav1.ConditionFalse, verdict.Undecided: metav1.ConditionUnknown,
}
