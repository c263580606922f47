// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// Run is a run that is known to be right.
type Run struct {
	*v1alpha1.SimulationRun
	*compile.Compiled
	// Named is what rows say that they are of, in output about several objects.
	Named string
}

func (r Run) estimate(o *Options) (runEstimate, error) {
	return o.estimate(cli.Identify(r.TypeMeta, r.ObjectMeta), r.Plan, &r.Spec.Execution.Execution)
}

// SingleRun refuses several runs for what concerns one.
func SingleRun(runs []Run, what string) (Run, error) {
	if len(runs) > 1 {
		return Run{}, cli.BadInput(fmt.Errorf("%s needs one SimulationRun, but there are %d: select one with --name", what, len(runs)))
	}
	return runs[0], nil
}

// Sweep is a sweep that is known to be right.
type Sweep struct {
	*v1alpha1.PolicySweep
	*compile.Compiled
	// Named is what rows say that they are of, in output about several objects.
	Named string
}

func (s Sweep) estimate(o *Options) (runEstimate, error) {
	return o.estimate(cli.Identify(s.TypeMeta, s.ObjectMeta), s.Plan, &s.Spec.Execution)
}

// Label names the object in messages.
func (s Sweep) Label() string { return "PolicySweep " + s.Name }

// CompileOne compiles the one SimulationRun of the manifests, with the settings of the flags.
func (o *Options) CompileOne(ctx context.Context, stdin io.Reader, what string) (Run, error) {
	set, err := o.Load(stdin)
	if err != nil {
		return Run{}, err
	}
	var ready []Run
	err = ForEach(o, set, v1alpha1.SimulationRunKind, set.Runs, func(run *v1alpha1.SimulationRun) error {
		c, errs, err := compile.Run(ctx, run, o.Inputs(set, run), o.Settings...)
		ready = append(ready, Run{SimulationRun: run, Compiled: c})
		return Compiled(v1alpha1.SimulationRunKind, run.Name, errs, err)
	})
	if err != nil {
		return Run{}, err
	}
	return SingleRun(ready, what)
}
