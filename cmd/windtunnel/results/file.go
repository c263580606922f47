// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"fmt"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/cmd/windtunnel/state"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
)

// ReadFile reads the rows of a state, or of the output of run or sweep -o
// json.
func ReadFile(name string) (*Set, error) {
	raw, err := input.Read(name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(raw, state.Start) {
		return readState(name, raw)
	}
	objects, err := archive.ReadPrinted(raw)
	if err != nil {
		if other := input.Unfit(name, raw, "results are in the output of run or sweep -o json, and in the state of a sweep"); other != nil {
			return nil, other
		}
		return nil, cli.BadInput(fmt.Errorf("%s is neither the output of run or sweep -o json nor a state of a sweep", name))
	}
	set := &Set{Parameters: dataframe.Parameters{}}
	if len(objects) == 1 {
		set.StepTimes = objects[0].Status.StepTimes
	}
	for _, p := range objects {
		set.Rows = append(set.Rows, p.Rows...)
		if p.Leaderboard == nil || len(p.Rows) == 0 {
			continue
		}
		for _, c := range p.Leaderboard.Candidates {
			set.Parameters[dataframe.PointName{Object: p.Rows[0].Object, Point: c.Point}] = c.Parameters
		}
	}
	return set, nil
}

// readState reads a state's rows in their order, and leaves out one that was cut
// off. Where several sweeps, or several plans of one, share the file, each row says
// which one it is of.
func readState(name string, raw []byte) (*Set, error) {
	sections, err := state.Sections(raw[:bytes.LastIndexByte(raw, '\n')+1])
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	names := ownerNames(sections)
	set := &Set{Parameters: dataframe.Parameters{}}
	for _, section := range sections {
		for _, l := range section.Lines {
			if l.Proposal != nil {
				continue
			}
			l.Row.Object = names[section.Owner]
			set.Rows = append(set.Rows, l.Row)
			set.Parameters[dataframe.PointNameOf(&l.Row)] = l.Parameters
		}
	}
	return set, nil
}

// ownerNames tell the owners of sections apart: by the sweep's name, with the
// namespace and the beginning of the plan's hash where that is needed. One owner
// alone has no name.
func ownerNames(sections []state.Section) map[state.Owner]string {
	names := map[state.Owner]string{}
	for _, section := range sections {
		names[section.Owner] = ""
	}
	if len(names) < 2 {
		return names
	}
	for owner := range names {
		name := owner.Sweep
		var elsewhere, otherPlan bool
		for other := range names {
			if other.Sweep == owner.Sweep {
				elsewhere = elsewhere || other.Namespace != owner.Namespace
				otherPlan = otherPlan || other.Namespace == owner.Namespace && other.Plan != owner.Plan
			}
		}
		if elsewhere {
			name = owner.Namespace + "/" + name
		}
		if otherPlan {
			name += "@" + owner.Plan[:min(8, len(owner.Plan))]
		}
		names[owner] = name
	}
	return names
}
