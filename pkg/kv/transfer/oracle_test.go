// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"math"
	"math/big"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// oracle is the same network as a fluid in rational numbers: at each change all
// shares are computed from nothing, and all transfers are moved on. Rounding
// happens where the model says so: a share is whole, and an end is at a whole
// nanosecond.
type oracle struct {
	now      simtime.Time
	stations []Station
	inFlight []*drop
	started  ID
	done     []Done
	// rounded counts the shares that were not whole.
	rounded int
}

// drop is a transfer of the oracle.
type drop struct {
	id     ID
	begins simtime.Time
	left   *big.Rat // bytes
	rate   *big.Rat // bytes per nanosecond
	route  []StationID
}

func (o *oracle) start(now simtime.Time, bytes int64, route []StationID) ID {
	o.run(now)
	o.started++
	begins := now
	for _, at := range route {
		begins = begins.Add(o.stations[at].Latency)
	}
	o.inFlight = append(o.inFlight, &drop{
		id: o.started, begins: begins, left: new(big.Rat).SetInt64(bytes), route: slices.Clone(route),
	})
	o.run(now)
	return o.started
}

func (o *oracle) cancel(now simtime.Time, id ID) bool {
	o.run(now)
	before := len(o.inFlight)
	o.inFlight = slices.DeleteFunc(o.inFlight, func(d *drop) bool { return d.id == id })
	return len(o.inFlight) < before
}

func (o *oracle) advance(now simtime.Time) []Done {
	o.run(now)
	done := o.done
	o.done = nil
	return done
}

// run goes from change to change.
func (o *oracle) run(now simtime.Time) {
	for {
		o.collect()
		o.share()
		next := o.next()
		if next > now {
			break
		}
		o.move(next)
	}
	o.move(now)
}

// collect takes out what has arrived.
func (o *oracle) collect() {
	o.inFlight = slices.DeleteFunc(o.inFlight, func(d *drop) bool {
		arrived := d.begins <= o.now && d.left.Sign() == 0
		if arrived {
			o.done = append(o.done, Done{ID: d.id, At: o.now})
		}
		return arrived
	})
}

// next is when something begins to move, or ends at its present rate.
func (o *oracle) next() simtime.Time {
	next := simtime.Never
	for _, d := range o.inFlight {
		if d.begins > o.now {
			next = min(next, d.begins)
			continue
		}
		next = min(next, after(o.now, ceil(new(big.Rat).Quo(d.left, d.rate))))
	}
	return next
}

func (o *oracle) move(to simtime.Time) {
	span := new(big.Rat).SetInt64(int64(to - o.now))
	for _, d := range o.inFlight {
		if d.begins <= o.now {
			d.left.Sub(d.left, new(big.Rat).Mul(d.rate, span))
			if d.left.Sign() < 0 {
				d.left.SetInt64(0)
			}
		}
	}
	o.now = to
}

// share fills the stations: the one that can give least to each of its
// transfers decides their rate.
func (o *oracle) share() {
	open := map[*drop]bool{}
	for _, d := range o.inFlight {
		if d.begins <= o.now {
			open[d] = true
		}
	}
	spare := make([]*big.Rat, len(o.stations))
	for i, s := range o.stations {
		spare[i] = big.NewRat(s.BytesPerSecond, 1_000_000_000)
	}
	for len(open) > 0 {
		each := o.offers(open, spare)
		var least *big.Rat
		for _, e := range each {
			if e != nil && (least == nil || e.Cmp(least) < 0) {
				least = e
			}
		}
		for _, d := range o.inFlight {
			full := slices.ContainsFunc(d.route, func(at StationID) bool { return each[at] != nil && each[at].Cmp(least) == 0 })
			if !open[d] || !full {
				continue
			}
			d.rate = least
			delete(open, d)
			for _, at := range d.route {
				spare[at].Sub(spare[at], least)
			}
		}
	}
}

// offers returns what each station could give to each transfer that is still
// open, in whole shares, and nil where nothing open crosses it.
func (o *oracle) offers(open map[*drop]bool, spare []*big.Rat) []*big.Rat {
	each := make([]*big.Rat, len(o.stations))
	for i := range o.stations {
		crossing := int64(0)
		for d := range open {
			if slices.Contains(d.route, StationID(i)) {
				crossing++
			}
		}
		if crossing == 0 {
			continue
		}
		shares := new(big.Rat).Quo(spare[i], big.NewRat(crossing, partsPerByte))
		if !shares.IsInt() {
			o.rounded++
		}
		whole := new(big.Int).Quo(shares.Num(), shares.Denom())
		each[i] = new(big.Rat).SetFrac(whole, big.NewInt(partsPerByte))
	}
	return each
}

// remaining is what is still to move through a station, in bytes.
func (o *oracle) left(now simtime.Time, at StationID) *big.Rat {
	o.run(now)
	sum := new(big.Rat)
	for _, d := range o.inFlight {
		if slices.Contains(d.route, at) {
			sum.Add(sum, d.left)
		}
	}
	return sum
}

// ceil returns the nanoseconds that hold r, at most as many as a uint64 holds.
func ceil(r *big.Rat) uint64 {
	q, m := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsUint64() {
		return math.MaxUint64
	}
	return q.Uint64()
}
