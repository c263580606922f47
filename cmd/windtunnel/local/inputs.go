// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

// Inputs are what a manifest refers to: files of this machine, and the ConfigMaps that manifests give.
type Inputs struct {
	ConfigMaps []*corev1.ConfigMap
	Namespace  string
	Folder     string
	// volumes are folders by the name of a claim or the reference of an image.
	volumes map[string]string
	// programs are the limits of code in policy bundles.
	programs bundle.Limits
}

// ConfigMapKey implements [compile.Inputs].
func (l Inputs) ConfigMapKey(_ context.Context, name, key string) ([]byte, error) {
	var elsewhere []string
	for _, cm := range l.ConfigMaps {
		if cm.Name == name && cm.Namespace == l.Namespace {
			return compile.ConfigMapKey(cm, key)
		}
		if cm.Name == name {
			elsewhere = append(elsewhere, "namespace "+cm.Namespace)
		}
	}
	if len(elsewhere) > 0 {
		return nil, compile.Missing(fmt.Sprintf("ConfigMap %s is in %s, but the object that refers to it is in namespace %s",
			name, strings.Join(elsewhere, " and in "), l.Namespace))
	}
	return nil, compile.Missing(fmt.Sprintf("ConfigMap %s is not in the manifest and not in a file of --configmap", name))
}

// OpenFile implements [compile.Inputs].
func (l Inputs) OpenFile(name string) (io.ReadCloser, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(l.Folder, name)
	}
	return trace.OpenPath(name)
}

// OpenVolumeFile implements [compile.Inputs].
func (l Inputs) OpenVolumeFile(volume, path string) (io.ReadCloser, error) {
	folder, given := l.volumes[volume]
	if !given {
		return nil, compile.Missing(fmt.Sprintf("only pods of a cluster mount this volume; name a folder with its files: --volume %s=FOLDER", volume))
	}
	return trace.OpenPath(filepath.Join(folder, filepath.FromSlash(path)))
}

// ParsesTraces implements [compile.Inputs].
func (Inputs) ParsesTraces() bool { return true }

// ProgramLimits implements [compile.Inputs].
func (l Inputs) ProgramLimits() bundle.Limits { return l.programs }

// Parquet implements [compile.Inputs].
func (Inputs) Parquet() trace.ParquetCodec { return parquetfile.Codec{} }
