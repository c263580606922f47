// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
	"windtunnel.dev/windtunnel/pkg/workload/servegen"
)

// ServeGen is a tar archive of a ServeGen folder, or the folder. It has no rows: each seed draws requests
// of its own from what it says of its clients.
const ServeGen Format = "ServeGen"

var serveGen = format{
	name:      ServeGen,
	matches:   func(text string) bool { return len(text) > tarMagicAt && text[tarMagicAt:] == tarMagic },
	beginning: tarMagicAt + len(tarMagic),
	expected:  "is a tar archive",
	describes: true,
}

// What the header of a file in a tar archive says of itself, and where.
const (
	tarMagic   = "ustar"
	tarMagicAt = 257
)

// readDescription reads a description of traffic. Its errors do not name it.
func readDescription(o Options, r io.Reader) (*Trace, error) {
	in, err := decompressed(r)
	if err != nil {
		return nil, err
	}
	most := wholeBytes(o.MemoryBytes)
	hash := sha256.New()
	bounded := &io.LimitedReader{R: io.TeeReader(in, hash), N: most + 1}
	data, err := servegen.ReadArchive(bounded)
	switch {
	case bounded.N == 0:
		return nil, longerThan(most)
	case err != nil:
		return nil, err
	}
	if o.Slice != (Slice{}) {
		span := data.Span()
		if data = data.Slice(o.Slice.From, o.Slice.To); data.Expected() == 0 {
			return nil, o.Slice.empty(span)
		}
	}
	if o.Sample > 0 {
		data = data.Sample(o.Sample)
	}
	if data.Expected() == 0 {
		return nil, errNoRequests
	}
	t := &Trace{digest: hex.EncodeToString(hash.Sum(nil)), described: data}
	if n, share := data.Dropped(); n > 0 {
		t.warning = fmt.Sprintf("the length 0 is dropped from %d histograms, of which it is at most %.2g %%", n, 100*share)
	}
	return t, nil
}

// replayDescribed is Replay of a described trace.
func (t *Trace) replayDescribed(r Replay, seed int64) workload.Listener {
	d := &describedReplay{
		source: t.described.Source(r.Client, seed), replay: r, left: math.MaxInt,
		labels: workload.Labels{
			Clients: []string{cmp.Or(r.Client, defaultTraceClient)},
			Tenants: []string{cmp.Or(r.Tenant, workload.DefaultLabel)},
			Classes: []string{cmp.Or(r.Class, workload.DefaultLabel)},
		},
	}
	if r.MaxRequests > 0 {
		d.left = r.MaxRequests
	}
	d.draw()
	return d
}

// describedReplay is the source that Trace.Replay returns for a described trace.
type describedReplay struct {
	source workload.Source
	replay Replay
	labels workload.Labels
	next   workload.Request
	some   bool // whether there is a next one
	left   int  // requests to draw
}

// draw draws the next request.
func (d *describedReplay) draw() {
	if d.some = false; d.left == 0 {
		return
	}
	d.left--
	if d.next, d.some = d.source.Next(); !d.some {
		return
	}
	r := &d.next
	r.Arrival = scaled(r.Arrival, d.replay.RateScale)
	r.Client, r.Priority = 0, d.replay.Priority
	r.FirstTokenTimeout, r.Timeout = d.replay.FirstTokenTimeout, d.replay.Timeout
}

// Labels implements [workload.Source].
func (d *describedReplay) Labels() workload.Labels { return d.labels }

// Due implements [workload.Listener].
func (d *describedReplay) Due() (simtime.Time, bool) {
	if !d.some {
		return due.MaxTime, false
	}
	return d.next.Arrival, d.next.Arrival < due.MaxTime
}

// Next implements [workload.Source].
func (d *describedReplay) Next() (workload.Request, bool) {
	r, some := d.next, d.some
	if some {
		d.draw()
	}
	return r, some
}

// Ended implements [workload.Listener]. No request waits for another.
func (d *describedReplay) Ended(workload.End) {}
