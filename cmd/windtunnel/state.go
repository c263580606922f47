// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// stateVersion names the layout of a state file: sections, each a header and then
// a simulation a line, as they come. A sweep that goes on begins a section unless
// the last one is its own.
const stateVersion = "windtunnel.dev/state/v3"

// stateStart is how every state begins, and every section.
var stateStart = []byte(`{"schemaVersion":"` + stateVersion + `"`)

// stateHeader is the first line of a section.
type stateHeader struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	stateOwner
}

// stateOwner says which sweep simulated the rows of a section, and of which plan
// the numbers of their points are. Rows are found by their keys, so that a file
// serves other sweeps too.
type stateOwner struct {
	Namespace string `json:"namespace,omitempty"`
	Sweep     string `json:"sweep"`
	Plan      string `json:"plan"`
}

// stateLine is a simulation in a state file: a row, and what its point is.
type stateLine struct {
	Parameters []result.Assignment `json:"parameters,omitempty"`
	Row        result.Row          `json:"row,omitzero"`
	// Proposal is what came of an inquiry of the search, in place of a simulation.
	Proposal *propose.Entry `json:"proposal,omitempty"`
}

// stateSection is what a state holds from one header to the next.
type stateSection struct {
	stateHeader
	lines []stateLine
}

// sectionsOf reads the whole lines of a state.
func sectionsOf(whole []byte) ([]stateSection, error) {
	var sections []stateSection
	number := 0
	for line := range bytes.Lines(whole) {
		number++
		if bytes.HasPrefix(line, stateStart) {
			var section stateSection
			if err := json.Unmarshal(line, &section.stateHeader); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			sections = append(sections, section)
			continue
		}
		if len(sections) == 0 {
			return nil, fmt.Errorf("line %d: a state begins with %s}", number, stateStart)
		}
		var l stateLine
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		last := &sections[len(sections)-1]
		last.lines = append(last.lines, l)
	}
	return withoutTriedAgain(sections), nil
}

// withoutTriedAgain leaves out the rows in which the machine decided and which a later line of
// the same sweep has again.
func withoutTriedAgain(sections []stateSection) []stateSection {
	type of struct {
		stateOwner
		key   string
		point int
	}
	later := map[of]bool{}
	for i := len(sections) - 1; i >= 0; i-- {
		s := &sections[i]
		var kept []stateLine
		for _, l := range slices.Backward(s.lines) {
			key := of{s.stateOwner, l.Row.Key, l.Row.Point}
			if !l.Row.ByMachine || !later[key] {
				kept = append(kept, l)
			}
			later[key] = true
		}
		slices.Reverse(kept)
		s.lines = kept
	}
	return sections
}

// state is a file that rows are appended to, so that work that was killed goes
// on where it was.
type state struct {
	file *os.File
	// rows are all that the file holds, by key.
	rows map[string]result.Row
	// own are the keys of those that stand in a section of the sweep's plan.
	own map[string]bool
	// proposals are the answers that the sweep's plan got.
	proposals []propose.Entry
}

// openState reads a file's rows and drops what was cut off at its end. A file
// that is something else is the user's mistake.
func openState(name string, sweep compiledSweep) (*state, error) {
	raw, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cli.BadInput(err)
	}
	s := &state{rows: map[string]result.Row{}, own: map[string]bool{}}
	owner := stateOwner{Namespace: sweep.Namespace, Sweep: sweep.Name, Plan: sweep.Plan.Hash()}
	whole, goesOn := raw[:bytes.LastIndexByte(raw, '\n')+1], false
	if !bytes.HasPrefix(stateStart, raw) {
		sections, err := sectionsOf(whole)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("--state: %s is no state that this version writes: %w; name another file", name, err))
		}
		if len(sections) == 0 {
			return nil, cli.BadInput(fmt.Errorf("--state: %s is no state of a sweep; name another file", name))
		}
		s.take(sections, owner)
		goesOn = sections[len(sections)-1].stateOwner == owner
	}
	if s.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, cli.BadInput(err)
	}
	if err := s.begin(len(whole), owner, goesOn); err != nil {
		return nil, fmt.Errorf("state %s: %w", name, err)
	}
	return s, nil
}

func (s *state) take(sections []stateSection, owner stateOwner) {
	for _, section := range sections {
		for _, l := range section.lines {
			if l.Proposal != nil && section.stateOwner == owner {
				s.proposals = append(s.proposals, *l.Proposal)
			}
			if l.Row.Key == "" || l.Row.ByMachine {
				continue // the machine may have more to give now
			}
			s.rows[l.Row.Key] = l.Row
			if section.stateOwner == owner {
				s.own[l.Row.Key] = true
			}
		}
	}
}

// begin goes to the end of what is whole, and writes a header unless the last
// section goes on.
func (s *state) begin(at int, owner stateOwner, goesOn bool) error {
	if err := s.file.Truncate(int64(at)); err != nil {
		return err
	}
	if _, err := s.file.Seek(int64(at), io.SeekStart); err != nil || goesOn {
		return err
	}
	return s.append(stateHeader{SchemaVersion: stateVersion, EngineVersion: simulator.EngineVersion, stateOwner: owner})
}

func (s *state) append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(line, '\n'))
	return err
}

// executor looks rows up and appends new ones.
func (s *state) executor() executor {
	return executor{
		known: func(key string) (result.Row, bool) { row, ok := s.rows[key]; return row, ok },
		done:  func(point experiment.Point, row *result.Row) error { return s.keep(point, row) },
	}
}

func (s *state) keep(point experiment.Point, row *result.Row) error {
	s.own[row.Key] = true
	return s.append(stateLine{Parameters: point.Assignments(), Row: *row})
}

// complete gives the sweep's section the rows that were known from others, so that
// it holds all of the sweep.
func (s *state) complete(st *study.Study) error {
	rows, points := st.Rows(), st.Points()
	for i := range rows {
		if row := &rows[i]; row.Key != "" && !s.own[row.Key] {
			if err := s.keep(points[row.Point], row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *state) close() error { return s.file.Close() }
