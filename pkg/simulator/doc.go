// SPDX-License-Identifier: Apache-2.0

// Package simulator is a discrete-event simulation of a serving cluster: a gateway
// that routes requests with policies, and replicas that run vLLM-V1-style engines
// (continuous batching, chunked prefill, paged KV cache with prefix reuse, preemption
// by recompute). KV may move to tiers below GPU memory and back, and from a replica
// that computed a prompt to one that decodes. Replicas may fail, drain and recover, and
// scalers start and end them.
//
// Run takes a Config and returns an Outcome. The same Config gives the same Outcome
// to the last bit. The package knows nothing of Kubernetes, of how a scenario is
// written down, or of how step times, cache identities and routing decisions come
// about.
//
// # The rooms
//
//	simulation run.go, core.go, horizon.go, closed_loop.go, cluster_events.go: what
//	           comes next, and what all rooms share
//	gateway    gateway.go, delay.go, gateway_queue.go, traffic.go, scrapes.go,
//	           exports.go, deliveries.go: policies, the router's view, requests that the
//	           admission or the router makes wait, answers that reach it
//	cluster    cluster.go, connect.go, replica_order.go, disruption.go, lifetime.go:
//	           which replicas there are, what they share, and in which order they move
//	scaling    scaling.go, life.go, nodes.go, monitor.go, warm_up.go, await.go,
//	           unit_use.go: what scalers see and decide, and how replicas start and end
//	replica    replica.go, schedule.go, late.go, constrained.go, batch.go, step.go,
//	           fast_forward.go, deadlock.go: one engine
//	           speculation.go: drafts, and how many of them are accepted
//	           lock_step.go: engines whose steps begin and end together
//	           waiting.go, ticket_queue.go, lanes.go, scheduler.go, service.go,
//	           queue_watch.go: its wait queue, and what its scheduler is told
//	tierSet    network.go, tiers.go, tier_load.go, tier_copy.go, tier_offload.go,
//	           copy_source.go: transfers, and tiers below GPU memory
//	cluster    handoff.go, handoff_port.go, handoff_transfer.go: a prompt's KV on its
//	           way between replicas
//	request    request.go, phase.go, blocks.go, evict.go, request_end.go: one request
//	figures    metrics.go, use.go, tier_use.go, outcome.go: what is counted
//	series     series*.go: what is followed through time, where somebody asks for it
//	told       told.go: what engines do, for those who want to know
//
// plain_test.go has all of it without the shortcuts, one event after the other. Every
// feature is held against it on thousands of random clusters.
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
// Events 2 to 7, 9 to 12 and 18 are above the replicas and ordered by clusterEventKind;
// 13 to 16 are a replica's and ordered by replicaEventKind. What a client sends in
// answer to an end arrives at a later nanosecond.
//
// # What may be called when
//
// A replica is advanced only when its state is looked at: before a scrape, before a
// request is sent to it, and where routing follows what happens in replicas. A live one
// (Pool.Live) is read whenever a policy is asked that sees the view. Figures are sums of
// integers, which no order changes. Replicas that share a network or a tier, and all
// replicas of a run with a Listener, are advanced together in the order of time. So
// core.now may go back when another replica is advanced; it never does within one
// replica.
//
// Policies are called at events 1, 2, 4, 6, 7, 9 to 12 and 17, never from within a step, except
// for KV events, which replicas send as they happen. The scheduler of a replica is its
// own, and is called where the replica's queue and batch change.
//
// # Who owns what
//
// The simulation owns Config.Source and the queue of events; the gateway owns
// Config.Policies, the router's view and what it holds; the cluster owns the replicas,
// the network and the hand-overs. The simulation calls the gateway and the cluster;
// the gateway sends requests to replicas, and replicas give it answers. A request is a slot of
// core.requests, known by its index; pointers to slots do not survive an
// arrival. Its phase changes in request.moveTo alone, by the table in phase.go. A
// replica owns its queue, batch and cache; a hand-over has a record of its own and a
// second request, the job, which no client hears of. While a request is in step (see
// batch), its counts are as of the step that it joined.
package simulator
