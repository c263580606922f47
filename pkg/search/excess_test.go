// SPDX-License-Identifier: Apache-2.0

package search

import "testing"

// blockBeyond is a trial of one objective and one constraint.
func blockBeyond(first int, beyond ...float64) Trial {
	t := Trial{Proposal: Proposal{Values{"a"}, Effort{Share: 1, First: first, Seeds: len(beyond)}}}
	for _, x := range beyond {
		t.Samples, t.Beyond = append(t.Samples, []float64{1}), append(t.Beyond, []float64{x})
	}
	t.settleExcess()
	return t
}

func TestAConstraintIsAboutTheMeanOverAllSeeds(t *testing.T) {
	kept := blockBeyond(0, -0.5, -0.5)
	broken := blockBeyond(2, 0.3)
	if kept.Excess != 0 || broken.Excess != 0.3 {
		t.Fatalf("excesses of the blocks are %v and %v", kept.Excess, broken.Excess)
	}
	joined := kept.and(broken)
	if joined.Excess != 0 {
		t.Errorf("one seed beyond the constraint makes an excess of %v, where the mean keeps to it", joined.Excess)
	}
	turned := blockBeyond(0, 0.3)
	all := turned.and(blockBeyond(1, -0.5, -0.5))
	if all.Excess != 0 || all.first(1).Excess != 0.3 {
		t.Errorf("excess is %v by all seeds and %v by the first", all.Excess, all.first(1).Excess)
	}
}
