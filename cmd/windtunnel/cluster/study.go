// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// Study is the study of a sweep on a cluster: its rows take the place of simulations.
func Study(ctx context.Context, reader client.Reader, sweep *v1alpha1.PolicySweep) (local.Sweep, *study.Study, error) {
	stored, err := archive.Read(ctx, reader, v1alpha1.PolicySweepKind, sweep, sweep.Status.Results)
	if err != nil {
		return local.Sweep{}, nil, err
	}
	compiled, st, err := archive.Study(ctx, sweep, archive.ClusterInputs{Reader: reader, Namespace: sweep.Namespace}, stored)
	if err != nil {
		return local.Sweep{}, nil, fmt.Errorf("PolicySweep %s/%s: %w", sweep.Namespace, sweep.Name, err)
	}
	return local.Sweep{PolicySweep: sweep, Compiled: compiled}, st, nil
}
