// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ClusterInputs are what a spec may refer to on a cluster.
type ClusterInputs struct {
	ConfigMaps ConfigMaps
	Namespace  string
}

// ConfigMapKey implements [compile.Inputs].
func (c ClusterInputs) ConfigMapKey(ctx context.Context, name, key string) ([]byte, error) {
	cm, err := c.ConfigMaps(ctx, c.Namespace, name)
	if apierrors.IsNotFound(err) {
		return nil, compile.Missing(fmt.Sprintf("there is no ConfigMap %s", name))
	}
	if err != nil {
		return nil, err
	}
	return compile.ConfigMapKey(cm, key)
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
