// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// Bounds of what is kept of one simulation: the compressed bytes, beside its
// results in the same ConfigMap; the bytes before that, which are in memory; and
// the decisions of rejected requests beyond the first ones.
const (
	maxDecisionBytes  = 256 << 10
	maxLineBytes      = 16 << 20
	maxKeptRejections = 1000
)

// A decisionRecorder keeps decisions of a simulation: those of the first requests, and of
// later ones that are turned away.
type decisionRecorder struct {
	first int
	// next, unless it is nil, is told of all decisions.
	next func(*Decision)

	lines      []keptDecision
	bytes      int // of the lines
	rejections int // of those kept, beyond the first requests
	leftOut    int
}

// keptDecision is the line of a decision about a request.
type keptDecision struct {
	request int
	line    []byte
}

func (k *decisionRecorder) decided(d *Decision) {
	if k.next != nil {
		defer k.next(d)
	} else {
		defer d.Release()
	}
	late := d.Request.ID >= k.first
	switch {
	case late && !d.TurnedAway():
		return
	case late && k.rejections == maxKeptRejections, k.bytes > maxLineBytes:
		k.leftOut++
		return
	case late:
		k.rejections++
	}
	line := d.AppendLine(nil)
	k.lines = append(k.lines, keptDecision{d.Request.ID, line})
	k.bytes += len(line)
}

// pack compresses what fits beside so many bytes of results, in order of arrival, and
// rather what came first. Where something is left out the last line says how much.
func (k *decisionRecorder) pack(seed int64, results int) []byte {
	room := min(maxDecisionBytes, store.MaxChunkBytes-store.GzipOverhead-results)
	slices.SortStableFunc(k.lines, func(a, b keptDecision) int { return cmp.Compare(a.request, b.request) })
	for n := len(k.lines); ; n = n * 3 / 4 {
		packed := pack(k.lines[:n], seed, k.leftOut+len(k.lines)-n)
		if len(packed) <= room || n == 0 {
			return packed
		}
	}
}

// pack returns the lines as a gzip file.
func pack(lines []keptDecision, seed int64, leftOut int) []byte {
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
