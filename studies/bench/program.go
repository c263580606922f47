// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// program is a command that is measured as a whole process, with its start-up, as a user
// sees it.
type program struct {
	// name is what the table says.
	name string
	// units is how many requests, or trials of a sweep, it simulates; 0 for a command that simulates nothing.
	units int
	// folder is where the command runs; empty is the current folder.
	folder string
	args   []string
}

// cost is what a process took: user and system time, the clock's, and its largest resident set.
type cost struct {
	CPU, Wall time.Duration
	PeakBytes int64
}

// run starts the program once and waits for it.
func (p program) run() (cost, error) {
	command := exec.Command(p.args[0], p.args[1:]...)
	command.Dir = p.folder
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	start := time.Now()
	if err := command.Run(); err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", p.name, err, output.Bytes())
	}
	used := command.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{
		CPU:       command.ProcessState.UserTime() + command.ProcessState.SystemTime(),
		Wall:      time.Since(start),
		PeakBytes: used.Maxrss * 1024,
	}, nil
}

// inTurn runs programs one after the other, several times, and returns the cost of each with
// the median of CPU times. A load of the machine that lasts is one on all of them.
func inTurn(repeat int, programs ...program) ([]cost, error) {
	all := make([][]cost, len(programs))
	for range repeat {
		for i, p := range programs {
			c, err := p.run()
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], c)
		}
	}
	medians := make([]cost, len(programs))
	for i, costs := range all {
		slices.SortFunc(costs, func(a, b cost) int { return int(a.CPU - b.CPU) })
		medians[i] = costs[len(costs)/2]
	}
	return medians, nil
}
