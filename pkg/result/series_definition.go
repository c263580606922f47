// SPDX-License-Identifier: Apache-2.0

package result

import "strings"

// trackKind is what a line is about.
type trackKind int

const (
	gatewayTrack trackKind = 1 << iota
	poolTrack
	replicaTrack
)

// String names the kinds for people.
func (k trackKind) String() string {
	var names []string
	for i, name := range []string{"gateway", "pools", "replicas"} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// SeriesDefinition says what a line of [Lines] is.
type SeriesDefinition struct {
	Name string
	// Unit is the unit of the values. Kind is mean (over the time of the bin and the runs),
	// count (of all runs together) or quotient (of two counts).
	Unit, Kind string
	Help       string

	of trackKind
	// column is a count, or an integral that is divided by another one.
	column, by string
	// blocks divides by the KV blocks of a replica, too.
	blocks bool
}

// Of says what the line is about: the gateway, pools or replicas.
func (d *SeriesDefinition) Of() string { return d.of.String() }

const (
	everywhere   = gatewayTrack | poolTrack | replicaTrack
	ofEngines    = poolTrack | replicaTrack
	kindMean     = "mean"
	kindCount    = "count"
	kindQuotient = "quotient"
)

// SeriesDefinitions are all lines but those of routers.
var SeriesDefinitions = []SeriesDefinition{
	{Name: "waiting", Unit: "requests", Kind: kindMean, of: everywhere, column: "waiting",
		Help: "requests in wait queues of engines, with those whose KV is on its way; at the gateway, requests that flow control or the admission makes wait"},
	{Name: "running", Unit: "requests", Kind: kindMean, of: ofEngines, column: "running",
		Help: "requests in the batches of engines"},
	{Name: "utilization", Unit: "share", Kind: kindMean, of: ofEngines, column: "busy", by: "present",
		Help: "share of the time of the replicas that are there in which a step is under way"},
	{Name: "kvUsage", Unit: "share", Kind: kindMean, of: ofEngines, column: "blocks", by: "present", blocks: true,
		Help: "share of the KV blocks in use, of the replicas that are there"},
	{Name: "replicas", Unit: "replicas", Kind: kindMean, of: ofEngines, column: "present",
		Help: "replicas that are there: that start, serve or drain"},
	{Name: "hitShare", Unit: "share", Kind: kindQuotient, of: ofEngines, column: "cachedTokens", by: "promptTokens",
		Help: "share of the prompt tokens that the prefix cache gives, of requests of which an engine first computes something in the bin"},
	{Name: "arrivals", Unit: "requests", Kind: kindCount, of: everywhere, column: "arrived",
		Help: "requests that arrive, by the replica that has them last; at the gateway, those that no replica accepts"},
	{Name: "completed", Unit: "requests", Kind: kindCount, of: ofEngines, column: "completed",
		Help: "requests whose answers end"},
	{Name: "rejected", Unit: "requests", Kind: kindCount, of: everywhere, column: "rejected",
		Help: "requests that are rejected; of replicas, those that flow control evicts"},
	{Name: "timedOut", Unit: "requests", Kind: kindCount, of: everywhere, column: "timedOut",
		Help: "requests that their clients give up"},
	{Name: "failed", Unit: "requests", Kind: kindCount, of: ofEngines, column: "failed",
		Help: "requests that fail because their replica does, or is taken away"},
	{Name: "unfinished", Unit: "requests", Kind: kindCount, of: everywhere, column: "unfinished",
		Help: "requests in flight at the end of the run"},
	{Name: "promptTokens", Unit: "tokens", Kind: kindCount, of: ofEngines, column: "promptTokens",
		Help: "prompt tokens of requests of which an engine first computes something"},
	{Name: "cachedTokens", Unit: "tokens", Kind: kindCount, of: ofEngines, column: "cachedTokens",
		Help: "prompt tokens of these requests that the prefix cache of the engine gives"},
}

// values are the values of the line, by bin.
func (d *SeriesDefinition) values(s *Series, t *SeriesTrack) LineValues {
	of := t.Columns[d.column]
	switch {
	case d.Kind == kindCount:
		values := make(LineValues, len(s.Lasted))
		for i, n := range of {
			values[i] = float64(n)
		}
		return values
	case d.by == "":
		return quotients(of, s.Lasted, 1)
	}
	by, times := t.Columns[d.by], int64(1)
	if d.blocks {
		times = t.KVBlocks
	}
	if by == nil {
		by = make([]int64, len(s.Lasted))
	}
	return quotients(of, by, times)
}
