// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// withoutPicker is the error for a point whose router is no EPP. Where other points have an
// EPP configuration, it names the best of them.
func withoutPicker(s *study.Study, point experiment.Point, model string) error {
	board, err := s.Leaderboard()
	if err != nil {
		return err
	}
	for i := range board.Candidates {
		candidate := &board.Candidates[i]
		other := s.Points()[candidate.Point]
		scenario, err := s.Plan.ScenarioAt(other, 1)
		if err != nil || !candidate.Complete() || pickerDocument(scenario, model) == nil {
			continue
		}
		return fmt.Errorf("%w: %s has native policies, and no EPP configuration says what they do; of the points with an EPP configuration, %s ranks first (rank %d)",
			ErrNothingToPromote, point, other, candidate.Rank)
	}
	return fmt.Errorf("%w: the router has no EPP configuration", ErrNothingToPromote)
}

// aroundPicker are the fields of a point's alternative, apart from the EPP configuration of a
// router, that differ from those of the scenario's own part: no file of the EPP has them. An
// admission of a parameter of its own is none of the router's.
func aroundPicker(p *experiment.Plan, parameter *experiment.Parameter, point experiment.Point) []Setting {
	own, _ := experiment.Lookup(p.Scenario, parameter.Segments).(experiment.Tree)
	scenario := maps.Clone(p.Scenario)
	var inner []string
	for i := range p.Parameters {
		q := &p.Parameters[i]
		switch value := point.Values[i].Value; {
		case value == "" || !q.IsWhole():
		case q == parameter:
			_ = q.Set(scenario, value) // a point has no name that there is not
		case q.Within(parameter):
			inner = append(inner, q.Path)
		}
	}
	other, _ := experiment.Lookup(scenario, parameter.Segments).(experiment.Tree)
	before, after := leavesBesidePicker(own), leavesBesidePicker(other)
	all := maps.Clone(before)
	maps.Copy(all, after)
	var settings []Setting
	for _, path := range slices.Sorted(maps.Keys(all)) {
		value, set := after[path]
		if !set {
			value = "its default"
		}
		isInner := slices.ContainsFunc(inner, func(of string) bool { return strings.HasPrefix(parameter.Path+path, of+".") })
		if before[path] != value && !isInner {
			settings = append(settings, Setting{Path: parameter.Path + path, Value: value})
		}
	}
	return settings
}

// leavesBesidePicker are the values of a router's fields by their paths, but for the EPP
// configuration and the policies that one has in its place.
func leavesBesidePicker(router experiment.Tree) map[string]string {
	leaves := map[string]string{}
	var walk func(tree experiment.Tree, path string)
	walk = func(tree experiment.Tree, path string) {
		for name, value := range tree {
			switch value := value.(type) {
			case experiment.Tree:
				walk(value, path+"."+name)
			default:
				leaves[path+"."+name] = fmt.Sprint(value)
			}
		}
	}
	router = maps.Clone(router)
	for _, name := range []string{"endpointPickerConfig", "policies", "model"} {
		delete(router, name)
	}
	walk(router, "")
	return leaves
}
