// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// clusterInputs are the inputs that a spec may refer to on a cluster: the
// ConfigMaps of its namespace. They are read from the API server, since a cache
// of everybody's ConfigMaps would hold far more than the few that are needed.
type clusterInputs struct {
	reader    client.Reader
	namespace string
	// versions, if not nil, receives the resource version of each input, by its
	// name in the status.
	versions map[string]string
	// programs are the limits of code in policy bundles.
	programs bundle.Limits
}

// ConfigMapKey implements compile.Inputs.
func (c clusterInputs) ConfigMapKey(ctx context.Context, name, key string) ([]byte, error) {
	var cm corev1.ConfigMap
	err := c.reader.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name}, &cm)
	if apierrors.IsNotFound(err) {
		return nil, compile.Missing(fmt.Sprintf("there is no ConfigMap %s in namespace %s", name, c.namespace))
	}
	if err != nil {
		return nil, err
	}
	input := experiment.ConfigMapInput(name, key)
	if _, known := c.versions[input]; !known && c.versions != nil {
		c.versions[input] = cm.ResourceVersion
	}
	return compile.ConfigMapKey(&cm, key)
}

// OpenFile implements compile.Inputs.
func (clusterInputs) OpenFile(string) (io.ReadCloser, error) { return nil, compile.ErrNoFiles }

// OpenVolumeFile implements compile.Inputs.
func (clusterInputs) OpenVolumeFile(string, string) (io.ReadCloser, error) {
	return nil, compile.ErrOnlyPods
}

// ParsesTraces implements compile.Inputs.
func (clusterInputs) ParsesTraces() bool { return false }

// ProgramLimits implements compile.Inputs.
func (c clusterInputs) ProgramLimits() bundle.Limits { return c.programs }

// Parquet implements compile.Inputs.
func (clusterInputs) Parquet() trace.ParquetCodec { return nil }
