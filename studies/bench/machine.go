// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"windtunnel.dev/windtunnel/studies/study"
)

// machine names the processor.
func machine() string {
	model := runtime.GOARCH
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		info = nil
	}
	for line := range strings.Lines(string(info)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%d cores of %s", runtime.NumCPU(), model)
}

// tracePath is where the Mooncake trace is, or "": the file of -trace, or the
// place where the tests look, see internal/testdata.
func (o options) tracePath() string {
	if o.trace != "" {
		return o.trace
	}
	path, err := study.DataFile("traces", "mooncake-fast25", "conversation_trace.jsonl")
	if err != nil {
		return ""
	}
	return path
}
