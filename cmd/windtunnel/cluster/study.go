// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/kube"
)

// Study is the study of a sweep on a cluster: its rows take the place of simulations.
func Study(ctx context.Context, c *kube.Client, sweep *v1alpha1.PolicySweep) (local.Sweep, *study.Study, error) {
	stored, err := archive.Read(ctx, ConfigMaps(c), v1alpha1.PolicySweepKind, sweep, sweep.Status.Results)
	if err != nil {
		return local.Sweep{}, nil, err
	}
	compiled, st, err := archive.Study(ctx, sweep, archive.ClusterInputs{ConfigMaps: ConfigMaps(c), Namespace: sweep.Namespace}, stored)
	if err != nil {
		return local.Sweep{}, nil, fmt.Errorf("PolicySweep %s/%s: %w", sweep.Namespace, sweep.Name, err)
	}
	return local.Sweep{PolicySweep: sweep, Compiled: compiled}, st, nil
}

// ConfigMaps reads the ConfigMaps in which an object's results are.
func ConfigMaps(c *kube.Client) archive.ConfigMaps {
	return func(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
		var cm corev1.ConfigMap
		err := c.Get(ctx, kube.ConfigMaps, types.NamespacedName{Namespace: namespace, Name: name}, &cm)
		return &cm, err
	}
}
