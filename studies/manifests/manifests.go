// SPDX-License-Identifier: Apache-2.0

// Package manifests reads the objects that studies vary.
package manifests

import (
	"bytes"
	"fmt"
	"os"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// Run reads the first run of a manifest.
func Run(path string) (*v1alpha1.SimulationRun, error) {
	set, err := read(path)
	if err != nil {
		return nil, err
	}
	if len(set.Runs) == 0 {
		return nil, fmt.Errorf("%s: no SimulationRun", path)
	}
	return set.Runs[0], nil
}

// Sweep reads the first sweep of a manifest.
func Sweep(path string) (*v1alpha1.PolicySweep, error) {
	set, err := read(path)
	if err != nil {
		return nil, err
	}
	if len(set.Sweeps) == 0 {
		return nil, fmt.Errorf("%s: no PolicySweep", path)
	}
	return set.Sweeps[0], nil
}

func read(path string) (*manifest.Set, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return manifest.Read(bytes.NewReader(text), path)
}
