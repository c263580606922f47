// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

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
		Source: in.Name, Format: in.Format, CSV: in.CSV, Order: in.Order, Slice: in.Slice, Sample: in.Sample,
		TooLong: in.TooLong, ZeroOutput: in.ZeroOutput, BlockTokens: in.BlockTokens, ConfigMap: in.ConfigMapRef,
		PersistentVolumeClaim: in.PersistentVolumeClaim, Image: in.Image, SHA256: in.SHA256,
	}
	if in.File != nil {
		input.File = *in.File
	}
	if errs := input.Options().Validate(trace.Format(in.Format), path); len(errs) > 0 {
		return errs
	}
	open, at, errs := c.openerOf(in.Trace, path)
	if len(errs) == 0 && input.ConfigMap != nil {
		errs = c.digestTrace(open, input, at, path.Child("sha256"))
	}
	if len(errs) == 0 && input.ConfigMap != nil {
		errs = checkHeader(open, input, at)
	}
	if len(errs) == 0 && open != nil && c.parses(input) {
		errs = c.parseTrace(open, input, at, path.Child("sha256"))
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

// parses reports whether a trace that can be opened here is parsed here.
func (c *compiler) parses(input *experiment.TraceInput) bool {
	return input.ConfigMap == nil || c.inputs.ParsesTraces()
}

// parseTrace reads a trace's text, which must be the one that the spec states, if it
// states one: of another one nothing is quoted.
func (c *compiler) parseTrace(open trace.Opener, input *experiment.TraceInput, at, sha256 *field.Path) field.ErrorList {
	if input.SHA256 != "" {
		digest, err := trace.Digest(trace.Format(input.Format), open, experiment.TraceDescription(input))
		if err != nil {
			return field.ErrorList{input.InvalidAt(at, err)}
		}
		if errs := pinTrace(input, digest, sha256); len(errs) > 0 {
			return errs
		}
	}
	reading := experiment.Reading{Parquet: c.inputs.Parquet()}
	recorded, err := trace.Open(trace.Format(input.Format), reading.Of(input.Options()), open, experiment.TraceDescription(input))
	if err != nil {
		return field.ErrorList{input.InvalidAt(at, err)}
	}
	c.replayed[input.Source] = recorded
	c.plan.TraceParts.Keep(input.Source, open, reading)
	return pinTrace(input, recorded.Digest(), sha256)
}

// checkHeader checks the first line of a trace where it is no row: columns with other names are
// found before a pod starts.
func checkHeader(open trace.Opener, input *experiment.TraceInput, at *field.Path) field.ErrorList {
	text, err := open()
	if err != nil {
		return field.ErrorList{input.InvalidAt(at, err)}
	}
	defer text.Close()
	if err := trace.CheckHeader(trace.Format(input.Format), input.Options(), text, experiment.TraceDescription(input)); err != nil {
		return field.ErrorList{input.InvalidAt(at, err)}
	}
	return nil
}

// digestTrace takes the digest of a trace's text, and bounds it.
func (c *compiler) digestTrace(open trace.Opener, input *experiment.TraceInput, at, sha256 *field.Path) field.ErrorList {
	text, err := open()
	if err != nil {
		return field.ErrorList{input.InvalidAt(at, err)}
	}
	defer text.Close()
	digest, err := trace.DigestText(c.ctx, text, experiment.TraceDescription(input), MaxUnpackedBytes)
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

// openerOf returns what opens a trace's file, which is nil where only pods can, and the
// field that says where the file is.
func (c *compiler) openerOf(in *v1alpha1.Trace, path *field.Path) (trace.Opener, *field.Path, field.ErrorList) {
	volume := func(at *field.Path, volume string, file v1alpha1.VolumePath) (trace.Opener, *field.Path, field.ErrorList) {
		open, errs := opened(func() (io.ReadCloser, error) { return c.inputs.OpenVolumeFile(volume, string(file)) }, volume+"/"+string(file), at)
		return open, at, errs
	}
	switch {
	case in.File != nil:
		at := path.Child("file")
		open, errs := opened(func() (io.ReadCloser, error) { return c.inputs.OpenFile(*in.File) }, *in.File, at)
		return open, at, errs
	case in.PersistentVolumeClaim != nil:
		return volume(path.Child("persistentVolumeClaim"), in.PersistentVolumeClaim.ClaimName, in.PersistentVolumeClaim.Path)
	case in.Image != nil:
		return volume(path.Child("image"), in.Image.Reference, in.Image.Path)
	}
	at := path.Child("configMapRef")
	raw, errs := c.configMapKey(in.ConfigMapRef, at)
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }, at, errs
}

// MaxUnpackedBytes bounds the text of a ConfigMap's trace, which the manager, who
// serves everybody, decompresses to know its digest.
const MaxUnpackedBytes = 64 << 20
