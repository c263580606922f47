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

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// stateVersion names the layout of a state file: a header, then a simulation a
// line, as they come.
const stateVersion = "windtunnel.dev/state/v2"

// stateStart is how every state begins.
var stateStart = []byte(`{"schemaVersion":"` + stateVersion + `"`)

// stateHeader is the first line of a state file.
type stateHeader struct {
	SchemaVersion string `json:"schemaVersion"`
	// EngineVersion and Plan say what the file was begun for. Rows are found by
	// their keys, so that a file serves other plans too.
	EngineVersion string `json:"engineVersion"`
	Plan          string `json:"plan"`
}

// stateLine is a simulation in a state file: a row, and what its point is.
// Numbers of points are those of the plan that it was simulated for.
type stateLine struct {
	Parameters []result.Assignment `json:"parameters,omitempty"`
	Row        result.Row          `json:"row"`
}

// state is a file that rows are appended to, so that work that was killed goes
// on where it was. A nil state remembers nothing.
type state struct {
	file *os.File
	rows map[string]result.Row
}

// openState reads a file's rows and drops what was cut off at its end. A file
// that is something else is the user's mistake.
func openState(name string, plan *experiment.Plan) (*state, error) {
	raw, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, badInput{err}
	}
	s := &state{rows: map[string]result.Row{}}
	whole := raw[:bytes.LastIndexByte(raw, '\n')+1]
	if !bytes.HasPrefix(stateStart, raw) {
		if err := s.read(name, whole); err != nil {
			return nil, err
		}
	}
	if s.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, badInput{err}
	}
	if err := s.begin(len(whole), plan); err != nil {
		return nil, fmt.Errorf("state %s: %w", name, err)
	}
	return s, nil
}

func (s *state) read(name string, whole []byte) error {
	header, rest, _ := bytes.Cut(whole, []byte("\n"))
	var h stateHeader
	if json.Unmarshal(header, &h) != nil || h.SchemaVersion != stateVersion {
		return badInput{fmt.Errorf("--state: %s is no state of a sweep; name another file", name)}
	}
	for line := range bytes.Lines(rest) {
		var l stateLine
		if err := json.Unmarshal(line, &l); err == nil && l.Row.Key != "" {
			s.rows[l.Row.Key] = l.Row
		}
	}
	return nil
}

// begin goes to the end of what is whole, and writes the header of a new file.
func (s *state) begin(at int, plan *experiment.Plan) error {
	if err := s.file.Truncate(int64(at)); err != nil {
		return err
	}
	if _, err := s.file.Seek(int64(at), io.SeekStart); err != nil || at > 0 {
		return err
	}
	return s.append(stateHeader{SchemaVersion: stateVersion, EngineVersion: simulator.EngineVersion, Plan: plan.Hash()})
}

func (s *state) append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(line, '\n'))
	return err
}

// conductor looks rows up and appends new ones.
func (s *state) conductor() conductor {
	if s == nil {
		return conductor{}
	}
	return conductor{
		known: func(key string) (result.Row, bool) { row, ok := s.rows[key]; return row, ok },
		done: func(point experiment.Point, row *result.Row) error {
			return s.append(stateLine{Parameters: point.Assignments(), Row: *row})
		},
	}
}

func (s *state) close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}
