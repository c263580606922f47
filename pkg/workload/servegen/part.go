// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"math"
	"time"
)

// Slice returns the part of the description from a time on and before another, which
// begins at 0. A to of 0 is the end.
func (d *Data) Slice(from, to time.Duration) *Data {
	if to == 0 {
		return d.between(from.Seconds(), math.Inf(1))
	}
	return d.between(from.Seconds(), to.Seconds())
}

// between is Slice in seconds.
func (d *Data) between(from, to float64) *Data {
	part := &Data{share: d.share}
	for _, c := range d.clients {
		var windows []window
		for _, w := range c.windows {
			if w.start, w.end = max(w.start, from)-from, min(w.end, to)-from; w.start < w.end {
				windows = append(windows, w)
			}
		}
		if len(windows) == 0 {
			continue
		}
		own := client{name: c.name, windows: windows}
		for _, l := range c.lengths {
			l.start -= from
			own.lengths = append(own.lengths, l)
		}
		part.clients = append(part.clients, own)
	}
	return part
}

// Sample returns the description of about so great a share of the requests, less than 1. A
// hash of the client and of the request's number decides which they are.
func (d *Data) Sample(share float64) *Data {
	return &Data{clients: d.clients, share: share}
}

// keeps reports whether a request is in the sample, by the id of its text.
func (d *Data) keeps(text uint64) bool {
	return d.share == 0 || float64(text>>11) < d.share*(1<<53)
}

// Span is from 0 to the end of the last window.
func (d *Data) Span() time.Duration {
	last := 0.0
	for _, c := range d.clients {
		last = max(last, c.windows[len(c.windows)-1].end)
	}
	return time.Duration(last * float64(time.Second))
}

// Dropped is how many histograms have the length 0, which is dropped, and the largest share that it has of one.
func (d *Data) Dropped() (histograms int, largest float64) {
	for i := range d.clients {
		for j := range d.clients[i].lengths {
			l := &d.clients[i].lengths[j]
			for _, share := range []float64{l.input.dropped, l.output.dropped} {
				if share > 0 {
					histograms++
				}
				largest = max(largest, share)
			}
		}
	}
	return histograms, largest
}

// Expected is how many requests the rates make on average.
func (d *Data) Expected() float64 {
	sum := 0.0
	for _, c := range d.clients {
		for _, w := range c.windows {
			sum += float64(w.ratePerSecond * (w.end - w.start))
		}
	}
	if d.share > 0 {
		sum *= d.share
	}
	return sum
}
