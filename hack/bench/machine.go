// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
	name := filepath.Join("traces", "mooncake-fast25", "conversation_trace.jsonl")
	candidates := []string{o.trace}
	if dir := os.Getenv("WINDTUNNEL_DATA"); o.trace == "" && dir != "" {
		candidates = append(candidates, filepath.Join(dir, name))
	}
	if dir, err := os.Getwd(); o.trace == "" && err == nil {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			candidates = append(candidates, filepath.Join(dir, "shared", "data", name))
		}
	}
	for _, path := range candidates {
		if _, err := os.Stat(path); path != "" && err == nil {
			return path
		}
	}
	return o.trace
}
