// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// TraceInput says where a trace's bytes are and what they must be.
type TraceInput struct {
	// Source is the name of the trace in the workload, if it has one.
	Source      string                    `json:"source,omitempty"`
	Format      v1alpha1.TraceFormat      `json:"format"`
	CSV         *v1alpha1.TraceCSV        `json:"csv,omitempty"`
	Order       v1alpha1.TraceOrder       `json:"order,omitempty"`
	Slice       *v1alpha1.TraceSlice      `json:"slice,omitempty"`
	Sample      v1alpha1.PositiveDecimal  `json:"sample,omitempty"`
	TooLong     *v1alpha1.TooLong         `json:"tooLong,omitempty"`
	ZeroOutput  v1alpha1.ZeroOutputAction `json:"zeroOutput,omitempty"`
	BlockTokens int32                     `json:"blockTokens,omitempty"`
	// One of these says where.
	File                  string                          `json:"file,omitempty"`
	ConfigMap             *v1alpha1.ConfigMapKeyReference `json:"configMap,omitempty"`
	PersistentVolumeClaim *v1alpha1.VolumeClaimFile       `json:"persistentVolumeClaim,omitempty"`
	Image                 *v1alpha1.ImageFile             `json:"image,omitempty"`
	// SHA256 is the digest of the decompressed bytes, in hex.
	SHA256 string `json:"sha256"`
}

// Options say how the trace is read.
func (t *TraceInput) Options() trace.Options {
	o := trace.Options{Order: trace.Order(t.Order), ZeroOutput: trace.ZeroOutput(t.ZeroOutput), BlockTokens: int(t.BlockTokens)}
	if l := t.TooLong; l != nil {
		o.TooLong = trace.TooLong{MaxTokens: int(l.MaxTokens), Action: trace.TooLongAction(l.Action)}
	}
	if share := t.Sample.Float(); share < 1 {
		o.Sample = share // 0 keeps all, too
	}
	if s := t.Slice; s != nil {
		o.Slice = trace.Slice{From: s.From.Duration(), To: s.To.Duration()}
	}
	if c := t.CSV; c != nil {
		o.CSV = &trace.CSV{
			Time: string(c.Time), Input: string(c.InputTokens), Output: string(c.OutputTokens),
			Tenant: string(c.Tenant), Class: string(c.Class), Session: string(c.Session), Model: string(c.Model), Priority: string(c.Priority),
			TimeFormat: trace.TimeFormat(c.TimeFormat), Delimiter: trace.Delimiter(c.Delimiter),
		}
	}
	return o
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

// ForPods reports whether pods are the ones to parse it: they run in the quota of
// the one who wrote it, and a short text can become a large trace. A plan does not
// depend on what it says.
func (t *TraceInput) ForPods() bool { return t.File == "" }

// AllTraces returns the traces that the plan replays, in order.
func (p *Plan) AllTraces() []*TraceInput {
	if p.Trace != nil {
		return []*TraceInput{p.Trace}
	}
	return p.Traces
}

// InvalidTrace is the error of a trace that cannot be read, of the field that names it: the
// same whoever reads it.
func (p *Plan) InvalidTrace(t *TraceInput, err error) *field.Error {
	at := field.NewPath("spec", "scenario", "workload", "trace")
	if i := slices.Index(p.Traces, t); i >= 0 {
		at = field.NewPath("spec", "scenario", "workload", "traces").Index(i)
	}
	switch {
	case t.ConfigMap != nil:
		return t.InvalidAt(at.Child("configMapRef"), err)
	case t.PersistentVolumeClaim != nil:
		return t.InvalidAt(at.Child("persistentVolumeClaim"), err)
	case t.Image != nil:
		return t.InvalidAt(at.Child("image"), err)
	default:
		return t.InvalidAt(at.Child("file"), err)
	}
}

// InvalidAt is the error of a trace that cannot be read, at the path of its reference.
func (t *TraceInput) InvalidAt(at *field.Path, err error) *field.Error {
	return field.Invalid(at, t.Path(), err.Error())
}

// TraceDescription names a trace in the errors of whoever reads it.
func TraceDescription(t *TraceInput) string {
	if t.File != "" {
		return "trace " + t.File
	}
	return "trace " + t.Name()
}

// ConfigMapInput is the name of a ConfigMap's key in status.inputs.
func ConfigMapInput(name, key string) string { return "ConfigMap/" + name + "/" + key }

// ParseConfigMapInput reads what ConfigMapInput wrote; false where the input is
// something else.
func ParseConfigMapInput(input string) (name, key string, ok bool) {
	rest, ok := strings.CutPrefix(input, "ConfigMap/")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "/")
}

// TraceConfigMaps are the keys of ConfigMaps that hold traces of a workload.
func TraceConfigMaps(in *v1alpha1.Workload) []*v1alpha1.ConfigMapKeyReference {
	var refs []*v1alpha1.ConfigMapKeyReference
	for _, t := range setup.Traces(in, nil) {
		if t.ConfigMapRef != nil {
			refs = append(refs, t.ConfigMapRef)
		}
	}
	return refs
}
