// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

// maxGateWords bounds what a status says of a gate, in bytes.
const maxGateWords = 512

// Verdict is what the gates of a study that is over say.
type Verdict struct {
	// Judgement is Pass where all gates pass.
	Judgement result.Judgement
	// Words name the gate that does not.
	Words string
	Gates []result.GateResult
}

// Verdict judges the gates; nil where there are none. They are about the best
// point, or a run's only one, and where the study ended with a confirmation,
// judged by that alone.
func (s *Study) Verdict() (*Verdict, error) {
	if len(s.asked.gates) == 0 {
		return nil, nil
	}
	best, ok, err := s.Best()
	if err != nil {
		return nil, err
	}
	if !ok {
		return &Verdict{Judgement: result.Unknown, Words: "no point has all of its results"}, nil
	}
	v := &Verdict{}
	candidate, baseline := s.evidence(best), s.evidence(s.baseline)
	for _, gate := range s.asked.gates {
		v.Gates = append(v.Gates, gate.Judge(candidate, baseline))
	}
	v.Judgement, v.Words = result.Passed(v.Gates)
	return v, nil
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

// evidence are the rows by which a point is judged, one a seed: searches may try
// a point again under seeds that it had.
func (s *Study) evidence(point int) []result.Row {
	of := s.rows
	if len(s.confirmed) > 0 {
		of = s.confirmed
	}
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
func FillVerdict(status *v1alpha1.CommonStatus, v *Verdict) {
	status.Gates = nil
	if v == nil {
		return
	}
	for _, gate := range v.Gates {
		status.Gates = append(status.Gates, v1alpha1.GateStatus{
			Name: gate.Name, Verdict: v1alpha1.GateVerdict(gate.Verdict), Message: clip(gate.Words, maxGateWords),
		})
	}
}
