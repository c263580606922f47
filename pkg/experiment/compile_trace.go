// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// TraceInput says where a trace's bytes are and what they must be.
type TraceInput struct {
	Format v1alpha1.TraceFormat `json:"format"`
	// One of these says where.
	File                  string                          `json:"file,omitempty"`
	ConfigMap             *v1alpha1.ConfigMapKeyReference `json:"configMap,omitempty"`
	PersistentVolumeClaim *v1alpha1.VolumeClaimFile       `json:"persistentVolumeClaim,omitempty"`
	Image                 *v1alpha1.ImageFile             `json:"image,omitempty"`
	// SHA256 is the digest of the decompressed bytes, in hex.
	SHA256 string `json:"sha256"`
}

// Name says which trace it is, as status.inputs does.
func (t *TraceInput) Name() string {
	switch {
	case t.ConfigMap != nil:
		return ConfigMapInput(t.ConfigMap.Name, t.ConfigMap.Key)
	case t.PersistentVolumeClaim != nil:
		return fmt.Sprintf("PersistentVolumeClaim/%s/%s", t.PersistentVolumeClaim.ClaimName, t.PersistentVolumeClaim.Path)
	case t.Image != nil:
		return fmt.Sprintf("Image/%s/%s", t.Image.Reference, t.Image.Path)
	default:
		return "File/" + t.File
	}
}

// Path is where it lies below the folder at which pods mount its volume.
func (t *TraceInput) Path() string {
	switch {
	case t.ConfigMap != nil:
		return t.ConfigMap.Key
	case t.PersistentVolumeClaim != nil:
		return string(t.PersistentVolumeClaim.Path)
	case t.Image != nil:
		return string(t.Image.Path)
	default:
		return t.File
	}
}

// inVolume reports whether only pods read it.
func (t *TraceInput) inVolume() bool { return t.PersistentVolumeClaim != nil || t.Image != nil }

// readTrace reads the trace, where that can be done here, and notes what it must
// be.
func (c *compiler) readTrace(in *v1alpha1.Trace, path *field.Path) field.ErrorList {
	input := &TraceInput{
		Format: in.Format, ConfigMap: in.ConfigMapRef,
		PersistentVolumeClaim: in.PersistentVolumeClaim, Image: in.Image, SHA256: in.SHA256,
	}
	if in.File != nil {
		input.File = *in.File
	}
	raw, at, errs := c.traceText(in, path)
	if len(errs) > 0 {
		return errs
	}
	if raw != nil || !input.inVolume() {
		if errs := c.parseTrace(raw, input, at, path.Child("sha256")); len(errs) > 0 {
			return errs
		}
	}
	c.trace = c.replayed
	if input.inVolume() {
		// A plan is the same whether the trace could be read or not.
		c.trace = new(workload.Trace)
		c.plan.Warnings = append(c.plan.Warnings, fmt.Sprintf(
			"%s: only pods read this trace, so what depends on its requests is not checked before: tiers that are too small for a prompt, and what lint rule %s looks at", at, prefixOverLoad))
	}
	c.plan.Trace = input
	c.pin(input.Name(), input.SHA256)
	return nil
}

// parseTrace reads a trace's text, which must be the one that the spec states, if it
// states one.
func (c *compiler) parseTrace(raw []byte, input *TraceInput, at, sha256 *field.Path) field.ErrorList {
	trace, err := workload.ReadTrace(workload.Format(input.Format), bytes.NewReader(raw), input.Name())
	if err != nil {
		return field.ErrorList{field.Invalid(at, input.Path(), err.Error())}
	}
	if stated := input.SHA256; stated != "" && stated != trace.Digest() {
		return field.ErrorList{field.Invalid(sha256, stated, fmt.Sprintf("%s has the digest %s", input.Name(), trace.Digest()))}
	}
	c.replayed, input.SHA256 = trace, trace.Digest()
	return nil
}

// traceText returns a trace's bytes, which are nil where only pods can read them,
// and the field that says where they are.
func (c *compiler) traceText(in *v1alpha1.Trace, path *field.Path) ([]byte, *field.Path, field.ErrorList) {
	switch {
	case in.File != nil:
		at := path.Child("file")
		raw, errs := c.file(*in.File, at)
		return raw, at, errs
	case in.PersistentVolumeClaim != nil:
		at, claim := path.Child("persistentVolumeClaim"), in.PersistentVolumeClaim
		raw, errs := c.volumeFile(claim.ClaimName, string(claim.Path), at)
		return raw, at, errs
	case in.Image != nil:
		at := path.Child("image")
		raw, errs := c.volumeFile(in.Image.Reference, string(in.Image.Path), at)
		return raw, at, errs
	}
	at := path.Child("configMapRef")
	raw, errs := c.configMapKey(in.ConfigMapRef, at)
	if len(errs) == 0 && unpackedBytes(raw) > maxUnpackedBytes {
		errs = field.ErrorList{field.Invalid(at, in.ConfigMapRef.Name+"/"+in.ConfigMapRef.Key,
			fmt.Sprintf("has more than %d MiB decompressed: put it into a volume, and name that as persistentVolumeClaim or image", maxUnpackedBytes>>20))}
	}
	return raw, at, errs
}

// maxUnpackedBytes bounds what a ConfigMap's trace may become in the memory of
// the manager, which serves everybody.
const maxUnpackedBytes = 64 << 20

// unpackedBytes returns the size of a trace's text, as far as the bound and a
// byte beyond. What is no gzip, or a broken one, is for the reader to judge.
func unpackedBytes(raw []byte) int64 {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return int64(len(raw))
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(z, maxUnpackedBytes+1))
	return n
}
