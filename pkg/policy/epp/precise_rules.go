// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/policy/epp/version"

// preciseRules say how an EPP of some version makes a score of KV events.
type preciseRules struct {
	// normal is how scores are made comparable.
	normal preciseNormal
	// sameBlocks is whether the index only knows blocks of engines whose blocks
	// are of its own size: it compared the engines' hashes, or refused others.
	sameBlocks bool
	// tiers is whether blocks below GPU memory are known.
	tiers bool
	// clears is whether an endpoint that is gone is forgotten.
	clears bool
	// sweeps is whether what was speculated upon expires in rounds.
	sweeps bool
	// wired is whether engines are only heard through an endpoint source, unless
	// they all send to one socket.
	wired bool
	// leaves is whether scorers leave behind what they found: see [scheduler.PrefixMatch.Leave].
	leaves bool
	// leavesHolders is whether they leave out who holds nothing.
	leavesHolders bool
}

type preciseNormal uint8

const (
	// matchedShare is the whole number of weighted blocks by all of the prompt's.
	matchedShare preciseNormal = iota
	// weightedShare is the weighted blocks, with a fraction, by all.
	weightedShare
	// minMax scales from the least to the greatest of the endpoints that hold the
	// first block; others have 0. Where all are equal they have 1.
	minMax
)

func preciseRulesOf(d *version.Dialect) preciseRules {
	r := preciseRules{
		sameBlocks: d.Own < version.SchedulerMay,
		tiers:      d.Own >= version.Scheduler04,
		clears:     d.Own >= version.Router10,
		sweeps:     d.Own < version.Router09,
		wired:      d.Own >= version.Router09,
		leaves:     d.Own >= version.Scheduler05 && d.Own <= version.Scheduler07,

		leavesHolders: d.Own >= version.Scheduler07,
	}
	switch {
	case d.Own < version.SchedulerMay:
		r.normal = minMax
	case d.Own < version.Router09:
		r.normal = weightedShare
	}
	return r
}
