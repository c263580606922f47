// SPDX-License-Identifier: Apache-2.0

package main

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

type localInputs struct {
	configMaps []*corev1.ConfigMap
	namespace  string
	folder     string
	// volumes are folders by the name of a claim or the reference of an image.
	volumes map[string]string
	// programs are the limits of code in policy bundles.
	programs bundle.Limits
}

func (l localInputs) ConfigMapKey(_ context.Context, name, key string) ([]byte, error) {
	var elsewhere []string
	for _, cm := range l.configMaps {
		if cm.Name == name && cm.Namespace == l.namespace {
			return compile.ConfigMapKey(cm, key)
		}
		if cm.Name == name {
			elsewhere = append(elsewhere, "namespace "+cm.Namespace)
		}
	}
	if len(elsewhere) > 0 {
		return nil, compile.Missing(fmt.Sprintf("ConfigMap %s is in %s, but the object that refers to it is in namespace %s",
			name, strings.Join(elsewhere, " and in "), l.namespace))
	}
	return nil, compile.Missing(fmt.Sprintf("ConfigMap %s is not in the manifest and not in a file of --configmap", name))
}

func (l localInputs) OpenFile(name string) (io.ReadCloser, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(l.folder, name)
	}
	return trace.OpenPath(name)
}

func (l localInputs) OpenVolumeFile(volume, path string) (io.ReadCloser, error) {
	folder, given := l.volumes[volume]
	if !given {
		return nil, compile.Missing(fmt.Sprintf("only pods of a cluster mount this volume; name a folder with its files: --volume %s=FOLDER", volume))
	}
	return trace.OpenPath(filepath.Join(folder, filepath.FromSlash(path)))
}

func (localInputs) ParsesTraces() bool { return true }

func (l localInputs) ProgramLimits() bundle.Limits { return l.programs }

func (localInputs) Parquet() trace.ParquetCodec { return parquetfile.Codec{} }
