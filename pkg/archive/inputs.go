// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ClusterInputs are what a spec may refer to on a cluster.
type ClusterInputs struct {
	Reader    client.Reader
	Namespace string
}

// ConfigMapKey implements [compile.Inputs].
func (c ClusterInputs) ConfigMapKey(ctx context.Context, name, key string) ([]byte, error) {
	var cm corev1.ConfigMap
	err := c.Reader.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: name}, &cm)
	if apierrors.IsNotFound(err) {
		return nil, compile.Missing(fmt.Sprintf("there is no ConfigMap %s", name))
	}
	if err != nil {
		return nil, err
	}
	return compile.ConfigMapKey(&cm, key)
}

// OpenFile implements [compile.Inputs]: a cluster has no files.
func (ClusterInputs) OpenFile(string) (io.ReadCloser, error) { return nil, compile.ErrNoFiles }

// OpenVolumeFile implements [compile.Inputs]: only pods mount volumes.
func (ClusterInputs) OpenVolumeFile(string, string) (io.ReadCloser, error) {
	return nil, compile.ErrOnlyPods
}

// ParsesTraces implements [compile.Inputs]: a trace is no more than its digest.
func (ClusterInputs) ParsesTraces() bool { return false }

// ProgramLimits implements compile.Inputs: the cluster has accepted the object.
func (ClusterInputs) ProgramLimits() bundle.Limits { return bundle.AnyLimits }

// Parquet implements [compile.Inputs].
func (ClusterInputs) Parquet() trace.ParquetCodec { return nil }
