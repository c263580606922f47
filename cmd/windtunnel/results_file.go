// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"windtunnel.dev/windtunnel/pkg/result"
)

// printed is what of the output of run or sweep -o json is read back.
type printed struct {
	Metadata    identityMetadata `json:"metadata"`
	Leaderboard *struct {
		Candidates []result.Candidate `json:"candidates"`
	} `json:"leaderboard"`
	Status struct {
		StepTimes []string `json:"stepTimes"`
	} `json:"status"`
	Rows []result.Row `json:"rows"`
}

// readResults reads the rows of a state, or of the output of run or sweep -o
// json.
func readResults(name string) (*resultSet, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, badInput{err}
	}
	if bytes.HasPrefix(raw, stateStart) {
		return readState(name, raw)
	}
	var p printed
	if err := json.Unmarshal(raw, &p); err != nil || p.Rows == nil {
		return nil, badInput{fmt.Errorf("%s is neither the output of run or sweep -o json nor a state of a sweep", name)}
	}
	set := &resultSet{rows: p.Rows, parameters: result.Parameters{}, stepTimes: p.Status.StepTimes}
	if p.Leaderboard != nil {
		for _, c := range p.Leaderboard.Candidates {
			set.parameters[c.Point] = c.Parameters
		}
	}
	return set, nil
}

// readState reads a state's rows in their order, and leaves out one that was cut
// off.
func readState(name string, raw []byte) (*resultSet, error) {
	_, rest, _ := bytes.Cut(raw, []byte("\n"))
	set := &resultSet{parameters: result.Parameters{}}
	points := statePoints{numbers: map[string]int{}, parameters: set.parameters}
	for line := range bytes.Lines(rest) {
		var l stateLine
		if err := json.Unmarshal(line, &l); err != nil {
			if !bytes.HasSuffix(line, []byte("\n")) {
				break
			}
			return nil, badInput{fmt.Errorf("%s: %w", name, err)}
		}
		l.Row.Point = points.number(l)
		set.rows = append(set.rows, l.Row)
	}
	return set, nil
}

// statePoints number the points of a state. Where several sweeps shared the file,
// points may have one number: those that come later get another one.
type statePoints struct {
	numbers    map[string]int
	parameters result.Parameters
	// next is above all numbers.
	next int
}

func (p *statePoints) number(l stateLine) int {
	name := fmt.Sprint(l.Row.Point, l.Parameters)
	number, known := p.numbers[name]
	if known {
		return number
	}
	number = l.Row.Point
	if _, taken := p.parameters[number]; taken {
		number = p.next
	}
	p.numbers[name], p.parameters[number] = number, l.Parameters
	p.next = max(p.next, number+1)
	return number
}
