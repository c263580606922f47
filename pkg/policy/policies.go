// SPDX-License-Identifier: Apache-2.0

package policy

// Policies are the decisions that a cluster leaves to policies. One simulation owns
// them; they are not called concurrently.
type Policies struct {
	// Priority states how important each request is; nil leaves what the client
	// stated.
	Priority Priority
	// Admission turns requests away before they are routed, or makes them wait; nil
	// admits all.
	Admission Admission
	// Traffic is what the gateway counts for the policies, which see it as
	// [View.Traffic]; nil where none asks for it.
	Traffic *Traffic
	// Routing chooses the endpoints of each request.
	Routing Routing
	// Adaptations are written by policies that change the weights of routers in a run,
	// one for each router whose weights change.
	Adaptations []*Adaptation
	// Faults is where policies that are programs say their faults; nil where none is. The
	// schedulers of engines and scalers may share it. The run ends at the first one.
	Faults *Faults
}

// Priority states how important requests are.
type Priority interface {
	// Prioritize returns the priority of a request that has just arrived: more is
	// more important. The view and the request are only valid during the call.
	Prioritize(view *View, request *Request) (priority int, hints Hints)
}

// Hints say how an engine is to schedule a request. The zero value says nothing.
type Hints struct {
	// PrefillChunk is the most prompt tokens that one step computes; 0 leaves it to the
	// engine, whose own bounds hold in any case.
	PrefillChunk int
}

// With returns the hints of two policies on one request: the stricter ones.
func (h Hints) With(other Hints) Hints {
	if other.PrefillChunk > 0 && (h.PrefillChunk == 0 || other.PrefillChunk < h.PrefillChunk) {
		h.PrefillChunk = other.PrefillChunk
	}
	return h
}

// Routing is a router with all that it takes part in. A field that is nil or false says
// that it does not.
type Routing struct {
	// Router is never nil.
	Router Router
	// Responses learns of first tokens and of ends.
	Responses ResponseListener
	// FirstTokens learns when answers begin. It needs Responses.
	FirstTokens FirstTokenListener
	// Usage learns what answers cost. It needs Responses.
	Usage UsageListener
	// Queue holds requests back.
	Queue Queue
	// Evictor ends requests for those in Queue, which it needs.
	Evictor Evictor
	// KVEvents learns what engines' caches hold.
	KVEvents KVEventListener
	// Metrics exports what a monitoring system scrapes of the router.
	Metrics MetricsExporter
	// Engines says that the router reads [View.Engines].
	Engines bool
}

// RoutedBy returns policies of a router that takes part in nothing else; all other
// decisions are the defaults.
func RoutedBy(r Router) Policies { return Policies{Routing: Routing{Router: r}} }
