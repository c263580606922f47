// SPDX-License-Identifier: Apache-2.0

package latency

import "time"

// groupTimer is what [Ranks] are, with drafts or without: drafts cost what they cost the rank
// with the most sequences, but for the layer of a draft model, which the ranks compute as they
// compute the model's own.
type groupTimer interface {
	GroupStepTime(ranks []Step) time.Duration
}

// GroupStepTime is StepTime for ranks that step together, as the target's.
func (d searchedDrafts) GroupStepTime(ranks []Step) time.Duration {
	return d.StepTimer.(groupTimer).GroupStepTime(ranks) + time.Duration(mostSequences(ranks))*d.perSequence
}

// GroupStepTime is StepTime for ranks that step together, as the target's.
func (d passedDrafts) GroupStepTime(ranks []Step) time.Duration {
	return d.StepTimer.(groupTimer).GroupStepTime(ranks) + d.passes
}

// GroupStepTime is StepTime for ranks that step together, as the target's.
func (d modelDrafts) GroupStepTime(ranks []Step) time.Duration {
	layer := d.layer.(groupTimer)
	t := d.target.(groupTimer).GroupStepTime(ranks) + layer.GroupStepTime(ranks)
	if d.passes > 1 {
		next := make([]Step, len(ranks))
		for n := range ranks {
			next[n] = ranks[n].onePerSequence()
		}
		t += time.Duration(d.passes-1) * layer.GroupStepTime(next)
	}
	return t + d.heads(mostSequences(ranks))
}

func mostSequences(ranks []Step) int {
	most := 0
	for n := range ranks {
		most = max(most, ranks[n].Sequences)
	}
	return most
}
