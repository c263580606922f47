// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"bytes"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// readTrace notes what a trace must be. It parses the trace where the inputs allow
// that, and else takes no more of it than its digest.
func (c *compiler) readTrace(in setup.Trace) field.ErrorList {
	path := in.Path
	input := &experiment.TraceInput{
		Source: in.Name, Format: in.Format, CSV: in.CSV, Order: in.Order, Slice: in.Slice, Sample: in.Sample, ConfigMap: in.ConfigMapRef,
		PersistentVolumeClaim: in.PersistentVolumeClaim, Image: in.Image, SHA256: in.SHA256,
	}
	if in.File != nil {
		input.File = *in.File
	}
	if errs := input.Options().Validate(trace.Format(in.Format), path); len(errs) > 0 {
		return errs
	}
	raw, at, errs := c.traceText(in.Trace, path)
	if len(errs) == 0 && input.ConfigMap != nil {
		errs = c.digestTrace(raw, input, at, path.Child("sha256"))
	}
	if len(errs) == 0 && c.parses(input, raw) {
		errs = c.parseTrace(raw, input, at, path.Child("sha256"))
	}
	if len(errs) > 0 {
		return errs
	}
	c.traces[in.Name] = c.replayed[in.Name]
	if input.ForPods() {
		// A plan is the same whether the trace was parsed or not.
		c.traces[in.Name] = new(trace.Trace)
		c.plan.Warnings = append(c.plan.Warnings, fmt.Sprintf(
			"%s: only pods read this trace, so what depends on its requests is not checked before: tiers that are too small for a prompt, and what lint rule %s looks at", at, PrefixOverLoad))
	}
	if in.Name == "" {
		c.plan.Trace = input
	} else {
		c.plan.Traces = append(c.plan.Traces, input)
	}
	c.pin(input.Name(), input.SHA256)
	return nil
}

// parses reports whether a trace is parsed here.
func (c *compiler) parses(input *experiment.TraceInput, raw []byte) bool {
	if input.ConfigMap != nil {
		return c.inputs.ParsesTraces()
	}
	return raw != nil || input.File != ""
}

// parseTrace reads a trace's text, which must be the one that the spec states, if it
// states one.
func (c *compiler) parseTrace(raw []byte, input *experiment.TraceInput, at, sha256 *field.Path) field.ErrorList {
	recorded, err := trace.ReadWith(trace.Format(input.Format), input.Options(), bytes.NewReader(raw), experiment.TraceDescription(input))
	if err != nil {
		return field.ErrorList{input.InvalidAt(at, err)}
	}
	c.replayed[input.Source] = recorded
	return pinTrace(input, recorded.Digest(), sha256)
}

// digestTrace takes the digest of a trace's text, and bounds it.
func (c *compiler) digestTrace(raw []byte, input *experiment.TraceInput, at, sha256 *field.Path) field.ErrorList {
	digest, err := trace.DigestText(c.ctx, bytes.NewReader(raw), experiment.TraceDescription(input), MaxUnpackedBytes)
	switch {
	case c.interrupted(at):
		return field.ErrorList{field.InternalError(at, c.err)}
	case errors.Is(err, trace.ErrTooLong):
		return field.ErrorList{field.Invalid(at, input.Path(), fmt.Sprintf(
			"has more than %d MiB decompressed: put it into a volume, and name that as persistentVolumeClaim or image", MaxUnpackedBytes>>20))}
	case err != nil:
		return field.ErrorList{input.InvalidAt(at, err)}
	}
	return pinTrace(input, digest, sha256)
}

// pinTrace notes a trace's digest, which must be the one that the spec states.
func pinTrace(input *experiment.TraceInput, digest string, sha256 *field.Path) field.ErrorList {
	if stated := input.SHA256; stated != "" && stated != digest {
		return field.ErrorList{field.Invalid(sha256, stated, fmt.Sprintf("%s has the digest %s", input.Name(), digest))}
	}
	input.SHA256 = digest
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
	return raw, at, errs
}

// MaxUnpackedBytes bounds the text of a ConfigMap's trace, which the manager, who
// serves everybody, decompresses to know its digest.
const MaxUnpackedBytes = 64 << 20
