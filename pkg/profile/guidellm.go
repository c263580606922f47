// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// guideLLM takes over a benchmark of guidellm.
func (c *converter) guideLLM(in *object) {
	client := v1alpha1.Client{Name: "users"}
	if in.has("spec") || in.has("benchmarks") {
		c.guideLLMSpec(in, &client)
		in.done()
	} else {
		c.guideLLMFlat(in, &client)
	}
	c.traffic.Workload.Clients = []v1alpha1.Client{client}
}

// guideLLMSpec takes over the form with a spec, and with a list of benchmarks that each
// change it.
func (c *converter) guideLLMSpec(in *object, client *v1alpha1.Client) {
	in.ignore("metadata", "version")
	spec := in.required("spec")
	benchmarks := in.children("benchmarks")
	if spec == nil {
		return
	}
	if len(benchmarks) > 0 {
		from, to := c.staged(len(benchmarks), in.at("benchmarks"))
		if to-from > 1 {
			c.fault(field.Forbidden(in.at("benchmarks"), fmt.Sprintf("a workload is one benchmark, and there are %d: choose one with --stage", to-from)))
		}
		if to-from != 1 {
			return
		}
		overridden(spec, benchmarks[from])
	}
	defer spec.done()
	spec.ignore(guideLLMIgnored...)
	c.guideLLMConstraints(spec)
	if data := spec.children("data"); len(data) == 1 {
		data[0].word("kind", "synthetic_text", "synthetic_text")
		c.guideLLMData(data[0], client)
	} else {
		c.fault(field.Invalid(spec.at("data"), len(data), "must be one synthetic_text"))
	}
	profile := spec.child("profile")
	if profile == nil {
		spec.demand("", "profile")
		return
	}
	c.guideLLMProfile(profile, client)
	profile.done()
}

// guideLLMIgnored are fields of the spec that do not matter to traffic, and guideLLMRead those that do.
var (
	guideLLMIgnored = []string{"backend", "outputs", "output", "request_format", "target", "model", "random_seed", "seed", "data_loader"}
	guideLLMRead    = []string{"constraints", "data", "profile"}
)

// overridden puts what a benchmark states into the spec. The names of its fields are paths, such as profile.streams and
// constraints[0].count; an object stands for the paths of its fields.
func overridden(spec, benchmark *object) {
	for _, path := range slices.Sorted(maps.Keys(benchmark.fields)) {
		if benchmark.ignore(path); path == "name" {
			continue
		}
		part := path[:strings.IndexAny(path+".", ".[")]
		if known := slices.Contains(guideLLMRead, part) || slices.Contains(guideLLMIgnored, part); !known || !put(spec.fields, path, benchmark.fields[path]) {
			spec.fault(field.Invalid(benchmark.at(path), fmt.Sprint(benchmark.fields[path]), "leads to nothing in spec"))
		}
	}
}

// put sets the field at a path, and reports whether the path leads to one.
func put(in map[string]any, path string, value any) bool {
	if fields, ok := value.(map[string]any); ok {
		all := true
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			all = put(in, path+"."+name, fields[name]) && all
		}
		return all
	}
	name, rest, deeper := strings.Cut(path, ".")
	name, index, listed := strings.Cut(name, "[")
	if !deeper {
		in[name] = value
		return !listed && name != ""
	}
	next := in[name]
	if list, ok := next.([]any); ok && listed {
		i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if err != nil || i < 0 || i >= len(list) {
			return false
		}
		next = list[i]
	} else if listed {
		return false
	} else if next == nil {
		next = map[string]any{}
		in[name] = next
	}
	fields, ok := next.(map[string]any)
	return ok && put(fields, rest, value)
}

// guideLLMProfile takes over when requests are sent.
func (c *converter) guideLLMProfile(in *object, client *v1alpha1.Client) {
	switch kind := in.word("kind", "", "concurrent", "synchronous", "throughput", "constant", "poisson"); kind {
	case "concurrent":
		in.demand("", "streams")
		c.users(c.oneOf(in, "streams", 1, maxConcurrency), in.number("rampup_duration", 0, 0, maxYear), client)
	case "synchronous":
		c.users(1, 0, client)
	case "throughput":
		in.demand("without it, all requests come at once, which cannot be carried", "max_concurrency")
		c.users(in.number("max_concurrency", 1, 1, maxConcurrency), in.number("rampup_duration", 0, 0, maxYear), client)
	case "constant", "poisson":
		in.refuse("an open loop with a bound on what is in flight cannot be carried", "max_concurrency")
		in.demand("", "rate")
		c.rate(kind, c.oneOf(in, "rate", 1e-9, maxRate), client)
	case "":
		in.demand("", "kind")
	}
	if client.Sessions != nil && client.ClosedLoop == nil {
		c.fault(field.Forbidden(in.at("kind"), "conversations of an open loop cannot be carried: guidellm counts their turns in the rate"))
	}
}

// users makes a closed loop.
func (c *converter) users(users, rampUp float64, client *v1alpha1.Client) {
	if users != math.Trunc(users) {
		c.fault(field.Invalid(field.NewPath("profile"), users, "must have a whole number of users"))
	}
	client.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: int32(users)}
	if rampUp > 0 {
		client.ClosedLoop.RampUp = span(rampUp)
	}
}

// rate makes an open loop.
func (c *converter) rate(kind string, rate float64, client *v1alpha1.Client) {
	client.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Rate: positive(rate)}
	if kind == "constant" {
		client.Arrivals.Process = v1alpha1.ConstantArrivals
	}
}

// oneOf reads a number, or a list of numbers of which the options name one.
func (c *converter) oneOf(in *object, name string, least, most float64) float64 {
	list, ok := in.fields[name].([]any)
	if !ok {
		return in.number(name, least, least, most)
	}
	in.ignore(name)
	c.used.stage = true
	stage := c.Stage
	if stage == 0 && len(list) == 1 {
		stage = 1
	}
	if stage < 1 || stage > len(list) {
		c.fault(field.Forbidden(in.at(name), fmt.Sprintf("a workload is one benchmark, and there are %d: choose one with --stage", len(list))))
		return 1
	}
	one := &object{reader: in.reader, path: in.path, written: in.written, fields: map[string]any{name: list[stage-1]}}
	return one.number(name, least, least, most)
}

// guideLLMData takes over synthetic texts.
func (c *converter) guideLLMData(in *object, client *v1alpha1.Client) {
	defer in.done()
	in.ignore("samples", "source", "processor")
	client.InputTokens = c.rangeOf(in, "prompt_tokens")
	client.OutputTokens = c.rangeOf(in, "output_tokens")
	if turns := in.whole("turns", 1, 1, 100_000); turns > 1 {
		client.Sessions = &v1alpha1.Sessions{Turns: constant(turns)}
	}
	tokens, count := in.whole("prefix_tokens", 0, 0, maxTokens), int64(1)
	switch buckets := in.children("prefix_buckets"); len(buckets) {
	case 0:
	case 1:
		buckets[0].ignore("bucket_weight")
		tokens, count = buckets[0].whole("prefix_tokens", 0, 0, maxTokens), buckets[0].whole("prefix_count", 1, 1, 100_000)
		buckets[0].done()
	default:
		c.fault(field.Forbidden(in.at("prefix_buckets"), "prefixes of several lengths cannot be carried by one client"))
	}
	if tokens > 0 {
		client.Prefix = &v1alpha1.Prefix{Group: "prefix", Tokens: int32(tokens)}
		if count > 1 {
			client.Prefix.Groups = &v1alpha1.PrefixGroups{Count: int32(count)}
		}
	}
}

// rangeOf reads lengths: a mean, and a deviation or bounds or neither.
func (c *converter) rangeOf(in *object, name string) v1alpha1.Lengths {
	in.demand("", name)
	mean := in.number(name, 1, 1, maxTokens)
	least, greatest := in.whole(name+"_min", 0, 1, maxTokens), in.whole(name+"_max", 0, 1, maxTokens)
	deviation := in.number(name+"_stdev", 0, 0, maxTokens)
	switch {
	case greatest > 0 && least > greatest:
		c.fault(field.Invalid(in.at(name+"_min"), least, "must not be greater than "+name+"_max"))
	case deviation == 0 && least > 0 && greatest > 0:
		return uniform(least, greatest)
	case deviation == 0 && (least > 0 || greatest > 0):
		c.fault(field.Invalid(in.at(name), mean, fmt.Sprintf("needs %s_stdev, or both bounds or none", name)))
	}
	return normal(mean, deviation, least, greatest)
}

// guideLLMFlat takes over the form without a spec, whose names are those of flags.
func (c *converter) guideLLMFlat(in *object, client *v1alpha1.Client) {
	in = c.flags(in)
	defer in.done()
	in.ignore("target", "model", "request_type", "backend", "processor", "outputs", "random_seed", "data_request_formatter", "request_format")
	if !c.guideLLMBounds(in) {
		in.demand("state max_seconds or max_requests: without one, a benchmark has no end", "max_seconds")
	}
	if text, ok := in.fields["data"].(string); ok {
		in.fields["data"] = pairs(text)
	}
	if data := in.required("data"); data != nil {
		c.guideLLMData(data, client)
	}
	kind := "profile"
	if in.has("rate_type") {
		kind = "rate_type"
	}
	profile := &object{
		reader: in.reader, fields: map[string]any{"kind": in.take(kind), "max_concurrency": in.take("max_concurrency"), "rampup_duration": in.take("rampup")},
		written: map[string]string{"kind": kind, "streams": "rate", "rampup_duration": "rampup"},
	}
	in.ignore("rate")
	if profile.fields["kind"] == "concurrent" {
		profile.fields["streams"] = in.fields["rate"]
	} else {
		profile.fields["rate"] = in.fields["rate"]
	}
	c.guideLLMProfile(profile, client)
}

// pairs reads a list such as prompt_tokens=256,output_tokens=128.
func pairs(text string) map[string]any {
	fields := map[string]any{}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		fields[name] = json.Number(value)
	}
	return fields
}
