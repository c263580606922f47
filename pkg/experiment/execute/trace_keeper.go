// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Bounds of what is kept of one simulation: the compressed bytes, next to its
// results in the same ConfigMap; the bytes before that, which are in memory; and
// the decisions of rejected requests beyond the first ones.
const (
	maxDecisionBytes  = 256 << 10
	maxLineBytes      = 16 << 20
	maxKeptRejections = 1000
)

// A traceKeeper keeps the trace of some requests of a simulation: of the first ones, or of
// the first ones of a sample. Of later ones that are turned away it keeps the decisions. It keeps
// what scalers did too, and no steps of engines, of which there are too many.
type traceKeeper struct {
	// full has records that are no decisions kept, too.
	full bool
	// requests is how many it keeps; sampled says that they need not be the first ones.
	requests int
	sampled  bool

	lines      []keptLine
	bytes      int // of the lines
	rejections int // of those kept, beyond the other requests
	leftOut    int
	// chosen are the requests of a sample that it keeps.
	chosen map[int64]bool
}

// keptLine is a line of a trace, and the request that it is about; those of none come last.
type keptLine struct {
	request int64
	line    []byte
}

// keeps says whether a request is among those that are kept whatever becomes of them.
func (k *traceKeeper) keeps(request int64) bool {
	if !k.sampled {
		return request < int64(k.requests)
	}
	if len(k.chosen) < k.requests {
		if k.chosen == nil {
			k.chosen = map[int64]bool{}
		}
		k.chosen[request] = true
	}
	return k.chosen[request]
}

// Decision implements [TraceSink].
func (k *traceKeeper) Decision(d *RoutingRecord) error {
	defer d.Release()
	request := int64(d.Request.ID)
	late := !k.keeps(request)
	switch {
	case late && !d.TurnedAway():
		return nil
	case late && k.rejections == maxKeptRejections:
		k.leftOut++
		return nil
	}
	if k.full {
		k.add(request, d.AppendRecord)
	} else {
		k.add(request, d.AppendLine)
	}
	if late {
		k.rejections++
	}
	return nil
}

// Record implements [TraceSink].
func (k *traceKeeper) Record(r result.Record) error {
	request, ok := r.About()
	line := func(b []byte) []byte { return result.AppendRecord(b, r) }
	switch {
	case ok && k.keeps(request):
		k.add(request, line)
	case r.Kind() == result.ScalingKind, r.Kind() == result.ReplicaKind:
		k.add(math.MaxInt64, line)
	}
	return nil
}

// Close implements [TraceSink].
func (*traceKeeper) Close() error { return nil }

func (k *traceKeeper) add(request int64, line func([]byte) []byte) {
	if k.bytes > maxLineBytes {
		k.leftOut++
		return
	}
	kept := keptLine{request, line(nil)}
	k.lines = append(k.lines, kept)
	k.bytes += len(kept.line)
}

// pack compresses what fits next to the results, in order of arrival, and
// rather what came first. Where something is left out the last line says how much.
func (k *traceKeeper) pack(seed int64, results int) []byte {
	room := min(maxDecisionBytes, store.MaxChunkBytes-store.GzipOverhead-results)
	slices.SortStableFunc(k.lines, func(a, b keptLine) int { return cmp.Compare(a.request, b.request) })
	for n := len(k.lines); ; n = n * 3 / 4 {
		packed := pack(k.lines[:n], seed, k.leftOut+len(k.lines)-n)
		if len(packed) <= room || n == 0 {
			return packed
		}
	}
}

// pack returns the lines as a gzip file.
func pack(lines []keptLine, seed int64, leftOut int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, kept := range lines {
		_, _ = z.Write(kept.line) // into memory
	}
	if leftOut > 0 {
		fmt.Fprintf(z, "{\"seed\":%d,\"leftOut\":%d}\n", seed, leftOut)
	}
	_ = z.Close()
	return b.Bytes()
}
