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
	// AIPerf and VLLMBench are the flags of aiperf profile and of vllm bench serve, as profiles of
	// llm-d-benchmark list them.
	AIPerf    Format = "AIPerf"
	VLLMBench Format = "VLLMBench"
)

// Formats lists the formats that Convert takes.
func Formats() []Format { return []Format{AIPerf, BLIS, GuideLLM, InferencePerf, VLLMBench} }

// Options say how a profile is taken over.
type Options struct {
	// Format is that of the profile; empty recognises it by its fields.
	Format Format
	// Stage is the one stage or benchmark to take, from 1 on; 0 takes all.
	Stage int
	// Saturation is the rate, in requests/s, at which a search of inference-perf for rates ends; 0 is
	// unknown.
	Saturation float64
	// Dataset is the text of a ShareGPT file that the profile takes prompts from; nil is unknown.
	Dataset []byte
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
			return nil, field.ErrorList{field.Invalid(whole, "", unknownProfile(fields))}
		}
	}
	c := &converter{Options: o, traffic: &Traffic{}}
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
	case AIPerf:
		c.aiPerf(in)
		in.done()
	case VLLMBench:
		c.vllmBench(in)
		in.done()
	default:
		return nil, field.ErrorList{field.NotSupported(whole, format, Formats())}
	}
	if len(c.errs) == 0 {
		c.refuseUnused()
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
	case has("load") && (has("data") || has("server")):
		return InferencePerf
	case has("version") && has("clients", "cohorts", "servegen_data", "inference_perf", "aggregate_rate"):
		return BLIS
	case has("spec", "benchmarks", "profile", "rate_type", "rate-type"):
		return GuideLLM
	case has("dataset-name", "dataset_name"):
		return VLLMBench
	case has("endpoint-type", "endpoint_type"):
		return AIPerf
	}
	return ""
}

// otherHarnesses are harnesses of llm-d-benchmark without a load that a workload can say, by a field of their
// profiles.
var otherHarnesses = []struct{ field, why string }{
	{"trafficClasses", "is of the harness priority-mix, whose prompts are texts without a number of tokens: state a client for each of trafficClasses, with its share of the rate, and its priority"},
	{"evaluation", "is of lm-eval, which scores answers and states no load"},
	{"benchmark", "is of eval-containers, which runs tasks of agents and states no load: record the requests, and replay the trace"},
	{"pvc_name", "is of the harness nop, which sends no requests"},
}

// unknownProfile says why a profile has no known format.
func unknownProfile(fields map[string]any) string {
	for _, other := range otherHarnesses {
		if _, is := fields[other.field]; is {
			return other.why
		}
	}
	return "must have load and data (InferencePerf), spec or profile (GuideLLM), version and clients, cohorts or the like (BLIS), " +
		"dataset-name (VLLMBench), or endpoint-type (AIPerf)"
}

// converter fills in the traffic of one profile.
type converter struct {
	reader
	traffic *Traffic
	Options
	// prefixes are the lengths of prefixes by group.
	prefixes map[string]int64
	// used says which options the profile needs.
	used struct{ stage, saturation, dataset bool }
}

// refuseUnused notes options that the profile does not need.
func (c *converter) refuseUnused() {
	for _, o := range []struct {
		stated, used bool
		flag, why    string
	}{
		{c.Stage > 0, c.used.stage, "--stage", "the profile has no stages or benchmarks"},
		{c.Saturation > 0, c.used.saturation, "--saturation", "the profile has no load.sweep"},
		{c.Dataset != nil, c.used.dataset, "--dataset", "the profile takes no prompts from a ShareGPT file"},
	} {
		if o.stated && !o.used {
			c.fault(field.Forbidden(field.NewPath(o.flag), o.why))
		}
	}
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
	c.used.stage = true
	if c.Stage == 0 {
		return 0, n
	}
	if c.Stage > n {
		c.fault(field.Invalid(path, n, fmt.Sprintf("has no stage %d", c.Stage)))
		return 0, 0
	}
	return c.Stage - 1, c.Stage
}
