// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// inferencePerf takes over a configuration of inference-perf.
func (c *converter) inferencePerf(in *object) {
	in.ignore("server", "metrics", "report", "storage", "circuit_breakers")
	if tokenizer := in.child("tokenizer"); tokenizer != nil {
		tokenizer.refuse("stands beside tokenizer, not in it", "data")
	}
	if c.isReplay(in) {
		return
	}
	client := v1alpha1.Client{Name: "users"}
	if api := in.child("api"); api != nil {
		client.Headers = headers(api.child("headers"))
	}
	if load := in.required("load"); load != nil {
		c.inferencePerfLoad(load, &client)
		load.done()
	}
	if data := in.required("data"); data != nil {
		c.inferencePerfData(data, &client)
		data.done()
	}
	c.traffic.Workload.Clients = []v1alpha1.Client{client}
}

// replays are the kinds of data of recorded sessions, with the formats of their traces.
var replays = map[string]string{"otel_trace_replay": "OTel", "weka_trace_replay": "Weka"}

// isReplay refuses a replay of recorded sessions, which is a trace, in one line.
func (c *converter) isReplay(in *object) bool {
	data, _ := in.fields["data"].(map[string]any)
	kind, _ := data["type"].(string)
	format, is := replays[kind]
	if is {
		in.ignore("load", "data", "api")
		c.fault(field.Forbidden(in.at("data").Child("type"),
			"recorded sessions are a trace: state workload.trace with the format "+format+", the file of the sessions and concurrentSessions; each waits for its tools as recorded, without max_wait_ms and trace_idle_gap_cap_seconds"))
	}
	return is
}

// headers reads names and values.
func headers(in *object) map[string]v1alpha1.HeaderValue {
	if in == nil {
		return nil
	}
	all := map[string]v1alpha1.HeaderValue{}
	for _, name := range slices.Sorted(maps.Keys(in.fields)) {
		all[name] = v1alpha1.HeaderValue(in.text(name, ""))
	}
	return all
}

func (c *converter) inferencePerfLoad(in *object, client *v1alpha1.Client) {
	in.ignore("num_workers", "worker_max_concurrency", "worker_max_tcp_connections", "base_seed", "circuit_breakers", "request_retry_backoff_sec")
	in.refuse("requests of several adapters in one load cannot be carried: make a client of each", "lora_traffic_split")
	in.refuse("a trace is a source of its own: workload.trace", "trace")
	if in.whole("request_retries", 0, 0, 1000) > 0 {
		in.refuse("retries of broken connections cannot be carried: connections do not break", "request_retries")
	}
	if seconds := in.number("request_timeout", 0, 0, maxYear); seconds > 0 {
		client.Timeout = &v1alpha1.Timeout{Total: spanPositive(seconds)}
	}
	kind := in.word("type", "constant", "constant", "poisson", "concurrent")
	pause := in.number("interval", 1, 0, maxYear)
	stages := in.children("stages")
	if search := in.child("sweep"); search != nil {
		in.refuse("load.sweep makes the stages: state one of them", "stages")
		stages = c.sweepStages(search)
		search.done()
		if stages == nil {
			return
		}
	}
	if len(stages) == 0 {
		in.demand("state the stages", "stages")
		return
	}
	from, to := c.staged(len(stages), in.at("stages"))
	if kind == "concurrent" {
		c.concurrentStages(stages, from, to, in.at("stages"), client)
		return
	}
	if kind == "constant" {
		c.note("inference-perf sends exactly rate times duration requests a stage, at exponential gaps; here their number is random")
	}
	if to-from > 1 {
		c.note("inference-perf waits for all answers of a stage before the next; here each stage begins %s after the one before", span(pause))
	}
	c.ratedStages(stages, from, to, pause, in.at("stages"), client)
}

// ratedStages are stages of an open loop, with a pause after each.
func (c *converter) ratedStages(stages []*object, from, to int, pause float64, path *field.Path, client *v1alpha1.Client) {
	total := 0.0
	for i, stage := range stages {
		stage.ignore("num_requests", "concurrency_level")
		if !stage.demand("", "rate", "duration") {
			continue
		}
		rate, seconds := stage.number("rate", 0, 1e-9, maxRate), stage.number("duration", 0, 1e-9, maxYear)
		stage.done()
		if i < from || i >= to {
			continue
		}
		if i > from && pause > 0 {
			client.Arrivals.Stages = append(client.Arrivals.Stages, v1alpha1.RateStage{Rate: "0", Duration: spanPositive(pause)})
			total += pause
		}
		client.Arrivals.Stages = append(client.Arrivals.Stages, v1alpha1.RateStage{
			Rate: v1alpha1.NonNegativeDecimal(decimal(rate)), Duration: spanPositive(seconds)})
		total += seconds
	}
	if len(client.Arrivals.Stages) > maxStages {
		c.fault(field.TooMany(path, to-from, maxStages/2))
		return
	}
	client.Arrivals.Process = v1alpha1.PoissonArrivals
	c.traffic.Horizon.Duration = spanPositive(total)
}

// concurrentStages is one stage of a closed loop.
func (c *converter) concurrentStages(stages []*object, from, to int, path *field.Path, client *v1alpha1.Client) {
	if to-from > 1 {
		c.fault(field.Forbidden(path, fmt.Sprintf("a closed loop has one number of users, and there are %d stages: choose one with --stage", to-from)))
		client.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: 1} // for what reads the rest
		return
	}
	for i, stage := range stages {
		stage.ignore("rate", "duration")
		if !stage.demand("", "num_requests", "concurrency_level") {
			continue
		}
		requests, users := stage.whole("num_requests", 0, 1, 1e9), stage.whole("concurrency_level", 0, 1, maxConcurrency)
		stage.done()
		if i == from {
			client.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: int32(users)}
			c.traffic.Horizon.Requests = &requests
		}
	}
}

func (c *converter) inferencePerfData(in *object, client *v1alpha1.Client) {
	in.ignore("path")
	in.refuse("media of prompts cannot be carried: state them as client.media, in tokens", "multimodal")
	switch in.word("type", "", "shared_prefix", "random", "synthetic", "conversation_replay", "shareGPT") {
	case "conversation_replay":
		in.ignore("input_distribution", "output_distribution", "shared_prefix")
		if replay := in.required("conversation_replay"); replay != nil {
			c.conversationReplay(replay, client)
			replay.done()
		}
	case "shareGPT":
		c.shareGPTOf(in, client)
	case "shared_prefix":
		in.ignore("input_distribution", "output_distribution")
		if shared := in.required("shared_prefix"); shared != nil {
			c.sharedPrefix(shared, client)
			shared.done()
		}
	case "random", "synthetic":
		in.ignore("shared_prefix")
		client.InputTokens = c.tokensOf(in.required("input_distribution"))
		client.OutputTokens = c.tokensOf(in.required("output_distribution"))
	case "":
		in.demand("", "type")
	}
}

// sharedPrefix takes over prompts that begin with one of several system prompts.
func (c *converter) sharedPrefix(in *object, client *v1alpha1.Client) {
	in.ignore("max_model_len", "seed")
	if in.flag("enable_multi_turn_chat") {
		in.refuse("conversations without end cannot be carried: state client.sessions", "enable_multi_turn_chat")
	}
	in.refuse("media of prompts cannot be carried: state them as client.media, in tokens", "multimodal")
	groups := in.alias("num_groups", "num_unique_system_prompts", 10_000)
	prompts := in.alias("num_prompts_per_group", "num_users_per_system_prompt", 1_000_000)
	if tokens := in.whole("system_prompt_len", 0, 0, maxTokens); tokens > 0 {
		client.Prefix = &v1alpha1.Prefix{Group: "system", Tokens: int32(tokens)}
	}
	client.InputTokens = c.lengthOr(in, "question_len", "question_distribution")
	client.OutputTokens = c.lengthOr(in, "output_len", "output_distribution")
	client.Prompts = &v1alpha1.Prompts{Count: int32(prompts)}
	switch {
	case groups == 1:
	case client.ClosedLoop == nil:
		client.Copies = &v1alpha1.Copies{Count: int32(groups), Arrivals: v1alpha1.CycleArrivals}
	case client.Prefix == nil:
		client.Prompts.Count = int32(min(1_000_000, groups*prompts))
	default:
		client.Prefix.Groups = &v1alpha1.PrefixGroups{Count: int32(groups)}
		c.note("inference-perf sends the %d prompts in turn; here the system prompt of each request is drawn", groups*prompts)
	}
}

// alias reads a count of at least 1 that has an older name, too.
func (o *object) alias(name, older string, most int64) int64 {
	if !o.has(name) && o.has(older) {
		name, older = older, name
	}
	o.refuse("is the same field as "+name, older)
	if !o.demand("", name) {
		return 1
	}
	return o.whole(name, 1, 1, most)
}

// lengthOr reads a distribution, or else one length.
func (c *converter) lengthOr(in *object, length, distribution string) v1alpha1.Lengths {
	if in.has(distribution) {
		in.ignore(length)
		return c.tokensOf(in.child(distribution))
	}
	in.ignore(distribution)
	in.demand("", length)
	return constant(in.whole(length, 1, 1, maxTokens))
}

// tokensOf reads a distribution. Versions of inference-perf differ in what is not stated,
// so it must be.
func (c *converter) tokensOf(in *object) v1alpha1.Lengths {
	if in == nil {
		return v1alpha1.Lengths{}
	}
	defer in.done()
	in.ignore("total_count")
	const why = "versions of inference-perf have different defaults"
	kind := in.word("type", "normal", "normal", "lognormal", "uniform", "fixed")
	least, greatest := in.whole("min", 0, 0, maxTokens), in.whole("max", 0, 1, maxTokens)
	if least > greatest && greatest > 0 {
		c.fault(field.Invalid(in.at("min"), least, "must not be greater than max"))
	}
	switch kind {
	case "fixed":
		in.ignore("std_dev")
		in.demand(why, "mean")
		return clamped(v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: positive(in.number("mean", 1, 1, maxTokens))}, least, greatest)
	case "uniform":
		in.ignore("mean", "std_dev")
		in.demand(why, "min", "max")
		return uniform(least, greatest)
	}
	if in.refuse("inference-perf has no such field: write std_dev", "std"); in.has("std") {
		in.ignore("std_dev")
	} else {
		in.demand(why, "std_dev")
	}
	in.demand(why, "mean", "min", "max")
	l := normal(in.number("mean", 1, 1, maxTokens), in.number("std_dev", 0, 0, maxTokens), least, greatest)
	if kind == "lognormal" && l.Distribution == v1alpha1.NormalLengths {
		l.Distribution = v1alpha1.LogNormalLengths
	}
	return l
}
