// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// buildSource makes the stream of requests. Where a trace should be replayed
// and is nil, because it could not be read, so is the source.
func buildSource(in *v1alpha1.Workload, trace *workload.Trace, seed int64, path *field.Path) (workload.Listener, field.ErrorList) {
	var sources []workload.Listener
	clients, retries, errs := buildClients(in.Clients, path.Child("clients"))
	if len(in.Clients) > 0 && len(errs) == 0 {
		sources = append(sources, workload.NewClients(clients, seed))
	}
	if in.Trace != nil {
		replay, es := buildReplay(in.Trace, trace, seed, path.Child("trace"))
		errs = append(errs, es...)
		retry, es := buildRetry(in.Trace.Retry, path.Child("trace", "retry"))
		errs = append(errs, es...)
		sources, retries = append(sources, replay), append(retries, retry)
	}
	if len(errs) > 0 || in.Trace != nil && trace == nil {
		return nil, errs
	}
	source := workload.Mix(sources...)
	if RetriesRequests(in) {
		source = workload.WithRetries(source, func(client int) *workload.Retry { return retries[client] }, seed)
	}
	return source, nil
}

// RetriesRequests reports whether some requests are sent again.
func RetriesRequests(in *v1alpha1.Workload) bool {
	return in.Trace != nil && in.Trace.Retry != nil ||
		slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.Retry != nil })
}

// TimesOut reports whether some clients give requests up.
func TimesOut(in *v1alpha1.Workload) bool {
	return in.Trace != nil && in.Trace.Timeout != nil ||
		slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.Timeout != nil })
}

// answersEnds reports whether some requests wait for the ends of others.
func answersEnds(in *v1alpha1.Workload, trace *workload.Trace) bool {
	return RetriesRequests(in) || in.Trace != nil && trace != nil && trace.AnswersEnds() ||
		slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool {
			return c.ClosedLoop != nil || c.Sessions != nil && c.Sessions.ThinkTime != nil
		})
}

// maxClients bounds the clients of a workload, copies included: the manager
// sets all of them up to see whether they can be.
const maxClients = 10_000

// buildClients makes the clients, each copy one of its own. Faults stand where
// the user wrote the client.
func buildClients(in []v1alpha1.Client, path *field.Path) ([]workload.Client, []*workload.Retry, field.ErrorList) {
	var clients []workload.Client
	var retries []*workload.Retry
	var errs field.ErrorList
	owner := map[string]int{}
	for i := range in {
		copies, es := buildCopies(&in[i], path.Index(i))
		errs = append(errs, es...)
		for _, c := range copies {
			if first, taken := owner[c.Name]; taken && first != i {
				errs = append(errs, field.Duplicate(path.Index(i).Child("name"), c.Name))
				break
			}
			owner[c.Name] = i
		}
		clients = append(clients, copies...)
		retry, es := buildRetry(in[i].Retry, path.Index(i).Child("retry"))
		errs = append(errs, es...)
		for range copies {
			retries = append(retries, retry)
		}
	}
	errs = append(errs, validatePromptsAndSessions(in, path)...)
	errs = append(errs, validateHeaders(in, path)...)
	if len(clients) > maxClients {
		errs = append(errs, field.TooMany(path, len(clients), maxClients))
	}
	return clients, retries, errs
}

// maxPromptsAndSessions bounds the fixed prompts and the sessions at a time of a workload, which
// are kept in memory.
const maxPromptsAndSessions = 1_000_000

// validatePromptsAndSessions says which client has more prompts or sessions than are left for
// it, its copies included.
func validatePromptsAndSessions(in []v1alpha1.Client, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	total := int64(0)
	add := func(n, copies int32, at *field.Path) {
		if total += int64(n) * int64(copies); total > maxPromptsAndSessions && len(errs) == 0 {
			errs = append(errs, field.Invalid(at, n, fmt.Sprintf("all clients and their copies have at most %d prompts, conversations at a time and users; up to here there are %d", maxPromptsAndSessions, total)))
		}
	}
	for i := range in {
		copies := int32(1)
		if in[i].Copies != nil {
			copies = in[i].Copies.Count
		}
		if p := in[i].Prompts; p != nil {
			add(p.Count, copies, path.Index(i).Child("prompts", "count"))
		}
		if s := in[i].Sessions; s != nil {
			if s.Concurrent != nil {
				add(*s.Concurrent, copies, path.Index(i).Child("sessions", "concurrent"))
			}
		}
		if l := in[i].ClosedLoop; l != nil {
			add(l.Concurrency, copies, path.Index(i).Child("closedLoop", "concurrency"))
		}
	}
	return errs
}

// buildCopies makes the clients that one stands for.
func buildCopies(in *v1alpha1.Client, path *field.Path) ([]workload.Client, field.ErrorList) {
	client := buildClient(in)
	errs := client.Validate(path)
	if in.Copies == nil {
		return []workload.Client{client}, errs
	}
	copies := workload.Copies{
		Count:         int(in.Copies.Count),
		ZipfExponent:  in.Copies.ZipfExponent.Float(),
		SharedPrefix:  in.Copies.Prefixes == v1alpha1.SharedPrefixes,
		SharedAdapter: in.Copies.Adapters == v1alpha1.SharedAdapters,
	}
	if in.Copies.Arrivals != v1alpha1.OwnArrivals {
		copies.SharedArrivals = workload.Order(in.Copies.Arrivals)
	}
	if errs = append(errs, copies.Validate(path.Child("copies"))...); len(errs) > 0 {
		return nil, errs
	}
	return copies.Expand(client), nil
}

func buildReplay(in *v1alpha1.Trace, trace *workload.Trace, seed int64, path *field.Path) (workload.Listener, field.ErrorList) {
	replay := workload.Replay{
		RateScale: in.RateScale.Float(),
		Arrivals:  workload.ReplayArrivals(in.Arrivals),
		Tenant:    in.Tenant,
		Class:     in.Class,
		Priority:  int(in.Priority),
	}
	replay.FirstTokenTimeout, replay.Timeout = buildTimeout(in.Timeout)
	if errs := replay.Validate(path); len(errs) > 0 || trace == nil {
		return nil, errs
	}
	return trace.Replay(replay, seed), nil
}

func buildClient(in *v1alpha1.Client) workload.Client {
	client := workload.Client{
		Name:     in.Name,
		Tenant:   in.Tenant,
		Class:    in.Class,
		Priority: int(in.Priority),
		Arrivals: workload.Arrivals{
			Process:       workload.ArrivalProcess(in.Arrivals.Process),
			RatePerSecond: in.Arrivals.Rate.Float(),
			CV:            in.Arrivals.CV.Float(),
		},
		Input:   buildLengths(in.InputTokens),
		Output:  buildLengths(in.OutputTokens),
		Adapter: in.Adapter,
		Headers: buildHeaders(in.Headers),
	}
	for _, s := range in.Arrivals.Stages {
		client.Arrivals.Stages = append(client.Arrivals.Stages, workload.Stage{RatePerSecond: s.Rate.Float(), Duration: s.Duration.Duration()})
	}
	if in.Prefix != nil {
		client.PrefixGroup, client.PrefixTokens = in.Prefix.Group, int(in.Prefix.Tokens)
	}
	if p := in.Prompts; p != nil {
		client.Prompts = &workload.Prompts{Count: int(p.Count), Order: workload.Order(p.Order)}
	}
	client.FirstTokenTimeout, client.Timeout = buildTimeout(in.Timeout)
	client.Sessions = buildSessions(in.Sessions, in.ClosedLoop != nil)
	if l := in.ClosedLoop; l != nil {
		client.ClosedLoop = &workload.ClosedLoop{Concurrency: int(l.Concurrency), RampUp: l.RampUp.Duration()}
		if l.ThinkTime != nil {
			client.ClosedLoop.ThinkTime = buildDurations(l.ThinkTime)
		}
	}
	return client
}

func buildSessions(in *v1alpha1.Sessions, closedLoop bool) *workload.Sessions {
	if in == nil {
		return nil
	}
	s := &workload.Sessions{
		AfterAnswer: closedLoop || in.ThinkTime != nil,
		Turns:       buildLengths(in.Turns),
		Accumulate:  in.Context != v1alpha1.IndependentContext,
		Order:       workload.Order(in.Order),
	}
	if in.MaxTokens != nil {
		s.MaxTokens = int(*in.MaxTokens)
	}
	if in.Concurrent != nil {
		s.Concurrent = int(*in.Concurrent)
	}
	if in.ThinkTime != nil {
		think := buildDurations(in.ThinkTime)
		s.ThinkTime = &think
	}
	return s
}

// buildTimeout returns the times for the first token and for the last one; 0 is none.
func buildTimeout(in *v1alpha1.Timeout) (firstToken, total time.Duration) {
	if in == nil {
		return 0, 0
	}
	return in.FirstToken.Duration(), in.Total.Duration()
}

func buildRetry(in *v1alpha1.Retry, path *field.Path) (*workload.Retry, field.ErrorList) {
	if in == nil {
		return nil, nil
	}
	r := &workload.Retry{
		Max: int(in.Max), Backoff: in.Backoff.Duration(), MaxBackoff: in.MaxBackoff.Duration(),
		Multiplier: in.Multiplier.Float(), Jitter: in.Jitter.Float(),
	}
	for _, reason := range in.After {
		r.After = append(r.After, map[v1alpha1.RetryReason]workload.Ending{
			v1alpha1.RetryRejected: workload.Rejected, v1alpha1.RetryTimedOut: workload.TimedOut, v1alpha1.RetryFailed: workload.Failed,
		}[reason])
	}
	return r, r.Validate(path)
}

func buildDurations(in *v1alpha1.Durations) workload.Durations {
	d := workload.Durations{Min: in.Min.Duration()}
	if in.Max != nil {
		d.Max = in.Max.Duration()
	}
	mean := 0.0
	if in.Mean != nil {
		mean = in.Mean.Duration().Seconds()
	}
	switch in.Distribution {
	case v1alpha1.UniformDurations:
		d.Distribution = stats.Uniform{Low: d.Min.Seconds(), High: d.Max.Seconds()}
	case v1alpha1.ExponentialDurations:
		d.Distribution = stats.Exponential{Mean: mean}
	case v1alpha1.LogNormalDurations:
		d.Distribution = stats.LogNormalOf(mean, in.StdDev.Duration().Seconds())
	default:
		d.Distribution = stats.Constant{Value: mean}
	}
	return d
}

func buildLengths(in v1alpha1.Lengths) workload.Lengths {
	lengths := workload.Lengths{Min: int(in.Min)}
	if in.Max != nil {
		lengths.Max = int(*in.Max)
	}
	mean, stdDev := in.Mean.Float(), in.StdDev.Float()
	switch in.Distribution {
	case v1alpha1.UniformLengths:
		// Half a token more on both sides, since what is drawn is rounded.
		lengths.Distribution = stats.Uniform{Low: float64(lengths.Min) - 0.5, High: float64(lengths.Max) + 0.5}
	case v1alpha1.NormalLengths:
		lengths.Distribution = stats.Normal{Mean: mean, StdDev: stdDev}
	case v1alpha1.ExponentialLengths:
		lengths.Distribution = stats.Exponential{Mean: mean}
	case v1alpha1.LogNormalLengths:
		lengths.Distribution = stats.LogNormalOf(mean, stdDev)
	default:
		lengths.Distribution = stats.Constant{Value: mean}
	}
	return lengths
}
