// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// NoReplica is the RequestEnd.Replica of requests that no replica accepted.
const NoReplica = -1

// RequestEnd is how one request ended, whichever way. Times are at the gateway. It has a
// field for each column of the records of requests.
type RequestEnd struct {
	// ID numbers requests in order of arrival, from 0.
	ID int
	// Tenant and Class index the source's labels. Model is one more than the index of
	// the model that the request asks for; 0 where it names none.
	Tenant, Class, Model int
	// Pool indexes Config.Pools, or is NoPool. Replica counts the replicas of all
	// pools, in their order, or is NoReplica: the one that decodes.
	Pool, Replica int
	// Ended is completed, rejected, timed out (the client gave it up), failed (its
	// replica did, and no other was found) or unfinished (in flight when the run ended); Reason is of those
	// rejected.
	Ended  string
	Reason Reason
	// Measured says that the request arrived after the warm-up, and counts in the
	// run's figures.
	Measured bool
	// Arrival is when the request reached the gateway, End when it ended there:
	// E2E is between them. FirstToken is negative where no token came. LastToken is
	// of completed requests: TPOT is (LastToken − FirstToken) ÷ (OutputTokens − 1).
	Arrival, FirstToken, LastToken, End simtime.Time
	// Entered is when the request last came to the wait queue of an engine, where FirstToken is
	// not negative: an engine measures from then on.
	Entered      simtime.Time
	PromptTokens int
	// OutputTokens are of completed requests.
	OutputTokens int
	// Scheduled says that some step computed something of the request. Then
	// CachedTokens and TierTokens are what the prefix cache in GPU memory and lower
	// tiers gave of the prompt at the first time; the rest was computed.
	// RemoteTokens are those whose KV came from the replica that computed the prompt.
	Scheduled                  bool
	CachedTokens, RemoteTokens int
	TierTokens                 [TierKinds]int32
	// Overtaken says that the request waited while an engine admitted one of lower priority,
	// and Blocked that it waited behind the head of the line, as QueueUse counts them; only
	// where Config.WatchQueues asks.
	Overtaken, Blocked bool
	// Believed is what the router believed the replica to have of the prompt, where some
	// endpoint accepted the request.
	Believed policy.Belief
}
