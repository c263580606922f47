// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// eppAnswers are what the EPP exports of requests that have left its queues.
var eppAnswers = slices.Concat(
	[]Metric{
		{
			Names: eppNames("llm_d_epp_request_error_total"), Type: Counter, labels: []label{modelName, targetModelName},
			merged: []string{"fairness_id", "priority", "error_code"}, gateway: counter(func(g *autoscaling.Gateway) int64 { return g.Rejected }),
			Help:       "Requests that ended with an error.",
			Difference: "Requests that the router rejects count, and no others. " + oneOfAll,
		},
		{
			Names: everPresent("llm_d_epp_scheduler_attempts_total", "inference_extension_scheduler_attempts_total"),
			Type:  Counter, labels: []label{statusName, targetModelName}, merged: []string{"endpoint_name", "namespace", "port"},
			gateway:    counter(func(g *autoscaling.Gateway) int64 { return g.Sent }),
			Help:       "Requests that the EPP has tried to send to an engine.",
			Difference: "There is the series of status success alone, for all endpoints. A request that loses its engine counts again when another one gets it.",
		},
		ofAnswer("llm_d_epp_request_input_tokens_sum", "Tokens of the prompts of requests that have ended whole.", func(g *autoscaling.Gateway) int64 { return g.Answers.PromptTokens }),
		ofAnswer("llm_d_epp_request_input_tokens_count", "Requests that have ended whole.", completed),
		ofAnswer("llm_d_epp_request_output_tokens_sum", "Tokens of the answers that have ended whole.", func(g *autoscaling.Gateway) int64 { return g.AnswerTokens }),
		ofAnswer("llm_d_epp_request_output_tokens_count", "Requests that have ended whole.", completed),
	},
	answerHistogram("llm_d_epp_request_ttft_seconds", "From the arrival at the EPP to the first token, of requests that have ended whole.", autoscaling.AnswerFirstTokenBounds,
		func(a *autoscaling.Answers) *autoscaling.Durations { return &a.TimeToFirstToken }),
	answerHistogram("llm_d_epp_request_duration_seconds", "From the arrival at the EPP to the end of the answer, of requests that have ended whole.", autoscaling.AnswerBounds,
		func(a *autoscaling.Answers) *autoscaling.Durations { return &a.Duration }),
)

// oneOfAll is how metrics of requests differ.
const oneOfAll = "There is one series for all flows, priorities and models of the router."

func counter(of func(*autoscaling.Gateway) int64) func(*autoscaling.Sample) (float64, bool) {
	return func(s *autoscaling.Sample) (float64, bool) { return float64(of(&s.Gateway)), true }
}

func completed(g *autoscaling.Gateway) int64 { return g.Completed }

// ofAnswer returns a part of a histogram of requests.
func ofAnswer(name, help string, of func(*autoscaling.Gateway) int64) Metric {
	return Metric{
		Names: eppNames(name), Type: Histogram, labels: []label{modelName, targetModelName}, merged: byFlow,
		Help: help, Difference: oneOfAll, gateway: counter(of),
	}
}

// goBoundNames returns values of the label le as Go's exporters write them.
func goBoundNames(bounds []time.Duration) []string {
	var all []string
	for _, b := range bounds {
		all = append(all, strconv.FormatFloat(b.Seconds(), 'g', -1, 64))
	}
	return append(all, "+Inf")
}

// answerHistogram returns the three metrics of a histogram of the EPP.
func answerHistogram(name, help string, bounds []time.Duration, of func(*autoscaling.Answers) *autoscaling.Durations) []Metric {
	cumulated := func(s *autoscaling.Sample, at int) float64 {
		total := int64(0)
		for _, n := range of(&s.Gateway.Answers).Buckets[:at+1] {
			total += n
		}
		return float64(total)
	}
	last := len(bounds)
	buckets := ofAnswer(name+"_bucket", help+" Counts by upper bound.", completed)
	buckets.labels, buckets.bounds, buckets.gatewayBucket = append(buckets.labels, le), goBoundNames(bounds), cumulated
	sum := ofAnswer(name+"_sum", help+" The sum in seconds.", completed)
	sum.gateway = func(s *autoscaling.Sample) (float64, bool) { return of(&s.Gateway.Answers).Sum.Seconds(), true }
	count := ofAnswer(name+"_count", help+" The count.", completed)
	count.gateway = func(s *autoscaling.Sample) (float64, bool) { return cumulated(s, last), true }
	return []Metric{buckets, sum, count}
}
