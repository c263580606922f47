// SPDX-License-Identifier: Apache-2.0

package network

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Links are the stations of a fabric that a replica's blocks cross.
type Links struct {
	fabric *Fabric // nil until one is added
	all    []link
	// UnderWay counts the transfers from and to the replica.
	UnderWay int
}

type link struct {
	name    string
	station transfer.StationID
	shared  bool // with other replicas
	// from is its figures as of when those of the run began.
	from transfer.Load
}

// Any reports whether blocks come or go at all.
func (l *Links) Any() bool { return len(l.all) > 0 }

// Add adds a link, which other replicas may have too.
func (l *Links) Add(f *Fabric, name string, at transfer.StationID, shared bool) {
	l.fabric = f
	l.all = append(l.all, link{name: name, station: at, shared: shared})
}

// Delay is how long what is under way takes the busiest of the replica's own links.
func (l *Links) Delay(now simtime.Time) time.Duration {
	var longest time.Duration
	for _, k := range l.all {
		if !k.shared {
			longest = max(longest, l.fabric.Queue(now, k.station).Delay)
		}
	}
	return longest
}

// Restart begins the figures anew.
func (l *Links) Restart(now simtime.Time) {
	for i := range l.all {
		l.all[i].from = l.fabric.Load(now, l.all[i].station)
	}
}

// Report returns what has crossed the links.
func (l *Links) Report(now simtime.Time) []simulator.LinkUse {
	var uses []simulator.LinkUse
	for _, k := range l.all {
		load := l.fabric.Load(now, k.station)
		load.BytesMoved -= k.from.BytesMoved
		load.Busy -= k.from.Busy
		load.Shared -= k.from.Shared
		uses = append(uses, simulator.LinkUse{Name: k.name, Bytes: load.BytesMoved, Busy: load.Busy, MeanConcurrency: load.MeanConcurrency()})
	}
	return uses
}
