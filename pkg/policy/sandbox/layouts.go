// SPDX-License-Identifier: Apache-2.0

package sandbox

// Names are the workload's.
type Names struct{ Tenants, Classes []string }

// endpointFields are what every program sees of an endpoint.
var endpointFields = []Field{
	{Name: "number", Kind: Integer, Help: "the number of the endpoint, from 0"},
	{Name: "waiting", Kind: Integer, Help: "requests in the engine's queue, at the last scrape"},
	{Name: "running", Kind: Integer, Help: "requests in the engine's batch, at the last scrape"},
	{Name: "kv_usage", Kind: Number, Help: "the share of KV blocks in use, 0 to 1, at the last scrape"},
	{Name: "scrape_age", Kind: Number, Help: "seconds since the last scrape"},
	{Name: "blocks", Kind: Integer, Help: "the engine's KV blocks"},
	{Name: "block_tokens", Kind: Integer, Help: "the tokens of a KV block"},
	{Name: "transfers", Kind: Integer, Help: "KV transfers from and to the endpoint in flight"},
	{Name: "transfer_delay", Kind: Number, Help: "seconds until they are over"},
}

func requestGroup(n Names) Group {
	return Group{Name: "request", Fields: []Field{
		{Name: "tokens", Kind: Integer, Help: "the tokens of the prompt"},
		{Name: "tenant", Kind: Label, Labels: n.Tenants, Help: "the tenant's name"},
		{Name: "slo_class", Kind: Label, Labels: n.Classes, Help: "the name of the class"},
		{Name: "priority", Kind: Integer, Help: "higher is more important"},
		{Name: "session", Kind: Integer, Help: "the number of the conversation, from 1; 0 for none"},
		{Name: "adapter", Kind: Integer, Help: "the number of the LoRA adapter, from 1; 0 for the base model"},
		{Name: "age", Kind: Number, Help: "seconds since the request reached the gateway"},
		{Name: "ttft_target", Kind: Number, Help: "the time to first token that the client states it was promised, in seconds; 0 for none"},
		{Name: "tpot_target", Kind: Number, Help: "the time per output token that it states, in seconds; 0 for none"},
	}}
}

// gatewayGroup is what the gateway counts of one kind of requests.
func gatewayGroup(name, of string) Group {
	return Group{Name: name, Fields: []Field{
		{Name: "in_flight", Kind: Integer, Help: "requests" + of + " that were admitted and have not ended"},
		{Name: "in_flight_tokens", Kind: Integer, Help: "the tokens of their prompts"},
		{Name: "delayed", Kind: Integer, Help: "requests" + of + " that the admission keeps waiting"},
		{Name: "arrival_rate", Kind: Number, Help: "requests" + of + " that arrived per second, over the last minute"},
		{Name: "admission_rate", Kind: Number, Help: "those that were admitted per second"},
		{Name: "rejection_rate", Kind: Number, Help: "those that were rejected per second"},
	}}
}

// RoutingLayout is what a router sees of a request and of the endpoints that are there.
func RoutingLayout(n Names) *Layout {
	return &Layout{
		Component: Routing, Function: "score", Groups: []Group{requestGroup(n)},
		Rows: &Group{Name: "endpoints", Fields: endpointFields}, Answer: Scores,
	}
}

// OwnColumns is how many fields of a row the component has itself; the signals of a bundle follow.
func OwnColumns(l *Layout) int {
	if l.Component == Routing {
		return len(endpointFields)
	}
	return l.Columns()
}

// AdmissionLayout is what an admission sees.
func AdmissionLayout(n Names) *Layout {
	return &Layout{
		Component: Admission, Function: "admit", Answer: Verdict,
		Groups: []Group{requestGroup(n), gatewayGroup("gateway", ""), gatewayGroup("tenant", " of the tenant")},
		Rows:   &Group{Name: "endpoints", Fields: endpointFields},
	}
}

// PriorityLayout is what a policy of priorities sees.
func PriorityLayout(n Names) *Layout {
	l := AdmissionLayout(n)
	l.Component, l.Function, l.Answer = Priority, "prioritize", WholeNumber
	return l
}

// SchedulerLayout is what the order of an engine's queue sees of a request that enters it.
func SchedulerLayout(n Names) *Layout {
	return &Layout{
		Component: Scheduler, Function: "rank", Answer: Rank,
		Groups: []Group{{Name: "job", Fields: []Field{
			{Name: "turn", Kind: Integer, Help: "the number of the request in order of entry into the queue"},
			{Name: "arrival", Kind: Number, Help: "when the request reached the gateway, in seconds of the run"},
			{Name: "deadline", Kind: Number, Help: "when its first token is due, in seconds of the run; 0 for no target"},
			{Name: "tenant", Kind: Label, Labels: n.Tenants, Help: "the tenant's name"},
			{Name: "slo_class", Kind: Label, Labels: n.Classes, Help: "the name of the class"},
			{Name: "priority", Kind: Integer, Help: "higher is more important"},
			{Name: "prompt_tokens", Kind: Integer, Help: "the tokens of the prompt, cached ones included"},
		}}},
	}
}

// AutoscaleLayout is what a scaler sees of its pools.
func AutoscaleLayout() *Layout {
	return &Layout{
		Component: Autoscale, Function: "scale", Answer: Counts,
		Groups: []Group{{Name: "gateway", Fields: []Field{
			{Name: "arrival_rate", Kind: Number, Help: "requests that arrived per second, over the last minute of samples"},
			{Name: "held", Kind: Integer, Help: "requests that wait at the gateway"},
			{Name: "attainment", Kind: Number, Help: "the share of the requests that ended in the last minute and met their targets; 1 where none ended"},
		}}},
		Rows: &Group{Name: "pools", Fields: []Field{
			{Name: "wanted", Kind: Integer, Help: "the replicas that are wanted now"},
			{Name: "ready", Kind: Integer, Help: "the replicas that serve"},
			{Name: "min", Kind: Integer, Help: "the least replicas"},
			{Name: "max", Kind: Integer, Help: "the most replicas"},
			{Name: "waiting", Kind: Number, Help: "the mean number of waiting requests of a replica"},
			{Name: "running", Kind: Number, Help: "the mean number of running requests of a replica"},
			{Name: "kv_usage", Kind: Number, Help: "the mean share of KV blocks in use"},
			{Name: "utilization", Kind: Number, Help: "the share of the last minute in which accelerators were busy"},
			{Name: "last_change", Kind: Number, Help: "seconds since the wanted replicas changed; since the start, if they have not"},
		}},
	}
}
