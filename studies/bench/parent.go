// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// result is a case with what was measured of it. Requests is 0 where the case
// could not run because its trace is absent.
type result struct {
	benchCase
	measurement
}

// minutesOfRequests take minutes.
const minutesOfRequests = 10_000_000

// measureCase runs the case in child processes and takes, of the repetitions,
// the one with the median of CPU times. A case of minutes runs once.
func measureCase(c benchCase, tracePath string, repeat int) (result, error) {
	r := result{benchCase: c}
	if c.requests == 0 && tracePath == "" {
		return r, errAbsent
	}
	if c.requests >= minutesOfRequests {
		repeat = 1
	}
	var all []measurement
	for range repeat {
		m, err := inChild(c, tracePath)
		if err != nil {
			return r, err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b measurement) int { return int(a.CPU - b.CPU) })
	r.measurement = all[len(all)/2]
	return r, nil
}

// inChild runs this program again, for one case.
func inChild(c benchCase, tracePath string) (measurement, error) {
	self, err := os.Executable()
	if err != nil {
		return measurement{}, err
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), childCase+"="+c.name, childTrace+"="+tracePath)
	command.Stderr = os.Stderr
	var out bytes.Buffer
	command.Stdout = &out
	if err := command.Run(); err != nil {
		return measurement{}, fmt.Errorf("measure in a child process: %w", err)
	}
	var m measurement
	if err := json.Unmarshal(out.Bytes(), &m); err != nil {
		return measurement{}, fmt.Errorf("read what the child process measured: %w", err)
	}
	return m, nil
}
