// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"maps"
	"sync"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// Record is what a replica notes of a rehearsal.
type Record struct {
	// Scrapes are what was read from its metrics.
	Scrapes []scrape `json:"scrapes"`
	// Times are those of requests with a token, by the client's ID.
	Times map[string]requestTimes `json:"times"`
	// Requests counts all requests with a token, and Forgotten says that notes were lost: nothing took them in time.
	Requests  int  `json:"requests"`
	Forgotten bool `json:"forgotten,omitempty"`
}

// requestTimes are those of a request with a token, by the clock of its engine, which neither the network nor a busy
// machine reaches: Decode is from the first token to the last.
type requestTimes struct {
	TTFT, Decode time.Duration
	Tokens       int
}

// Notes are the records of all replicas. They are safe for concurrent use.
type Notes struct {
	mu   sync.Mutex
	most int
	of   []Record
}

// NewNotes returns empty notes for a number of replicas. most is how many notes of a replica are kept until Take; with 0
// there is no limit.
func NewNotes(replicas, most int) *Notes { return &Notes{most: most, of: make([]Record, replicas)} }

// Scraped takes what a replica showed at a time.
func (n *Notes) Scraped(replica int, at time.Time, m *replicas.Metrics) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.record(replica)
	r.Scrapes = append(r.Scrapes, scrape{at.UnixNano(), m.Waiting, m.Running, m.KVUsage, m.BlockTokens, m.Blocks})
}

// Ended takes how far the answer to a request came.
func (n *Notes) Ended(replica int, request string, p replicas.Progress) {
	if p.Tokens == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.record(replica)
	r.Times[request] = requestTimes{p.TTFT, p.Last.Sub(p.First), p.Tokens}
	r.Requests++
}

// record is that of a replica, with room for a note.
func (n *Notes) record(replica int) *Record {
	r := &n.of[replica]
	if n.most > 0 && len(r.Scrapes)+len(r.Times) >= n.most {
		*r = Record{Requests: r.Requests, Forgotten: true}
	}
	if r.Times == nil {
		r.Times = map[string]requestTimes{}
	}
	return r
}

// Take returns the record of a replica since it was taken before.
func (n *Notes) Take(replica int) Record {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.of[replica]
	n.of[replica] = Record{Requests: r.Requests}
	return r
}

// Add takes what a replica of another process noted since it was taken before.
func (n *Notes) Add(replica int, r *Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	of := n.record(replica)
	of.Scrapes = append(of.Scrapes, r.Scrapes...)
	maps.Copy(of.Times, r.Times)
}

// Scrapes are those of all replicas.
func (n *Notes) Scrapes() Scrapes {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make(Scrapes, len(n.of))
	for i := range n.of {
		all[i] = n.of[i].Scrapes
	}
	return all
}

// Metrics are engineTtft and tpot of those of some requests that have a token, and another one.
func (n *Notes) Metrics(requests []string) result.Metrics {
	n.mu.Lock()
	defer n.mu.Unlock()
	var ttft, tpot stats.Histogram
	for _, request := range requests {
		for i := range n.of {
			took, is := n.of[i].Times[request]
			if !is {
				continue
			}
			ttft.Record(int64(took.TTFT))
			if took.Tokens > 1 {
				tpot.Record(int64(took.Decode) / int64(took.Tokens-1))
			}
		}
	}
	if ttft.Count() == 0 {
		return result.Metrics{}
	}
	metrics := map[string]float64{"engineTtft.p50": ttft.Quantile(0.5) / 1e9, "engineTtft.p99": ttft.Quantile(0.99) / 1e9}
	if tpot.Count() > 0 {
		metrics["tpot.mean"] = tpot.Mean() / 1e9
	}
	return result.NewMetrics(metrics)
}
