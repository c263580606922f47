// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"

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

// A keeper keeps decisions of a simulation: those of the first requests, and of
// later ones that are turned away.
type decisionRecorder struct {
	first int
	// next, unless it is nil, is told of all decisions.
	next func(*Decision)

	lines      [][]byte
	bytes      int // of the lines
	rejections int // of those kept, beyond the first requests
	leftOut    int
	err        error
}

func (k *decisionRecorder) decided(d *Decision) {
	if k.next != nil {
		k.next(d)
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
	line, err := json.Marshal(d)
	k.err = errors.Join(k.err, err)
	k.lines = append(k.lines, append(line, '\n'))
	k.bytes += len(line)
}

// pack compresses what fits beside so many bytes of results, the earlier the
// rather. Where something is left out the last line says how much.
func (k *decisionRecorder) pack(seed int64, results int) ([]byte, error) {
	room := min(maxDecisionBytes, store.MaxChunkBytes-store.GzipOverhead-results)
	if k.err != nil {
		return nil, fmt.Errorf("encode decisions of seed %d: %w", seed, k.err)
	}
	for n := len(k.lines); ; n = n * 3 / 4 {
		packed := pack(k.lines[:n], seed, k.leftOut+len(k.lines)-n)
		if len(packed) <= room || n == 0 {
			return packed, nil
		}
	}
}

// pack returns the lines as a gzip file.
func pack(lines [][]byte, seed int64, leftOut int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, line := range lines {
		_, _ = z.Write(line) // into memory
	}
	if leftOut > 0 {
		fmt.Fprintf(z, "{\"seed\":%d,\"leftOut\":%d}\n", seed, leftOut)
	}
	_ = z.Close()
	return b.Bytes()
}
