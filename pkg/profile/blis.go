// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// blis takes over a workload of inference-sim. Times are in µs.
func (c *converter) blis(in *object) {
	in.ignore("seed")
	in.word("version", "", "2")
	in.demand("only version 2 is known", "version")
	in.word("category", "", "language", "multimodal", "reasoning")
	in.refuse("pack the folder as an archive, and name it as a trace of the format ServeGen", "servegen_data")
	in.refuse("convert the profile of inference-perf itself", "inference_perf")
	if n := in.whole("num_requests", 0, 0, 1e9); n > 0 {
		c.traffic.Horizon.Requests = &n
	}
	if us := in.number("horizon", 0, 0, maxYear*1e6); us > 0 {
		c.traffic.Horizon.Duration = spanPositive(us / 1e6)
	}
	if c.traffic.Horizon.Requests == nil && c.traffic.Horizon.Duration == "" {
		c.fault(field.Required(in.at("horizon"), "state horizon or num_requests: without them the workload has no end"))
	}
	total := in.number("aggregate_rate", 0, 0, maxRate)
	sources, sum := c.blisSources(in)
	for i := range sources {
		c.blisArrivals(&sources[i], total, sum)
		sources[i].in.done()
		c.traffic.Workload.Clients = append(c.traffic.Workload.Clients, sources[i].client)
	}
	if len(sources) == 0 {
		in.demand("state clients or cohorts", "clients")
	}
	c.note("inference-sim gives SLO classes priorities; here they are labels: state client.priority and spec.scenario.slos")
}

// blisSource is a client or a cohort.
type blisSource struct {
	in     *object
	client v1alpha1.Client
	// share is the source's part of the rate of all.
	share float64
}

// blisSources reads clients and cohorts, and returns the sum of their shares of the rate.
func (c *converter) blisSources(in *object) ([]blisSource, float64) {
	var all []blisSource
	sum := 0.0
	add := func(s *object, client v1alpha1.Client) {
		c.blisClient(s, &client)
		source := blisSource{in: s, client: client, share: s.number("rate_fraction", 0, 0, maxRate)}
		sum += source.share
		all = append(all, source)
	}
	for _, s := range in.children("clients") {
		add(s, v1alpha1.Client{})
	}
	for _, s := range in.children("cohorts") {
		s.demand("", "population")
		count := s.whole("population", 1, 1, 10_000)
		copies := &v1alpha1.Copies{Count: int32(count), Prefixes: v1alpha1.SharedPrefixes}
		if s.word("prefix_sharing", "shared", "shared", "per_member") == "per_member" {
			copies.Prefixes = v1alpha1.OwnPrefixes
		}
		s.refuse("a load profile cannot be carried: state client.arrivals.stages", "diurnal", "drain")
		add(s, v1alpha1.Client{Copies: copies})
	}
	return all, sum
}

// blisClient takes over all of a client but when it sends requests.
func (c *converter) blisClient(in *object, client *v1alpha1.Client) {
	in.ignore("streaming")
	in.demand("", "id")
	client.Name, client.Tenant = in.name("id"), in.name("tenant_id")
	client.Class = in.word("slo_class", "", "critical", "standard", "sheddable", "batch", "background")
	client.Model, client.Adapter = in.text("model", ""), in.name("adapter")
	client.InputTokens = c.blisLengths(in.required("input_distribution"))
	client.OutputTokens = c.blisLengths(in.required("output_distribution"))
	if group := in.text("prefix_group", ""); group != "" {
		client.Prefix = &v1alpha1.Prefix{Group: group, Tokens: int32(in.whole("prefix_length", 50, 1, maxTokens))}
	} else if in.ignore("prefix_length"); in.number("prefix_length", 0, 0, maxTokens) > 0 {
		c.fault(field.Required(in.at("prefix_group"), "prefix_length needs a group"))
	}
	in.refuse("networks cannot be carried: latencies are those at the gateway", "network")
	in.refuse("media cannot be carried: state client.media, in tokens", "multimodal")
	in.refuse("targets are of a class: state spec.scenario.slos", "slo_target_us", "goodput_slo")
	if us := in.number("timeout", 300e6, 0, maxYear*1e6); us > 0 {
		client.Timeout = &v1alpha1.Timeout{Total: spanPositive(us / 1e6)}
	}
	c.blisTurns(in, client)
}

// blisTurns takes over conversations, which wait for answers.
func (c *converter) blisTurns(in *object, client *v1alpha1.Client) {
	reasoning := in.child("reasoning")
	if !in.has("closed_loop") || in.flag("closed_loop") {
		in.ignore("closed_loop")
	} else if reasoning != nil {
		in.refuse("conversations that do not wait cannot be carried with a rate of conversations", "closed_loop")
	}
	if reasoning == nil {
		return
	}
	defer reasoning.done()
	if ratio := reasoning.child("reason_ratio_distribution"); ratio != nil {
		params := ratio.child("params")
		if ratio.text("type", "") != "constant" || params == nil || params.number("value", 0, 0, maxTokens) != 0 {
			reasoning.refuse("a share of answers cannot be carried: state client.reasoning, in steps", "reason_ratio_distribution")
		}
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
		ThinkTime: &v1alpha1.Durations{Mean: spanned(turns.number("think_time_us", 0, 0, maxYear*1e6) / 1e6)},
		Context:   v1alpha1.IndependentContext,
	}
	if turns.word("context_growth", "", "accumulate", "none") == "accumulate" {
		client.Sessions.Context = v1alpha1.AccumulateContext
	}
}

func spanned(seconds float64) *v1alpha1.Duration {
	d := span(seconds)
	return &d
}

// blisArrivals takes over when a client sends requests: its share of the rate of all, a
// rate for each window, or whenever an answer is there.
func (c *converter) blisArrivals(s *blisSource, total, sum float64) {
	in, client := s.in, &s.client
	think := in.number("think_time_us", 0, 0, maxYear*1e6) / 1e6
	if users := in.whole("concurrency", 0, 0, maxConcurrency); users > 0 {
		in.ignore("arrival")
		in.refuse("a closed loop has no rate", "rate_fraction", "lifecycle", "spike")
		client.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: int32(users)}
		if think > 0 {
			client.ClosedLoop.ThinkTime = &v1alpha1.Durations{Mean: spanned(think)}
		}
		return
	}
	client.Arrivals = c.blisProcess(in.required("arrival"))
	windows := c.blisWindows(in)
	switch {
	case len(windows) > 0:
		client.Arrivals.Stages = c.blisStages(windows, in)
	case total == 0 || sum == 0 || s.share == 0:
		c.fault(field.Required(in.at("rate_fraction"), "needs aggregate_rate and rate_fraction, or windows with trace_rate"))
	default:
		client.Arrivals.Rate = positive(total * s.share / sum)
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

// blisWindow is a time with a rate, in s and requests/s.
type blisWindow struct{ start, end, rate float64 }

// blisWindows reads the windows of a client, or the one of a cohort's spike.
func (c *converter) blisWindows(in *object) []blisWindow {
	const why = "the rate of a window follows from those of all clients: state it here"
	var all []blisWindow
	if lifecycle := in.child("lifecycle"); lifecycle != nil {
		for _, w := range lifecycle.children("windows") {
			w.refuse("what differs from window to window cannot be carried: make a client of each", "overrides", "arrival", "input_distribution", "output_distribution")
			w.demand("", "end_us")
			w.demand(why, "trace_rate")
			all = append(all, blisWindow{
				w.number("start_us", 0, 0, maxYear*1e6) / 1e6, w.number("end_us", 0, 0, maxYear*1e6) / 1e6, w.number("trace_rate", 0, 0, maxRate)})
			w.done()
		}
		lifecycle.done()
	}
	if spike := in.child("spike"); spike != nil {
		spike.demand(why, "trace_rate")
		start := spike.number("start_time_us", 0, 0, maxYear*1e6) / 1e6
		all = append(all, blisWindow{start, start + spike.number("duration_us", 0, 0, maxYear*1e6)/1e6, spike.number("trace_rate", 0, 0, maxRate)})
		spike.done()
	}
	return all
}

// blisStages makes consecutive stages of windows, with pauses between them.
func (c *converter) blisStages(windows []blisWindow, in *object) []v1alpha1.RateStage {
	var stages []v1alpha1.RateStage
	at := 0.0
	for _, w := range windows {
		if w.start < at || w.end <= w.start {
			c.fault(field.Invalid(in.at("lifecycle").Child("windows"), span(w.start), "windows must follow each other and have a duration"))
			return nil
		}
		if w.start > at {
			stages = append(stages, v1alpha1.RateStage{Rate: "0", Duration: spanPositive(w.start - at)})
		}
		stages = append(stages, v1alpha1.RateStage{Rate: v1alpha1.NonNegativeDecimal(decimal(w.rate)), Duration: spanPositive(w.end - w.start)})
		at = w.end
	}
	if len(stages) > maxStages {
		c.fault(field.TooMany(in.at("lifecycle").Child("windows"), len(stages), maxStages))
	}
	return stages
}

// blisHistogram reads lengths and their probabilities.
func (c *converter) blisHistogram(in *object) v1alpha1.Lengths {
	l := v1alpha1.Lengths{Distribution: v1alpha1.HistogramLengths}
	sum := 0.0
	shares := map[int]float64{}
	for _, name := range slices.Sorted(maps.Keys(in.fields)) {
		tokens, err := strconv.Atoi(name)
		if err != nil || tokens < 1 || tokens > maxTokens {
			c.fault(field.Invalid(in.path, name, fmt.Sprintf("must be a length from 1 to %d tokens", maxTokens)))
			continue
		}
		share := in.number(name, 0, 0, 1e9)
		if share > 0 {
			shares[tokens] = share
			sum += share
		}
	}
	for _, tokens := range slices.Sorted(maps.Keys(shares)) {
		l.Histogram = append(l.Histogram, v1alpha1.WeightedLength{Tokens: int32(tokens), Weight: max(1, int32(math.Round(1e6*shares[tokens]/sum)))})
	}
	if n := len(l.Histogram); n == 0 || n > 256 {
		c.fault(field.Invalid(in.path, n, "must have 1 to 256 lengths"))
	}
	return l
}

// blisLengths reads a distribution of lengths.
func (c *converter) blisLengths(in *object) v1alpha1.Lengths {
	if in == nil {
		return v1alpha1.Lengths{}
	}
	defer in.done()
	in.refuse("lengths in a file cannot be carried: state params", "file")
	kind := in.word("type", "", "constant", "gaussian", "exponential", "lognormal", "pareto_lognormal", "empirical")
	in.demand("", "type")
	params := in.required("params")
	if params == nil {
		return v1alpha1.Lengths{}
	}
	if kind == "empirical" {
		return c.blisHistogram(params)
	}
	defer params.done()
	switch kind {
	case "constant":
		params.demand("", "value")
		return constant(params.whole("value", 1, 1, maxTokens))
	case "exponential":
		params.demand("", "mean")
		return v1alpha1.Lengths{Distribution: v1alpha1.ExponentialLengths, Mean: positive(params.number("mean", 1, 1e-9, maxTokens))}
	case "gaussian":
		params.demand("", "mean", "std_dev", "min", "max")
		return normal(params.number("mean", 1, 1, maxTokens), params.number("std_dev", 0, 0, maxTokens),
			params.whole("min", 0, 0, maxTokens), params.whole("max", 1, 1, maxTokens))
	case "lognormal":
		mean, stdDev := logNormal(params)
		return v1alpha1.Lengths{Distribution: v1alpha1.LogNormalLengths, Mean: positive(mean), StdDev: positive(stdDev)}
	case "pareto_lognormal":
		return c.blisMixture(params)
	}
	params.ignore("value", "mean", "std_dev", "min", "max")
	return v1alpha1.Lengths{}
}

// logNormal reads the mean and the deviation of the logarithm, and returns those of the
// length.
func logNormal(in *object) (mean, stdDev float64) {
	in.demand("", "mu", "sigma")
	mu, sigma := in.number("mu", 0, 0, 16), in.number("sigma", 1, 1e-3, 4)
	mean = stats.Exp(mu + float64(sigma*sigma)/2)
	return mean, mean * math.Sqrt(stats.Exp(sigma*sigma)-1)
}

// blisMixture reads lengths of which a share has a Pareto distribution.
func (c *converter) blisMixture(in *object) v1alpha1.Lengths {
	in.demand("", "alpha", "xm", "mix_weight")
	alpha, least := in.number("alpha", 2, 0, 1000), in.number("xm", 1, 1e-9, maxTokens)
	mean, stdDev := logNormal(in)
	weight := int32(math.Round(1e6 * in.number("mix_weight", 0.5, 0, 1)))
	if alpha <= 1 {
		c.fault(field.Invalid(in.at("alpha"), alpha, "must be greater than 1: without a mean, the lengths cannot be carried"))
		return v1alpha1.Lengths{}
	}
	paretoMean := positive(alpha * least / (alpha - 1))
	switch weight {
	case 0:
		return v1alpha1.Lengths{Distribution: v1alpha1.LogNormalLengths, Mean: positive(mean), StdDev: positive(stdDev)}
	case 1e6:
		return v1alpha1.Lengths{Distribution: v1alpha1.ParetoLengths, Mean: paretoMean, Shape: positive(alpha)}
	}
	return v1alpha1.Lengths{Distribution: v1alpha1.MixtureLengths, Components: []v1alpha1.LengthComponent{
		{Weight: weight, Distribution: v1alpha1.ComponentDistribution(v1alpha1.ParetoLengths), Mean: paretoMean, Shape: positive(alpha)},
		{Weight: 1e6 - weight, Distribution: v1alpha1.ComponentDistribution(v1alpha1.LogNormalLengths), Mean: positive(mean), StdDev: positive(stdDev)},
	}}
}
