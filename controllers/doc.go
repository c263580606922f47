// SPDX-License-Identifier: Apache-2.0

// Package controllers reconciles SimulationRuns and PolicySweeps: it runs them as
// Jobs and writes their results into the status. It does not simulate; pkg/experiment
// compiles specs and summarizes results.
//
// Both kinds share one reconciler, which sees them as a subject. A reconcile has three
// steps. Start reading at Setup, reconciler.reconcile and decide.
//
// # Observe
//
// observer.observe returns an observation: the subject, its plan, its inputs, its
// children, the current Job and the results. It writes nothing to the API server.
//
//   - Lists of children come from the cache. Before a child is created because the cache
//     lacks it, the API server is asked for it: a cache that lags never makes a decision.
//   - The pods of a Job that has ended come from the API server, since what they lack is
//     simulated again or fails the subject.
//   - The plan of a generation is compiled once. Later reconciles read it from memory or
//     from its ConfigMap, and a changed input changes only condition InputsChanged.
//   - Results count only where their digests match those in the index, or in the
//     termination messages of pods that the subject's Job controls.
//   - A study may wait for answers of a proposer. Its Job asks, and its answers count as
//     results do: by the digest in the index, or in a termination message.
//   - What an observer remembers (plans, rows, digests of inputs, deleted pods) saves
//     requests. A manager that has forgotten all of it decides the same, except that it
//     may simulate again what only a deleted pod reported.
//
// # Decide
//
// decide is a pure function from an observation and a time to a decision. It reads no
// clock, makes no request and does not change the observation. Once a decision is
// applied, deciding again finds nothing to do. A decider has one part for each thing to
// decide on. Parts add actions to one draft, and return what the status reports:
//
//	decider      which case holds: invalid, stalled, failed, complete or working
//	jobRunner    the Job of the current round: to create, suspend or resume it
//	summarizer   the index of results, the leaderboard, the summary of a complete study
//	publisher    the promoted configuration and the runs that follow the best points
//	cleaner      which Jobs are stopped, which children are deleted
//	reporter     the status: its figures and conditions, and the events
//
// A statement is decided at one place, with its reason, and reporter writes it once. A settled
// generation (Complete or Failed) stays settled: only another generation starts work
// again.
//
// # Apply
//
// applier.apply makes the writes of a decision in this order, and stops at the first
// error:
//
//  1. the actions, in the order in which they were decided: what a Job's pods mount
//     before the Job, an index before the status that names it, the deletion of what no
//     later status would refer to
//  2. the status, in one patch that fails where the object has changed since it was
//     observed
//  3. the events
//  4. the cleanup: deletions of what the new status does not need
//
// Every write may be the last one of a manager. The next manager observes what exists:
//
//   - A create has a fixed name, so that a second create of the same object fails with
//     AlreadyExists. Names of Jobs, plans, rounds and results contain a digest of what
//     they are for and of the subject's UID; the account of worker pods, the promoted
//     ConfigMap and the followers have plain names. For objects named by their content
//     (indexes, copied chunks, leaderboards) AlreadyExists is success if the subject owns
//     the existing one; for all others the subject is observed again.
//   - A delete requires the observed UID. One that finds nothing is success.
//   - Suspend and resume patch the observed Job and record in an annotation what the
//     controllers wanted, so that a queue's own decision is never undone.
//   - Without the status write, the children exist and the status is decided again. The
//     same results give the same index name, and the same time of start is kept.
//   - Without the events, they are lost: an event is recorded at most once.
//   - Without the cleanup, the children stay until a later reconcile, which deletes them.
//     Garbage collection by owner references deletes the rest with the subject: there are
//     no finalizers.
//
// # Errors
//
//   - A conflict, or an object that exists or is gone against the observation, is errStale:
//     the subject is observed again with a backoff.
//   - A refusal of the API server (quota, admission, validation) is errRefused: the status
//     says Blocked, and the action is tried again.
//   - An object of another owner with a needed name is reason Conflict, and is never
//     changed.
//   - All other errors go to the work queue's backoff.
//
// # Concurrency
//
// One reconcile runs for a subject at a time; fairQueue shares the workers among
// namespaces. planCache, studyCache, inputDigests, deletedPods, compileGuard, counters and
// ServerClock may be used concurrently. The studyRows of a subject belong to its current
// reconcile. Plans are never changed after they are compiled.
package controllers
