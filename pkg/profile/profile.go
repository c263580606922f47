// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Format is what a profile was written for.
type Format string

// The formats.
const (
	// BLIS is a workload of inference-sim, version 2.
	BLIS Format = "BLIS"
	// GuideLLM is a benchmark of guidellm, in the form with spec and benchmarks or in the
	// flat one.
	GuideLLM Format = "GuideLLM"
	// InferencePerf is a configuration of inference-perf.
	InferencePerf Format = "InferencePerf"
)

// Formats lists the formats that Convert takes.
func Formats() []Format { return []Format{BLIS, GuideLLM, InferencePerf} }

// Options say how a profile is taken over.
type Options struct {
	// Format is that of the profile; empty recognises it by its fields.
	Format Format
	// Stage is the one stage or benchmark to take, from 1 on; 0 takes all.
	Stage int
}

// Traffic is what a profile says: the part of a scenario that describes traffic.
type Traffic struct {
	Horizon  v1alpha1.Horizon  `json:"horizon"`
	Workload v1alpha1.Workload `json:"workload"`
	// SLOs are latency targets of the workload's classes.
	SLOs []v1alpha1.SLO `json:"slos,omitempty"`
	// Notes say where the traffic differs from what the profile's own tool sends.
	Notes []string `json:"-"`
}

// Convert takes over the traffic of a profile in YAML or JSON. Errors name the field's
// path in the profile; with errors there is no traffic.
func Convert(text []byte, o Options) (*Traffic, field.ErrorList) {
	whole := field.NewPath("profile")
	raw, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(whole, "", fmt.Sprintf("must be YAML: %v", err))}
	}
	var fields map[string]any
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	if err := numbers.Decode(&fields); err != nil || fields == nil {
		return nil, field.ErrorList{field.Invalid(whole, "", "must be an object with fields")}
	}
	format := o.Format
	if format == "" {
		if format = recognise(fields); format == "" {
			return nil, field.ErrorList{field.Invalid(whole, "",
				"must have load and data (InferencePerf), spec or profile (GuideLLM), or version and clients, cohorts or the like (BLIS)")}
		}
	}
	c := &converter{stage: o.Stage, traffic: &Traffic{}}
	in := &object{reader: &c.reader, fields: fields}
	switch format {
	case InferencePerf:
		c.inferencePerf(in)
		in.done()
	case GuideLLM:
		c.guideLLM(in)
	case BLIS:
		c.blis(in)
		in.done()
	default:
		return nil, field.ErrorList{field.NotSupported(whole, format, Formats())}
	}
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return c.traffic, nil
}

// recognise tells a profile's format by its fields; it returns "" where that is none.
func recognise(fields map[string]any) Format {
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := fields[name]; ok {
				return true
			}
		}
		return false
	}
	switch {
	case has("load") && has("data"):
		return InferencePerf
	case has("version") && has("clients", "cohorts", "servegen_data", "inference_perf", "aggregate_rate"):
		return BLIS
	case has("spec", "benchmarks", "profile", "rate_type", "rate-type"):
		return GuideLLM
	}
	return ""
}

// converter fills in the traffic of one profile.
type converter struct {
	reader
	traffic *Traffic
	stage   int
	// prefixes are the lengths of prefixes by group.
	prefixes map[string]int64
}

// note says once where the traffic differs.
func (c *converter) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.traffic.Notes, text) {
		c.traffic.Notes = append(c.traffic.Notes, text)
	}
}

// staged returns the stages to take: all of them, or the one that the options
// name.
func (c *converter) staged(n int, path *field.Path) (from, to int) {
	if c.stage == 0 {
		return 0, n
	}
	if c.stage > n {
		c.fault(field.Invalid(path, n, fmt.Sprintf("has no stage %d", c.stage)))
		return 0, 0
	}
	return c.stage - 1, c.stage
}
