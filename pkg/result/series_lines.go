// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/json"
	"math"
)

// LinesSchemaVersion names the layout of [Lines].
const LinesSchemaVersion = "windtunnel.dev/lines/v1"

// Lines are series as one draws them: the values of each bin, by the names of
// [SeriesDefinitions]. Times are in seconds, shares from 0 to 1.
type Lines struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	// Runs is how many runs the values are of: means are over all of them, counts of all
	// together.
	Runs int `json:"runs"`
	// Bin i is the time from i·BinSeconds on. BinsSeconds is how much of that the runs had
	// together, so that a count divided by it is a rate.
	BinSeconds  float64    `json:"binSeconds"`
	BinsSeconds LineValues `json:"binsSeconds"`
	Gateway     Track      `json:"gateway"`
	Pools       []Track    `json:"pools"`
	// Replicas are in the order of the pools. Where there are more than 64 there are none, and
	// LeftOut counts them.
	Replicas      []Track        `json:"replicas,omitempty"`
	LeftOut       int            `json:"leftOut,omitempty"`
	Routers       []RouterTrack  `json:"routers,omitempty"`
	Distributions []Distribution `json:"distributions"`
}

// Track has the lines of a replica, of a pool, or of the gateway.
type Track struct {
	Name  string                `json:"name,omitempty"`
	Lines map[string]LineValues `json:"lines"`
	// Total is about the whole runs; nil of the gateway.
	Total *TrackTotal `json:"total,omitempty"`
}

// TrackTotal is what a replica, or the replicas of a pool, did in the whole runs, the warm-up
// and the drain included. Means are over the time for which a replica was there, and peaks are
// of one replica.
type TrackTotal struct {
	Requests     int64 `json:"requests"`
	PromptTokens int64 `json:"promptTokens"`
	CachedTokens int64 `json:"cachedTokens"`
	// HitShare is nil without prompts, and so are the means of a replica that was never there.
	HitShare    *float64 `json:"hitShare"`
	Utilization *float64 `json:"utilization"`
	MeanWaiting *float64 `json:"meanWaiting"`
	MeanRunning *float64 `json:"meanRunning"`
	MeanKVUsage *float64 `json:"meanKVUsage"`
	PeakWaiting int64    `json:"peakWaiting"`
	PeakRunning int64    `json:"peakRunning"`
	PeakKVUsage float64  `json:"peakKVUsage"`
}

// RouterTrack has the weights of a router whose weights change.
type RouterTrack struct {
	Model string                `json:"model,omitempty"`
	Law   string                `json:"law"`
	Lines map[string]LineValues `json:"lines"`
}

// Distribution is a distribution function: Shares[i] of the Count values are less than
// Seconds[i].
type Distribution struct {
	Class   string    `json:"class"`
	Metric  string    `json:"metric"`
	Count   int64     `json:"count"`
	Seconds []float64 `json:"seconds"`
	Shares  []float64 `json:"shares"`
}

// LineValues are the values of bins. One that is not known is NaN, and null in JSON.
type LineValues []float64

// MarshalJSON writes what is not known as null.
func (v LineValues) MarshalJSON() ([]byte, error) {
	values := make([]*float64, len(v))
	for i := range v {
		if !math.IsNaN(v[i]) {
			values[i] = &v[i]
		}
	}
	return json.Marshal(values)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *LineValues) UnmarshalJSON(raw []byte) error {
	var values []*float64
	if err := json.Unmarshal(raw, &values); err != nil {
		return err
	}
	*v = make(LineValues, len(values))
	for i, value := range values {
		(*v)[i] = math.NaN()
		if value != nil {
			(*v)[i] = *value
		}
	}
	return nil
}

// Lines makes of sums what one draws.
func (s *Series) Lines() *Lines {
	l := &Lines{
		SchemaVersion: LinesSchemaVersion, EngineVersion: s.EngineVersion, Runs: s.Runs, BinSeconds: s.Width().Seconds(),
		LeftOut: s.LeftOut, Pools: []Track{}, Distributions: []Distribution{},
	}
	for _, lasted := range s.Lasted {
		l.BinsSeconds = append(l.BinsSeconds, float64(lasted)*float64(s.UnitNanoseconds)/1e9)
	}
	l.Gateway = s.track(&s.Gateway, gatewayTrack)
	for i := range s.Pools {
		l.Pools = append(l.Pools, s.track(&s.Pools[i], poolTrack))
	}
	for i := range s.Replicas {
		l.Replicas = append(l.Replicas, s.track(&s.Replicas[i], replicaTrack))
	}
	for i := range s.Routers {
		r := &s.Routers[i]
		l.Routers = append(l.Routers, RouterTrack{r.Model, r.Law, map[string]LineValues{
			"prefixWeight": quotients(r.Prefix, r.Known, 1000), "loadWeight": quotients(r.Load, r.Known, 1000),
		}})
	}
	for i := range s.Distributions {
		l.Distributions = append(l.Distributions, s.Distributions[i].function())
	}
	return l
}

// track makes the lines of a track, and its total where it is not the gateway's.
func (s *Series) track(t *SeriesTrack, kind trackKind) Track {
	out := Track{Name: t.Name, Lines: map[string]LineValues{}}
	for _, d := range SeriesDefinitions {
		if d.of&kind != 0 {
			out.Lines[d.Name] = d.values(s, t)
		}
	}
	if kind != gatewayTrack {
		out.Total = t.total()
	}
	return out
}

// quotients divide one column by another and by a number; NaN where that is 0.
func quotients(of, by []int64, times int64) LineValues {
	values := make(LineValues, len(by))
	for i := range values {
		values[i] = math.NaN()
		switch {
		case by[i] == 0 || times == 0:
		case i < len(of):
			values[i] = float64(of[i]) / (float64(by[i]) * float64(times))
		default:
			values[i] = 0
		}
	}
	return values
}

// total sums a track over all bins.
func (t *SeriesTrack) total() *TrackTotal {
	sum := func(name string) (n int64) {
		for _, bin := range t.Columns[name] {
			n += bin
		}
		return n
	}
	share := func(of, by int64, times int64) *float64 {
		if by == 0 || times == 0 {
			return nil
		}
		return new(float64(of) / (float64(by) * float64(times)))
	}
	prompt, cached, present := sum("promptTokens"), sum("cachedTokens"), sum("present")
	total := &TrackTotal{
		Requests: sum("arrived"), PromptTokens: prompt, CachedTokens: cached, HitShare: share(cached, prompt, 1),
		Utilization: share(sum("busy"), present, 1),
		MeanWaiting: share(sum("waiting"), present, 1), MeanRunning: share(sum("running"), present, 1),
		MeanKVUsage: share(sum("blocks"), present, t.KVBlocks),
		PeakWaiting: t.PeakWaiting, PeakRunning: t.PeakRunning,
	}
	if t.KVBlocks > 0 {
		total.PeakKVUsage = float64(t.PeakBlocks) / float64(t.KVBlocks)
	}
	return total
}

// function is the distribution function.
func (d *SeriesDistribution) function() Distribution {
	f := Distribution{Class: d.Class, Metric: d.Metric, Count: d.Count(), Seconds: []float64{}, Shares: []float64{}}
	below := int64(0)
	for i, n := range d.Counts {
		below += n
		f.Seconds = append(f.Seconds, float64(d.Above(i))/1e9)
		f.Shares = append(f.Shares, float64(below)/float64(f.Count))
	}
	return f
}
