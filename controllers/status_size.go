// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
)

// maxStatus bounds a status, as JSON: every watcher is sent it at each change.
const maxStatus = 15 << 10

// fit leaves out of a status what does not fit, the least needed first. All of it
// is elsewhere: in the spec, the plan's ConfigMap or the leaderboard.
func fit(s subject) {
	for _, shrink := range shrinkers {
		for size(s) > maxStatus && shrink(s) {
		}
	}
}

func size(s subject) int {
	var raw []byte
	var err error
	switch s := s.(type) {
	case run:
		raw, err = json.Marshal(s.Status)
	case sweep:
		raw, err = json.Marshal(s.Status)
	}
	if err != nil {
		panic(fmt.Sprintf("controllers: marshal a status: %v", err))
	}
	return len(raw)
}

// shrinkers leave something out, and report whether they did.
var shrinkers = []func(subject) bool{
	func(s subject) bool {
		sw, ok := s.(sweep)
		if !ok || len(sw.Status.ParetoFront) == 0 {
			return false
		}
		sw.Status.ParetoFront = sw.Status.ParetoFront[:len(sw.Status.ParetoFront)-1]
		return true
	},
	func(s subject) bool {
		sw, ok := s.(sweep)
		if !ok || len(sw.Status.Lineage) == 0 {
			return false
		}
		sw.Status.Lineage = sw.Status.Lineage[1:] // the oldest
		return true
	},
	func(s subject) bool { return shorterTexts(&s.status().Warnings) },
	func(s subject) bool { return shorterTexts(&s.status().Approximations) },
	func(s subject) bool { return shorterTexts(&s.status().StepTimes) },
	func(s subject) bool {
		st := s.status()
		if len(st.Inputs) == 0 {
			return false
		}
		st.Inputs = st.Inputs[:len(st.Inputs)/2]
		return true
	},
	func(s subject) bool { sw, ok := s.(sweep); return ok && withoutParameters(sw.Status.Baseline) },
	func(s subject) bool { sw, ok := s.(sweep); return ok && withoutParameters(sw.Status.Best) },
	func(s subject) bool { sw, ok := s.(sweep); return ok && withoutObjectives(sw.Status.Baseline) },
	func(s subject) bool { sw, ok := s.(sweep); return ok && withoutObjectives(sw.Status.Best) },
	func(s subject) bool { sw, ok := s.(sweep); return ok && shorterSteps(sw.Status.Steps) },
	func(s subject) bool {
		shorter := false
		for i := range s.status().Gates {
			gate := &s.status().Gates[i]
			shorter = shorter || len(gate.Message) > minText
			gate.Message = printable.Clip(gate.Message, max(len(gate.Message)/2, minText))
		}
		return shorter
	},
	func(s subject) bool {
		shorter := false
		for i := range s.status().Conditions {
			c := &s.status().Conditions[i]
			shorter = shorter || len(c.Message) > minText
			c.Message = printable.Clip(c.Message, max(len(c.Message)/2, minText))
		}
		return shorter
	},
}

// minText is below what no text is cut, in bytes.
const minText = 128

// shorterTexts leaves the last half of texts out, and says how many are missing.
func shorterTexts(texts *[]string) bool {
	all := *texts
	if len(all) == 0 {
		return false
	}
	var missing int
	if _, err := fmt.Sscanf(all[len(all)-1], moreTexts, &missing); err == nil {
		all = all[:len(all)-1]
	}
	if len(all) == 0 {
		return false
	}
	keep := len(all) / 2
	*texts = slices.Concat(all[:keep], []string{fmt.Sprintf(moreTexts, missing+len(all)-keep)})
	return true
}

const moreTexts = "and %d more"

// withoutParameters drops a candidate's values; its summary begins with them.
func withoutParameters(c *v1alpha1.PointStatus) bool {
	if c == nil || len(c.Parameters) == 0 {
		return false
	}
	c.Parameters = nil
	return true
}

// shorterSteps cuts the messages of steps, of which the condition has that of the one that decides.
func shorterSteps(steps []v1alpha1.StepStatus) bool {
	shorter := false
	for i := range steps {
		shorter = shorter || len(steps[i].Message) > minText
		steps[i].Message = printable.Clip(steps[i].Message, max(len(steps[i].Message)/2, minText))
	}
	return shorter
}

// withoutObjectives drops a candidate's figures but those of the first objective.
func withoutObjectives(c *v1alpha1.PointStatus) bool {
	if c == nil || len(c.Objectives) <= 1 {
		return false
	}
	c.Objectives = c.Objectives[:1]
	return true
}
