// SPDX-License-Identifier: Apache-2.0

// Package simulator is a discrete-event simulation of a serving cluster: a gateway
// that routes requests with policies, and replicas that run vLLM-V1-style engines
// (continuous batching, chunked prefill, paged KV cache with prefix reuse, preemption
// by recompute). KV may move to tiers below GPU memory and back, and from a replica
// that computed a prompt to one that decodes. Replicas may fail, drain and recover, and
// scalers start and end them.
//
// This package is the contract: the input of a run, a Config, and its output, a Result.
// simulation.Run takes the one and returns the other. The same Config gives the same
// Result to the last bit. The packages know nothing of Kubernetes, of how a scenario is
// written down, or of how step times, cache identities and routing decisions come about.
//
// # The rooms
//
// Each package below pkg/simulator imports only those that stand below it here. What a lower
// one tells a higher one, it tells through an interface of its own: engine.Gateway,
// handoff.Engine, tier.Engine, network.Transfer and run.Observer.
//
//	simulation         what comes next, above the replicas: arrivals, disruptions, the
//	                   warm-up, the drain. The invariants, and the tests of behaviour
//	internal/fleet     scalers and what they see, nodes, lives of replicas
//	internal/gateway   a request's way (arrive, route, wait, end), the router's view (sight),
//	                   the answers on their way, and the alarms of delays and time-outs
//	internal/engine    replicas. A stepper chooses what a step computes and applies the
//	                   results: with its limits, its line (wait queue), its batch, its memory
//	                   (KV, adapters) and its record. Replica is a stepper with a clock. The
//	                   cluster advances replicas, those in lock-step together
//	internal/handoff   hand-overs between replicas
//	internal/tier      the tiers below a replica's cache, copies and loads
//	internal/network   the fabric on which blocks move
//	internal/run       what all share: the clock, the requests, the figures, the observers
//	internal/measure   metrics, use and series
//	internal/request   the record of a request in flight: its phase, its milestones, its ending
//	internal/events    the queue of events above the replicas
//	internal/queue     heaps, wait queues, and the service that schedulers count
//	simulator          Config, Result and the events between them
//
// The tests of package simulation have all of it once more without the shortcuts, one event
// after the other: the plain simulator. Every feature is held against it on thousands of
// random clusters.
//
// # Words
//
//	advisor      a replica's stability controller, and what the engine makes of its advice
//	constrained  a step that treats the running requests one by one, in order of admission,
//	             because budget or blocks do not suffice for all
//	in step      a request that gets one token with each step. Those are counted together, so
//	             that a step costs the same whatever the size of the batch
//	job          the second record of a request that is handed over: it computes the prompt
//	lane         the wait queue of one group of requests, where the order among groups moves
//	held         what waits for something else than its turn: a request that the router keeps,
//	             a job while too many hand-overs are under way, a step while blocks are copied
//	late         a request that joined after an asynchronous scheduler made the schedule
//	milestone    how far a request came at most with its replica, whatever preemptions
//	settle       account for the time up to now, before a value changes
//	step         one pass of the model over the batch; a stepper forms it and applies its results
//	tell         call a listener of the Config
//	ticket       a request's place in a wait queue: its rank, and its turn within the rank
//	turn         the number of an entry into a wait queue
//
// # Time
//
// Time is integer nanoseconds. What happens at one of them has an order:
//
//  1. scrapes of the routers, by endpoint phase
//  2. scrapes of monitors, with the triggers of scalers, by unit
//  3. the end of the warm-up
//  4. disruptions, in the order of Config.Disruptions
//  5. nodes that come or are taken away, by node
//  6. ends of the stages of replicas that start or drain, by replica
//  7. time-outs of clients, by request
//  8. the end of arrivals
//  9. the arrival of a request, its admission and routing, what the router then
//     releases and evicts
//  10. ends of delays, by request: the admission is asked again, and the rest as for
//     an arrival
//  11. wake-ups of the router, with what it releases and evicts
//  12. scalers, by unit
//  13. entries into wait queues, by request
//  14. ends of transfers
//  15. ends of steps, by replica; of ranks in lock-step first all end and then all form
//     their next one, at the place of the first that computes something
//  16. wakes of idle replicas, by replica; a rank in lock-step wakes all
//  17. what reaches the gateway: first tokens and ends of answers, by request
//  18. the end of the drain
//
// Events 2 to 7, 9 to 12 and 18 are above the replicas and ordered by events.Kind;
// 13 to 16 are a replica's and ordered by the kinds of engine/order.go. What a client sends in
// answer to an end arrives at a later nanosecond.
//
// # What may be called when
//
// A replica is advanced only when its state is looked at: before a scrape, before a
// request is sent to it, and where routing follows what happens in replicas. A live one
// (Pool.Live) is read whenever a policy is asked that sees the view. Figures are sums of
// integers, which no order changes. Replicas that share a network or a tier, and all
// replicas of a run with a Listener, are advanced together in the order of time. So
// run.State.Now may go back when another replica is advanced; it never does within one
// replica.
//
// Policies are called at events 1, 2, 4, 6, 7, 9 to 12 and 17, never from within a step, except
// for KV events, which replicas send as they happen. The scheduler of a replica is its
// own, and is called where the replica's queue and batch change.
//
// A session (simulation.Session) has no scrapes and no events above the replicas. Its caller moves the
// clock, to the beginning of a nanosecond: what happens in it comes after a request that arrives then.
// It has an observer, so it takes none of the shortcuts that leave tokens out, and tells of tokens
// when they reach the gateway: in order of time, whatever the order in which replicas are advanced.
//
// # Who owns what
//
// The simulation owns Config.Source and the queue of events; the gateway owns
// Config.Policies, the router's view and what it holds; the cluster owns the replicas,
// the network and the hand-overs. The simulation calls the gateway and the cluster;
// the gateway sends requests to replicas, and replicas give it answers. A request is a slot of
// run.State.Requests, known by its index; pointers to slots do not survive an
// arrival. Its phase changes in request.Request.MoveTo alone, by the table in
// request/phase.go. A replica owns its queue, batch, cache and tiers; a hand-over has a record
// of its own and a second request, the job, which no client hears of. While a request is in step,
// its counts are as of the step that it joined.
package simulator
