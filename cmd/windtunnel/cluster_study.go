// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// clusterStudy is the study of a sweep on a cluster: its rows take the place of simulations.
func clusterStudy(ctx context.Context, reader client.Reader, sweep *v1alpha1.PolicySweep) (compiledSweep, *study.Study, error) {
	stored, err := archive.Read(ctx, reader, v1alpha1.PolicySweepKind, sweep, sweep.Status.Results)
	if err != nil {
		return compiledSweep{}, nil, err
	}
	compiled, st, err := archive.Study(ctx, sweep, archive.ClusterInputs{Reader: reader, Namespace: sweep.Namespace}, stored)
	if err != nil {
		return compiledSweep{}, nil, fmt.Errorf("PolicySweep %s/%s: %w", sweep.Namespace, sweep.Name, err)
	}
	return compiledSweep{PolicySweep: sweep, Compiled: compiled}, st, nil
}
