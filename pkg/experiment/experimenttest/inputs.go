// SPDX-License-Identifier: Apache-2.0

package experimenttest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Inputs holds the keys of ConfigMaps as name/key, and the files of volumes as
// volume/path. It parses traces, as the local commands do, and has no local files.
type Inputs map[string][]byte

var _ compile.Inputs = Inputs{}

// ConfigMapKey returns a key of a ConfigMap.
func (in Inputs) ConfigMapKey(_ context.Context, name, key string) ([]byte, error) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, BinaryData: map[string][]byte{}}
	for path, raw := range in {
		if owner, key, _ := strings.Cut(path, "/"); owner == name {
			cm.BinaryData[key] = raw
		}
	}
	return compile.ConfigMapKey(cm, key)
}

// OpenFile returns [compile.ErrNoFiles].
func (Inputs) OpenFile(string) (io.ReadCloser, error) { return nil, compile.ErrNoFiles }

// OpenVolumeFile opens a file of a volume, or returns [compile.ErrOnlyPods].
func (in Inputs) OpenVolumeFile(volume, path string) (io.ReadCloser, error) {
	if raw, ok := in[volume+"/"+path]; ok {
		return io.NopCloser(bytes.NewReader(raw)), nil
	}
	return nil, compile.ErrOnlyPods
}

// ParsesTraces is true.
func (Inputs) ParsesTraces() bool { return true }

// ProgramLimits implements compile.Inputs.
func (Inputs) ProgramLimits() bundle.Limits { return bundle.Limits{} }

// Parquet is nil: no trace of the tests has that format.
func (Inputs) Parquet() trace.ParquetCodec { return nil }

// ClusterInputs are inputs as a manager reads them: it does not parse traces.
type ClusterInputs struct{ Inputs }

// ParsesTraces is false.
func (ClusterInputs) ParsesTraces() bool { return false }

// ProgramLimits implements compile.Inputs.
func (ClusterInputs) ProgramLimits() bundle.Limits { return bundle.Limits{} }

// TraceInputs holds traces/small.jsonl, the trace that [Sweep] names: 60 requests.
func TraceInputs(t testing.TB) Inputs {
	t.Helper()
	var b bytes.Buffer
	if err := trace.WriteMooncake(&b, 60, 1); err != nil {
		t.Fatal(err)
	}
	return Inputs{"traces/small.jsonl": b.Bytes()}
}
