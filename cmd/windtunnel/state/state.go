// SPDX-License-Identifier: Apache-2.0

// Package state keeps the completed simulations of sweeps in a file, from which a sweep continues.
package state

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
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Version names the layout of a state file: sections, each a header and then
// a simulation a line, as they come. A sweep that goes on begins a section unless
// the last one is its own.
const Version = "windtunnel.dev/state/v3"

// Start is how every state begins, and every section.
var Start = []byte(`{"schemaVersion":"` + Version + `"`)

// header is the first line of a section.
type header struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	Owner
}

// Owner says which sweep simulated the rows of a section, and of which plan
// the numbers of their points are. Rows are found by their keys, so that a file
// serves other sweeps too.
type Owner struct {
	Namespace string `json:"namespace,omitempty"`
	Sweep     string `json:"sweep"`
	Plan      string `json:"plan"`
}

// Line is a simulation in a state file: a row, and what its point is.
type Line struct {
	Parameters []result.Assignment `json:"parameters,omitempty"`
	Row        result.Row          `json:"row,omitzero"`
	// Proposal is what came of an inquiry of the search, in place of a simulation.
	Proposal *propose.Entry `json:"proposal,omitempty"`
}

// Section is what a state holds from one header to the next.
type Section struct {
	header
	Lines []Line
}

// Sections reads the whole lines of a state.
func Sections(whole []byte) ([]Section, error) {
	var sections []Section
	number := 0
	for line := range bytes.Lines(whole) {
		number++
		if bytes.HasPrefix(line, Start) {
			var section Section
			if err := json.Unmarshal(line, &section.header); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			sections = append(sections, section)
			continue
		}
		if len(sections) == 0 {
			return nil, fmt.Errorf("line %d: a state begins with %s}", number, Start)
		}
		var l Line
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		last := &sections[len(sections)-1]
		last.Lines = append(last.Lines, l)
	}
	return withoutTriedAgain(sections), nil
}

// withoutTriedAgain leaves out the rows in which the machine decided and which a later line of
// the same sweep has again.
func withoutTriedAgain(sections []Section) []Section {
	type of struct {
		Owner
		key   string
		point int
	}
	later := map[of]bool{}
	for i := len(sections) - 1; i >= 0; i-- {
		s := &sections[i]
		var kept []Line
		for _, l := range slices.Backward(s.Lines) {
			key := of{s.Owner, l.Row.Key, l.Row.Point}
			if !l.Row.ByMachine || !later[key] {
				kept = append(kept, l)
			}
			later[key] = true
		}
		slices.Reverse(kept)
		s.Lines = kept
	}
	return sections
}

// State is a file that rows are appended to, so that work that was killed goes
// on where it was.
type State struct {
	file *os.File
	// rows are all that the file holds, by key.
	rows map[string]result.Row
	// own are the keys of those that stand in a section of the sweep's plan.
	own map[string]bool
	// Proposals are the answers that the sweep's plan got.
	Proposals []propose.Entry
}

// Open reads a file's rows and drops what was cut off at its end. A file
// that is something else is the user's mistake.
func Open(name string, sweep local.Sweep) (*State, error) {
	raw, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cli.BadInput(err)
	}
	s := &State{rows: map[string]result.Row{}, own: map[string]bool{}}
	owner := Owner{Namespace: sweep.Namespace, Sweep: sweep.Name, Plan: sweep.Plan.Hash()}
	whole, goesOn := raw[:bytes.LastIndexByte(raw, '\n')+1], false
	if !bytes.HasPrefix(Start, raw) {
		sections, err := Sections(whole)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("--state: %s is no state that this version writes: %w; name another file", name, err))
		}
		if len(sections) == 0 {
			return nil, cli.BadInput(fmt.Errorf("--state: %s is no state of a sweep; name another file", name))
		}
		s.take(sections, owner)
		goesOn = sections[len(sections)-1].Owner == owner
	}
	if s.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, cli.BadInput(err)
	}
	if err := s.begin(len(whole), owner, goesOn); err != nil {
		return nil, fmt.Errorf("state %s: %w", name, err)
	}
	return s, nil
}

func (s *State) take(sections []Section, owner Owner) {
	for _, section := range sections {
		for _, l := range section.Lines {
			if l.Proposal != nil && section.Owner == owner {
				s.Proposals = append(s.Proposals, *l.Proposal)
			}
			if l.Row.Key == "" || l.Row.ByMachine {
				continue // the machine may have more to give now
			}
			s.rows[l.Row.Key] = l.Row
			if section.Owner == owner {
				s.own[l.Row.Key] = true
			}
		}
	}
}

// begin goes to the end of what is whole, and writes a header unless the last
// section goes on.
func (s *State) begin(at int, owner Owner, goesOn bool) error {
	if err := s.file.Truncate(int64(at)); err != nil {
		return err
	}
	if _, err := s.file.Seek(int64(at), io.SeekStart); err != nil || goesOn {
		return err
	}
	return s.Append(header{SchemaVersion: Version, EngineVersion: simulator.EngineVersion, Owner: owner})
}

// Append writes a value as one line.
func (s *State) Append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(line, '\n'))
	return err
}

// Executor looks rows up and appends new ones.
func (s *State) Executor() local.Executor {
	return local.Executor{
		Known: func(key string) (result.Row, bool) { row, ok := s.rows[key]; return row, ok },
		Done:  func(point experiment.Point, row *result.Row) error { return s.keep(point, row) },
	}
}

func (s *State) keep(point experiment.Point, row *result.Row) error {
	s.own[row.Key] = true
	return s.Append(Line{Parameters: point.Assignments(), Row: *row})
}

// Complete gives the sweep's section the rows that were known from others, so that
// it holds all of the sweep.
func (s *State) Complete(st *study.Study) error {
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

// Close closes the file.
func (s *State) Close() error { return s.file.Close() }
