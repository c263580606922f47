// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// clusterStudy is the study of a sweep on a cluster: its rows take the place of simulations.
func clusterStudy(ctx context.Context, reader client.Reader, sweep *v1alpha1.PolicySweep) (compiledSweep, *study.Study, error) {
	label := fmt.Sprintf("PolicySweep %s/%s", sweep.Namespace, sweep.Name)
	set := &resultSet{}
	if err := set.read(ctx, reader, kindSweep, sweep, sweep.Status.Results); err != nil {
		return compiledSweep{}, nil, err
	}
	compiled, errs, err := compile.Sweep(ctx, sweep, clusterInputs{reader, sweep.Namespace})
	switch {
	case err != nil:
		return compiledSweep{}, nil, err
	case len(errs) > 0:
		return compiledSweep{}, nil, badInputError{fmt.Errorf("%s is invalid:\n%s", label, bulletList(errs))}
	case compiled.Plan.Hash() != sweep.Status.PlanHash:
		return compiledSweep{}, nil, badInputError{fmt.Errorf("%s: the results are those of another spec or of another version of Windtunnel: wait until the manager has run the present spec, or use the manager's version of this command", label)}
	}
	st, err := set.study(compiled.Plan)
	if err != nil {
		return compiledSweep{}, nil, err
	}
	if err := replay(st, set.rows); err != nil {
		return compiledSweep{}, nil, fmt.Errorf("%s: %w", label, err)
	}
	return compiledSweep{PolicySweep: sweep, Compiled: compiled}, st, nil
}
