// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/policy/epp/version"

// preciseRules say how an EPP of some version makes a score of KV events.
type preciseRules struct {
	// normalization is how scores are made comparable.
	normalization scoreNormalization
	// sameBlockSizeOnly is whether the index only knows blocks of engines whose blocks
	// are of its own size: it compared the engines' hashes, or refused others.
	sameBlockSizeOnly bool
	// knowsTiers is whether blocks below GPU memory are known.
	knowsTiers bool
	// appliesCleared is whether events that clear an endpoint's cache are applied.
	appliesCleared bool
	// expiresInRounds is whether what was speculated upon expires in rounds.
	expiresInRounds bool
	// needsEndpointSource is whether KV events arrive only through an endpoint source,
	// unless all engines send to one socket.
	needsEndpointSource bool
	// publishes is whether scorers publish their matches to later plugins: see [scheduler.PrefixMatch.Publish].
	publishes bool
	// publishesHolders is whether they publish only endpoints that hold a block.
	publishesHolders bool
}

type scoreNormalization uint8

const (
	// matchedShare is the whole number of weighted blocks by all of the prompt's.
	matchedShare scoreNormalization = iota
	// weightedShare is the weighted blocks, with a fraction, by all.
	weightedShare
	// minMax scales from the least to the greatest of the endpoints that hold the
	// first block; others have 0. Where all are equal they have 1.
	minMax
)

func preciseRulesOf(d *version.Dialect) preciseRules {
	r := preciseRules{
		sameBlockSizeOnly:   d.Own < version.SchedulerMay,
		knowsTiers:          d.Own >= version.Scheduler04,
		appliesCleared:      d.Own >= version.Router10,
		expiresInRounds:     d.Own < version.Router09,
		needsEndpointSource: d.Own >= version.Router09,
		publishes:           d.Own >= version.Scheduler05 && d.Own <= version.Scheduler07,

		publishesHolders: d.Own >= version.Scheduler07,
	}
	switch {
	case d.Own < version.SchedulerMay:
		r.normalization = minMax
	case d.Own < version.Router09:
		r.normalization = weightedShare
	}
	return r
}
