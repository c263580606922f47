// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/spelling"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Inputs reads what a spec refers to. An error that wraps fs.ErrNotExist says
// that the thing is not there and becomes an error of the field that names it;
// any other error is the outside world's and ends the compilation.
type Inputs interface {
	// ConfigMapKey returns the bytes under a key of data or binaryData. An empty
	// key means the one that holds an EPP configuration.
	ConfigMapKey(ctx context.Context, name, key string) ([]byte, error)
	// OpenFile opens a file named by a manifest. Any error is the user's to mend. A
	// long trace is opened again whenever it is replayed.
	OpenFile(path string) (io.ReadCloser, error)
	// OpenVolumeFile opens a file in a volume, named by its claim or by the reference
	// of its image. ErrOnlyPods has the compilation go on without it; any other error
	// is the user's to mend.
	OpenVolumeFile(volume, path string) (io.ReadCloser, error)
	// ParsesTraces reports whether traces in ConfigMaps are parsed too. Who works for
	// many people leaves that to pods, and reads no more of a trace than its digest.
	ParsesTraces() bool
	// ProgramLimits are the most that a bundle with code may state, and the limits of one
	// that states none; what is 0 is as [bundle.DefaultLimits] have it. Who reads an object
	// that others have accepted returns [bundle.AnyLimits].
	ProgramLimits() bundle.Limits
	// Parquet reads traces of the format Parquet. It is nil for who leaves traces to pods,
	// and does not link what reads them.
	Parquet() trace.ParquetCodec
}

// Missing says in words that an input is not there, which may change. It is an
// fs.ErrNotExist.
type Missing string

func (m Missing) Error() string { return string(m) }

// Is makes a Missing what Inputs promises.
func (Missing) Is(target error) bool { return target == fs.ErrNotExist }

// ErrNoFiles says that files cannot be read here. It counts as a user's
// mistake: a manifest that names a file was applied to a cluster.
var ErrNoFiles = errors.New("a file cannot be read here; put it into a ConfigMap and use configMapRef")

// ErrOnlyPods says that a volume cannot be read here.
var ErrOnlyPods = errors.New("only pods read volumes")

// reader reads inputs and remembers the first error of the outside world.
type reader struct {
	ctx    context.Context
	inputs Inputs
	err    error
}

func (r *reader) configMapKey(ref *v1alpha1.ConfigMapKeyReference, path *field.Path) ([]byte, field.ErrorList) {
	// An object that was stored before the schema had a pattern may hold any name,
	// and a client refuses to ask for some.
	if faults := validation.IsDNS1123Subdomain(ref.Name); len(faults) > 0 {
		return nil, field.ErrorList{field.Invalid(path.Child("name"), ref.Name, faults[0])}
	}
	raw, err := r.inputs.ConfigMapKey(r.ctx, ref.Name, ref.Key)
	switch {
	case err == nil:
		return raw, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, field.ErrorList{notFound(path, ref.Name+"/"+ref.Key, err)}
	default:
		return nil, r.fail(fmt.Errorf("read ConfigMap %s: %w", ref.Name, err), path)
	}
}

func (r *reader) file(name string, path *field.Path) ([]byte, field.ErrorList) {
	file, err := r.inputs.OpenFile(name)
	if err != nil {
		return nil, fileErrors(name, err, path)
	}
	raw, err := io.ReadAll(file)
	return raw, fileErrors(name, errors.Join(err, file.Close()), path)
}

// opened checks that a file can be opened. It returns nil, and no errors, where only pods
// can.
func opened(open trace.Opener, name string, path *field.Path) (trace.Opener, field.ErrorList) {
	file, err := open()
	if errors.Is(err, ErrOnlyPods) {
		return nil, nil
	}
	if err == nil {
		err = file.Close()
	}
	return open, fileErrors(name, err, path)
}

func fileErrors(name string, err error, path *field.Path) field.ErrorList {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return field.ErrorList{notFound(path, name, err)}
	case errors.Is(err, ErrNoFiles):
		return field.ErrorList{field.Forbidden(path, err.Error())}
	default:
		return field.ErrorList{field.Invalid(path, name, err.Error())}
	}
}

func (r *reader) fail(err error, path *field.Path) field.ErrorList {
	if r.err == nil {
		r.err = err
	}
	return field.ErrorList{field.InternalError(path, err)}
}

func notFound(path *field.Path, value string, err error) *field.Error {
	e := field.NotFound(path, value)
	e.Detail = err.Error()
	return e
}

// MissingInputs reports whether errs hold nothing but inputs that are not
// there yet: such an object is worth another look when one appears.
func MissingInputs(errs field.ErrorList) bool {
	for _, e := range errs {
		if e.Type != field.ErrorTypeNotFound {
			return false
		}
	}
	return len(errs) > 0
}

// TextDigest is the digest that an input of some bytes is pinned by: that of what
// they are, decompressed.
func TextDigest(raw []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return experiment.Digest(raw)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(z, MaxUnpackedBytes+1)); err != nil {
		return experiment.Digest(raw)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// ConfigMapKey returns the bytes under a key of a ConfigMap's data or
// binaryData, for implementations of Inputs.
func ConfigMapKey(cm *corev1.ConfigMap, key string) ([]byte, error) {
	if key == "" {
		return onlyPicker(cm)
	}
	if text, ok := cm.Data[key]; ok {
		return []byte(text), nil
	}
	if raw, ok := cm.BinaryData[key]; ok {
		return raw, nil
	}
	return nil, Missing(fmt.Sprintf("ConfigMap %s has no key %q; it has %s", cm.Name, key, spelling.Quote(keysOf(cm))))
}

// keysOf lists the keys of data, then of binaryData.
func keysOf(cm *corev1.ConfigMap) []string {
	return append(slices.Sorted(maps.Keys(cm.Data)), slices.Sorted(maps.Keys(cm.BinaryData))...)
}
