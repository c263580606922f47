// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// compiledRun is a run that is known to be right.
type compiledRun struct {
	*v1alpha1.SimulationRun
	*compile.Compiled
	// named is what rows say that they are of, in output about several objects.
	named string
}

// singleRun refuses several runs for what concerns one.
func singleRun(runs []compiledRun, what string) (compiledRun, error) {
	if len(runs) > 1 {
		return compiledRun{}, cli.BadInput(fmt.Errorf("%s needs one SimulationRun, but there are %d: select one with --name", what, len(runs)))
	}
	return runs[0], nil
}

// compiledSweep is a sweep that is known to be right.
type compiledSweep struct {
	*v1alpha1.PolicySweep
	*compile.Compiled
	// named is what rows say that they are of, in output about several objects.
	named string
}

// label names the object in messages.
func (s compiledSweep) label() string { return "PolicySweep " + s.Name }

// compileOne compiles the one SimulationRun of the manifests.
func (o *localOptions) compileOne(ctx context.Context, stdin io.Reader, what string) (compiledRun, error) {
	set, err := o.load(stdin)
	if err != nil {
		return compiledRun{}, err
	}
	var ready []compiledRun
	err = forEach(o, set, v1alpha1.SimulationRunKind, set.Runs, func(run *v1alpha1.SimulationRun) error {
		c, errs, err := compile.Run(ctx, run, o.inputs(set, run))
		ready = append(ready, compiledRun{SimulationRun: run, Compiled: c})
		return compiled(v1alpha1.SimulationRunKind, run.Name, errs, err)
	})
	if err != nil {
		return compiledRun{}, err
	}
	return singleRun(ready, what)
}
