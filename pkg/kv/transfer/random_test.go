// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// TestAgainstOracle drives the network and the fluid in rational numbers with
// the same random operations.
func TestAgainstOracle(t *testing.T) {
	ends, rounded := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		operations := make([]byte, 400)
		for i := range operations {
			operations[i] = byte(r.Uint32())
		}
		most := []int{3, 8, 30}[seed%3]
		p := compareWithOracle(t, most, operations)
		ends += len(p.want)
		rounded += p.oracle.rounded
	}
	if ends < 3000 || rounded < 100 {
		t.Errorf("%d transfers ended, %d shares were rounded: the operations show little", ends, rounded)
	}
}

func FuzzAgainstOracle(f *testing.F) {
	f.Add(uint8(0), []byte{0, 1, 2, 3, 255, 128, 64})
	f.Add(uint8(6), []byte{3, 200, 100, 5, 50, 0, 0, 17, 255, 1, 17, 255, 0, 0, 0, 2, 9, 255, 3, 80, 3, 80})
	f.Add(uint8(20), []byte{2, 1, 0, 0, 0, 0, 0, 0, 7, 0, 7, 0, 7, 0, 7, 3, 90, 4, 1})
	f.Fuzz(func(t *testing.T, most uint8, operations []byte) {
		compareWithOracle(t, 1+int(most)%40, operations[:min(len(operations), 1000)])
	})
}

// trio is the oracle and two networks: one that is looked at as rarely as
// possible, and one that is looked at all the time.
type trio struct {
	t        *testing.T
	oracle   *oracle
	leaping  *Network
	stepping *Network
	now      simtime.Time
	operands []byte
	// The ends that each has reported, in the same order.
	want, leapt, stepped []Done
}

// compareWithOracle reads stations and operations from bytes. No more than most
// transfers are in flight at a time; up to eight share without rounding.
func compareWithOracle(t *testing.T, most int, operations []byte) *trio {
	t.Helper()
	p := &trio{t: t, operands: operations, oracle: &oracle{}, leaping: New(), stepping: New()}
	for range 1 + p.pick(6) {
		s := Station{
			Latency:        []time.Duration{0, 0, 1, 50, 1000}[p.pick(5)],
			BytesPerSecond: []int64{1, 7, 999_999_937, 2e9, 25e9, 31_507_692_307, MaxBytesPerSecond}[p.pick(7)],
		}
		p.oracle.stations = append(p.oracle.stations, s)
		p.leaping.Add(s)
		p.stepping.Add(s)
	}
	for len(p.operands) > 0 {
		switch p.pick(6) {
		case 0, 1, 2:
			if len(p.oracle.inFlight) < most {
				p.start()
			}
		case 3:
			p.cancel()
		default:
			p.advance()
		}
	}
	p.finish()
	if most <= 8 && p.oracle.rounded > 0 {
		t.Errorf("%d shares of at most %d transfers were rounded", p.oracle.rounded, most)
	}
	return p
}

// pick reads a number below n.
func (p *trio) pick(n int) int {
	if len(p.operands) == 0 {
		return 0
	}
	b := p.operands[0]
	p.operands = p.operands[1:]
	return int(b) % n
}

func (p *trio) start() {
	bytes := int64(p.pick(256)) * []int64{0, 1, 1, 4096, 1_000_003}[p.pick(5)]
	first, count := p.pick(6), 1+p.pick(3)
	var route []StationID
	for i := range min(count, len(p.oracle.stations)) {
		route = append(route, StationID((first+i)%len(p.oracle.stations)))
	}
	want := p.oracle.start(p.now, bytes, route)
	p.same("Start", want, p.leaping.Start(p.now, bytes, route...))
	p.same("Start, stepping", want, p.stepping.Start(p.now, bytes, route...))
	p.bottlenecks()
}

func (p *trio) cancel() {
	id := ID(1 + p.pick(256)%max(1, int(p.oracle.started)))
	want := p.oracle.cancel(p.now, id)
	p.same("Cancel", want, p.leaping.Cancel(p.now, id))
	p.same("Cancel, stepping", want, p.stepping.Cancel(p.now, id))
	p.bottlenecks()
}

// advance goes on by a while. Only the stepping network is told of the times
// between; the leaping one reports at some of the stops.
func (p *trio) advance() {
	by := simtime.Time(p.pick(256)) * []simtime.Time{1, 1, 100, 10_000, 1_000_000}[p.pick(5)]
	for i := range simtime.Time(7) {
		p.look(p.stepping, p.now+by*i/7)
	}
	p.now += by
	p.look(p.stepping, p.now)
	p.want = append(p.want, p.oracle.advance(p.now)...)
	if p.pick(2) == 0 {
		p.leapt = append(p.leapt, p.leaping.Advance(p.now)...)
		p.same("ends", p.want, p.leapt)
		p.loads()
	}
	p.same("ends, stepping", p.want, p.stepped)
}

// look uses all that can be seen of a network.
func (p *trio) look(n *Network, now simtime.Time) {
	for i := range n.stations {
		n.Load(now, StationID(i))
	}
	n.BytesLeft(now, n.started)
	n.Estimate(now, 1, 0)
	p.stepped = append(p.stepped, n.Advance(now)...)
}

// finish follows Next for a while: things happen then, and at no other time.
func (p *trio) finish() {
	for range 50 {
		next, ok := p.leaping.Next()
		if !ok {
			// What is still in flight ends after all times.
			p.same("the next change", simtime.Never, p.oracle.next())
			break
		}
		if next > 1<<61 {
			break
		}
		p.now = max(p.now, next)
		p.want = append(p.want, p.oracle.advance(p.now)...)
		p.leapt = append(p.leapt, p.leaping.Advance(p.now)...)
		p.stepped = append(p.stepped, p.stepping.Advance(p.now)...)
		p.same("ends by Next", p.want, p.leapt)
		p.same("ends by Next, stepping", p.want, p.stepped)
	}
	byTime := func(a, b Done) int {
		if a.At != b.At {
			return int(min(1, max(-1, a.At-b.At)))
		}
		return int(a.ID - b.ID)
	}
	if !slices.IsSortedFunc(p.want, byTime) {
		p.t.Errorf("ends out of order: %v", p.want)
	}
}

// loads compares what is left at each station, and the two networks' loads.
func (p *trio) loads() {
	for i := range p.oracle.stations {
		at := StationID(i)
		left := p.oracle.left(p.now, at)
		load := p.leaping.Load(p.now, at)
		p.same("bytes left", int64(ceil(left)), load.BytesLeft)
		p.same("load, stepping", load, p.stepping.Load(p.now, at))
	}
}

// bottlenecks checks what makes rates max-min fair: each transfer crosses a
// station that cannot give a share more to each of those with the highest rate
// on it, and it is one of those. (Bertsekas and Gallager, section 6.5.2.)
func (p *trio) bottlenecks() {
	n := p.leaping
	used := make([]uint64, len(n.stations))
	highest := make([]uint64, len(n.stations))
	crossing := make([]uint64, len(n.stations))
	for _, f := range n.inFlight {
		for _, at := range f.route {
			if f.moving {
				rate := n.stations[f.stop].rate
				used[at] += rate
				highest[at] = max(highest[at], rate)
				crossing[at]++
			}
		}
	}
	for at, s := range n.stations {
		if used[at] > s.capacity {
			p.t.Fatalf("station %d gives %d of %d shares", at, used[at], s.capacity)
		}
	}
	for _, f := range n.inFlight {
		held := slices.ContainsFunc(f.route, func(at StationID) bool {
			return n.stations[f.stop].rate == highest[at] && used[at]+crossing[at] > n.stations[at].capacity
		})
		if f.moving && !held {
			p.t.Fatalf("transfer %d could be faster than %d shares", f.id, n.stations[f.stop].rate)
		}
	}
}

func (p *trio) same(what string, want, got any) {
	p.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Fatalf("%s at %v (-want +got):\n%s", what, p.now, diff)
	}
}
