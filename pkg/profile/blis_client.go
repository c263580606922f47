// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// blisClient takes over all of a client or of a cohort's members but when they send
// requests.
func (c *converter) blisClient(s *blisSource) {
	in, client := s.in, &s.client
	in.ignore("streaming")
	in.demand("", "id")
	client.Name, client.Tenant = in.name("id"), in.name("tenant_id")
	// inference-sim counts requests without a class among these.
	client.Class = in.word("slo_class", "standard", blisClasses...)
	client.Model, client.Adapter = in.text("model", ""), in.name("adapter")
	s.share = in.number("rate_fraction", 0, 0, maxRate)
	client.InputTokens = c.blisLengths(in.required("input_distribution"))
	client.OutputTokens = c.blisLengths(in.required("output_distribution"))
	client.Prefix = c.blisPrefix(in)
	in.refuse("networks cannot be carried: latencies are those at the gateway", "network")
	c.blisTurns(in, client)
	c.blisTimeout(in, client)
	c.blisMedia(in, client)
	if us := in.number("slo_target_us", 0, 0, maxMicroseconds); us > 0 {
		s.target = us * microsecond
		// The header by which an EPP knows the target counts in ms.
		client.Headers = map[string]v1alpha1.HeaderValue{targetHeader: v1alpha1.HeaderValue(strconv.Itoa(int(math.Ceil(us / 1000))))}
	}
}

// blisClasses are the SLO classes of inference-sim.
var blisClasses = []string{"critical", "standard", "sheddable", "batch", "background"}

// targetHeader is the header that bounds the time to first token of a request.
const targetHeader = "x-llm-d-slo-ttft-ms"

// blisPrefix reads the prefix of a client. All prompts of a group begin with the same
// tokens, as many as the first client of the group has.
func (c *converter) blisPrefix(in *object) *v1alpha1.Prefix {
	group := in.text("prefix_group", "")
	if group == "" {
		if in.number("prefix_length", 0, 0, maxTokens) > 0 {
			c.fault(field.Required(in.at("prefix_group"), "prefix_length needs a group"))
		}
		return nil
	}
	const otherwise = 50
	tokens := in.whole("prefix_length", otherwise, 0, maxTokens)
	if tokens == 0 {
		tokens = otherwise
	}
	first, known := c.prefixes[group]
	if !known {
		if c.prefixes == nil {
			c.prefixes = map[string]int64{}
		}
		c.prefixes[group], first = tokens, tokens
	}
	if first != tokens && in.has("prefix_length") {
		c.note("%s: inference-sim takes the prefix_length of the group's first client, %d", in.at("prefix_length"), first)
	}
	return &v1alpha1.Prefix{Group: group, Tokens: int32(first)}
}

// blisTurns takes over conversations, which wait for answers.
func (c *converter) blisTurns(in *object, client *v1alpha1.Client) {
	reasoning := in.child("reasoning")
	if reasoning == nil {
		in.ignore("closed_loop")
		return
	}
	defer reasoning.done()
	if in.has("closed_loop") && !in.flag("closed_loop") {
		in.refuse("conversations that do not wait cannot be carried with a rate of conversations", "closed_loop")
	}
	in.ignore("closed_loop")
	if ratio := reasoning.child("reason_ratio_distribution"); ratio != nil && !isZero(ratio) {
		reasoning.refuse("a share of answers cannot be carried: state client.reasoning, in steps", "reason_ratio_distribution")
	}
	turns := reasoning.child("multi_turn")
	if turns == nil {
		return
	}
	defer turns.done()
	if turns.flag("single_session") {
		turns.refuse("a client of one conversation cannot be carried", "single_session")
	}
	turns.demand("", "max_rounds")
	client.Sessions = &v1alpha1.Sessions{
		Turns:     constant(turns.whole("max_rounds", 1, 1, 100_000)),
		ThinkTime: &v1alpha1.Durations{Mean: spanned(turns.number("think_time_us", 0, 0, maxMicroseconds) * microsecond)},
		Context:   v1alpha1.IndependentContext,
	}
	if turns.word("context_growth", "", "accumulate", "none") == "accumulate" {
		client.Sessions.Context = v1alpha1.AccumulateContext
	}
}

// isZero reports whether a distribution is 0 for certain.
func isZero(in *object) bool {
	greatest := map[string]string{"constant": "value", "gaussian": "max"}[in.text("type", "")]
	params := in.child("params")
	return greatest != "" && params != nil && params.has(greatest) && params.number(greatest, 0, 0, maxTokens) == 0
}

func spanned(seconds float64) *v1alpha1.Duration {
	d := span(seconds)
	return &d
}

// blisTimeout takes over a timeout in µs, which clients have unstated if they wait for
// answers.
func (c *converter) blisTimeout(in *object, client *v1alpha1.Client) {
	otherwise := 0.0
	if client.Sessions != nil || in.has("concurrency") || in.fields["closed_loop"] == true {
		otherwise = 300 / microsecond
	}
	if us := in.number("timeout", otherwise, 0, maxMicroseconds); us > 0 {
		client.Timeout = &v1alpha1.Timeout{Total: spanPositive(us * microsecond)}
	}
}

// blisUsers takes over a closed loop, whose users begin over one think time.
func (c *converter) blisUsers(s *blisSource) {
	in, client := s.in, &s.client
	think := in.number("think_time_us", 0, 0, maxMicroseconds) * microsecond
	users := in.whole("concurrency", 0, 0, maxConcurrency)
	if users == 0 {
		return
	}
	in.ignore("arrival")
	in.refuse("a closed loop has no rate", "rate_fraction", "lifecycle")
	client.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: int32(users)}
	if think > 0 {
		client.ClosedLoop.ThinkTime = &v1alpha1.Durations{Mean: spanned(think)}
		client.ClosedLoop.RampUp = span(think)
	}
	if client.Sessions != nil {
		c.fault(field.Forbidden(in.at("concurrency"), "inference-sim takes no conversations together with users of a closed loop"))
	}
}

// blisProcess reads the process of arrivals.
func (c *converter) blisProcess(in *object) v1alpha1.Arrivals {
	if in == nil {
		return v1alpha1.Arrivals{}
	}
	defer in.done()
	in.demand("", "process")
	in.refuse("state cv", "shape", "scale")
	a := v1alpha1.Arrivals{Process: map[string]v1alpha1.ArrivalProcess{
		"poisson": v1alpha1.PoissonArrivals, "constant": v1alpha1.ConstantArrivals,
		"gamma": v1alpha1.GammaArrivals, "weibull": v1alpha1.WeibullArrivals,
	}[in.word("process", "", "poisson", "constant", "gamma", "weibull")]}
	if a.Process == v1alpha1.GammaArrivals || a.Process == v1alpha1.WeibullArrivals {
		in.demand("", "cv")
		a.CV = positive(in.number("cv", 1, 0.01, 10.4))
	} else {
		in.ignore("cv")
	}
	return a
}
