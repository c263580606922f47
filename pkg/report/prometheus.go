// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/result"
)

// WriteStability writes what the stability controllers knew when arrivals
// ended, in the text format of Prometheus: seven metrics, labelled by pool and
// replica, and by seed where the documents have several. Documents without
// controllers give no samples.
func WriteStability(w io.Writer, docs []*result.Document) error {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b *result.Document) int { return cmp.Compare(a.Seed, b.Seed) })
	var samples []stability.Sample
	for _, d := range docs {
		for _, r := range d.Stability {
			labels := []stability.Label{{Name: "pool", Value: r.Pool}, {Name: "replica", Value: strconv.Itoa(r.Replica)}}
			if len(docs) > 1 {
				labels = append(labels, stability.Label{Name: "seed", Value: strconv.FormatInt(d.Seed, 10)})
			}
			samples = append(samples, stability.Sample{Labels: labels, State: r.State})
		}
	}
	return stability.WriteMetrics(w, samples...)
}
