// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"fmt"
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// What inference-perf takes where a conversation_replay does not say it (inference-perf@7de5ef2).
const (
	defaultConversations = 200
	defaultSharedPrompt  = 8359
	defaultTurns         = 10
	defaultTurnInput     = 512
	defaultTurnOutput    = 256
	defaultModelLength   = 225_000
	// promptReserve is how many tokens of the model's length prompts leave free beside the answer.
	promptReserve = 200
)

// conversationReplay takes over made-up conversations of a closed loop. Each slot of the load holds a conversation until
// its answer came and its tool has returned, so that the latency of tools is the think time of a user.
func (c *converter) conversationReplay(in *object, client *v1alpha1.Client) {
	in.ignore("seed")
	if client.ClosedLoop == nil {
		c.fault(field.Forbidden(in.path, "conversations of an open loop cannot be carried: inference-perf counts their turns in the rate"))
		client.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: 1} // for what reads the rest
	}
	client.InputTokens = c.distributionOr(in, "input_tokens_per_turn", defaultTurnInput)
	client.OutputTokens = c.distributionOr(in, "output_tokens_per_turn", defaultTurnOutput)
	client.Sessions = &v1alpha1.Sessions{Turns: c.distributionOr(in, "turns_per_conversation", defaultTurns)}
	if latency := in.child("tool_call_latency_sec"); latency != nil {
		client.ClosedLoop.ThinkTime = c.secondsOf(latency)
	}
	length := in.whole("max_model_len", defaultModelLength, 1, maxTokens)
	if longest := length - promptReserve - longestOf(client.OutputTokens); longest <= longestOf(client.InputTokens) {
		c.fault(field.Invalid(in.at("max_model_len"), length, fmt.Sprintf("leaves no room for the longest turn, which has %d tokens, beside its answer and a reserve of %d", longestOf(client.InputTokens), promptReserve)))
	} else {
		client.Sessions.Context = v1alpha1.WindowContext
		bound := int32(longest)
		client.Sessions.MaxTokens = &bound
	}
	c.systemPrompts(in, client)
	c.slots(in.whole("num_conversations", defaultConversations, 1, maxConcurrency), client)
}

// slots are the conversations that are open at a time.
func (c *converter) slots(conversations int64, client *v1alpha1.Client) {
	users := int64(client.ClosedLoop.Concurrency)
	if conversations < users {
		c.note("%d conversations keep %d of the %d users busy", conversations, conversations, users)
		client.ClosedLoop.Concurrency = int32(conversations)
		return
	}
	if conversations > users {
		c.note("inference-perf keeps %d conversations open and sends a turn of each in a circle, %d at a time; here each of %d users ends a conversation before the next", conversations, users, users)
	}
	c.note("in inference-perf a conversation that ends begins again with the same texts; here each has its own")
}

// systemPrompts take over the system prompt that all conversations share, and the one behind it that each has for itself.
func (c *converter) systemPrompts(in *object, client *v1alpha1.Client) {
	if shared := in.whole("shared_system_prompt_len", defaultSharedPrompt, 0, maxTokens); shared > 0 {
		client.Prefix = &v1alpha1.Prefix{Group: "system", Tokens: int32(shared)}
	}
	own := in.child("dynamic_system_prompt_len")
	if own == nil {
		return
	}
	lengths := c.tokensOf(own)
	if client.Prefix == nil {
		c.note("the own system prompts are behind a shared one of 1 token")
		client.Prefix = &v1alpha1.Prefix{Group: "system", Tokens: 1}
	}
	amounts := v1alpha1.Amounts{
		Distribution: v1alpha1.AmountDistribution(lengths.Distribution), Mean: lengths.Mean, StdDev: lengths.StdDev, Min: lengths.Min, Max: lengths.Max,
	}
	if s := client.Sessions; s.MaxTokens != nil {
		room := max(1, *s.MaxTokens-client.Prefix.Tokens-int32(longestOf(client.InputTokens)))
		if amounts.Max == nil || *amounts.Max > room {
			c.note("system prompts end at %d tokens, as max_model_len leaves no more", room)
			amounts.Max = &room
		}
		amounts.Min = min(amounts.Min, room)
	}
	client.Prefix.Examples = &v1alpha1.Examples{Pool: maxPool, Count: one(), Tokens: amounts}
}

// maxPool is the greatest number of texts to draw from; two conversations rarely have the same.
const maxPool = 100_000

func one() v1alpha1.Amounts {
	return v1alpha1.Amounts{Distribution: v1alpha1.AmountDistribution(v1alpha1.ConstantLengths), Mean: "1"}
}

// longestOf is the greatest length that can be drawn.
func longestOf(l v1alpha1.Lengths) int64 {
	if l.Max != nil {
		return int64(*l.Max)
	}
	if mean, err := strconv.ParseFloat(string(l.Mean), 64); err == nil && l.Distribution == v1alpha1.ConstantLengths {
		return int64(math.Ceil(mean))
	}
	return int64(l.Min)
}

// distributionOr reads a distribution, or else takes one length.
func (c *converter) distributionOr(in *object, name string, otherwise int64) v1alpha1.Lengths {
	if own := in.child(name); own != nil {
		return c.tokensOf(own)
	}
	return clamped(constant(otherwise), otherwise, otherwise)
}

// secondsOf reads a distribution of durations in s; nil is none.
func (c *converter) secondsOf(in *object) *v1alpha1.Durations {
	defer in.done()
	in.ignore("total_count")
	kind := in.word("type", "normal", "normal", "lognormal", "uniform", "fixed")
	mean, deviation := in.number("mean", 0, 0, maxYear), in.number("std_dev", 0, 0, maxYear)
	least, greatest := in.number("min", 0, 0, maxYear), in.number("max", 0, 0, maxYear)
	average, longest := span(mean), span(greatest)
	d := &v1alpha1.Durations{Distribution: v1alpha1.ConstantDurations, Mean: &average, Min: span(least), Max: &longest}
	in.demand("", "max")
	switch {
	case greatest == 0:
		return nil
	case least > greatest:
		c.fault(field.Invalid(in.at("min"), least, "must not be greater than max"))
	case kind == "uniform":
		d.Distribution, d.Mean = v1alpha1.UniformDurations, nil
	case !in.demand("", "mean"), kind == "fixed", deviation == 0, mean == 0:
	default:
		d.Distribution, d.StdDev = v1alpha1.LogNormalDurations, spanPositive(deviation)
	}
	if kind == "normal" && deviation > 0 {
		c.note("normal latencies of tools are drawn log-normal here, with the same mean and deviation")
	}
	c.note("inference-perf rounds latencies of tools to whole seconds; here they are drawn as they are")
	return d
}
