// SPDX-License-Identifier: Apache-2.0

package prefix

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// plainIndex is the prefix index as it is described, block by block: a map from
// block to holders, and lists.
type plainIndex struct {
	holders map[block]map[int]bool
	recency [][]block // newest last
}

// A block is one of a stretch.
type block struct {
	stretch uint64
	index   int32
}

func newPlainIndex(endpoints int) *plainIndex {
	return &plainIndex{holders: map[block]map[int]bool{}, recency: make([][]block, endpoints)}
}

func blocksOf(chain []prompt.Stretch) []block {
	var blocks []block
	for _, s := range chain {
		for i := range s.Blocks {
			blocks = append(blocks, block{s.ID, i})
		}
	}
	return blocks
}

func (x *plainIndex) match(chain []prompt.Stretch) []int {
	blocks := make([]int, len(x.recency))
	for _, block := range blocksOf(chain) {
		if len(x.holders[block]) == 0 {
			break
		}
		for e := range x.holders[block] {
			blocks[e]++
		}
	}
	return blocks
}

func (x *plainIndex) insert(chain []prompt.Stretch, endpoint, capacity int) {
	for _, block := range blocksOf(chain) {
		list := x.recency[endpoint]
		if i := slices.Index(list, block); i >= 0 {
			list = slices.Delete(list, i, i+1)
		}
		list = append(list, block)
		if len(list) > capacity {
			delete(x.holders[list[0]], endpoint)
			list = list[1:]
		}
		x.recency[endpoint] = list
	}
	for _, block := range blocksOf(chain) {
		if x.holders[block] == nil {
			x.holders[block] = map[int]bool{}
		}
		x.holders[block][endpoint] = true
	}
}

// forget takes the blocks in the endpoint's list from it; others stay.
func (x *plainIndex) forget(endpoint int) {
	for _, block := range x.recency[endpoint] {
		delete(x.holders[block], endpoint)
	}
	x.recency[endpoint] = nil
}

// indexPair does the same with both indexes.
type indexPair struct {
	t        testing.TB
	fast     *Index
	plain    *plainIndex
	blocks   []int
	capacity int
	own      map[uint64]bool // stretches that are in one prompt
}

func newIndexPair(t testing.TB, endpoints, capacity int) *indexPair {
	return &indexPair{t, NewIndex(endpoints), newPlainIndex(endpoints), make([]int, endpoints), capacity, map[uint64]bool{}}
}

// route sends a prompt to one endpoint, or to several in turn.
func (p *indexPair) route(chain []prompt.Stretch, endpoints ...int) {
	p.t.Helper()
	p.match(chain)
	for i, e := range endpoints {
		if i > 0 {
			p.fast.Find(chain)
		}
		p.fast.Insert(chain, 0, e, p.capacity)
		p.plain.insert(chain, e, p.capacity)
	}
}

// routeWithOwn sends a prompt that ends in some blocks of its own.
func (p *indexPair) routeWithOwn(chain []prompt.Stretch, own int, endpoint int) {
	p.t.Helper()
	p.match(chain)
	text := prompt.Stretch{ID: stats.Hash64(0, uint64(len(p.own))), Blocks: int32(own)}
	p.own[text.ID] = true
	p.fast.Insert(chain, own, endpoint, p.capacity)
	p.plain.insert(append(slices.Clone(chain), text), endpoint, p.capacity)
}

func (p *indexPair) match(chain []prompt.Stretch) {
	p.t.Helper()
	clear(p.blocks)
	held := p.fast.Match(chain, p.blocks, nil)
	for e, blocks := range p.blocks {
		if holds := slices.Contains(held, int32(e)); holds != (blocks > 0) || len(held) > len(p.blocks) {
			p.t.Fatalf("endpoint %d matches %d blocks, and the holders are %v", e, blocks, held)
		}
	}
	if want := p.plain.match(chain); !slices.Equal(want, p.blocks) {
		p.t.Fatalf("matches of %v (-want +got):\n%s", chain, cmp.Diff(want, p.blocks))
	}
}

func (p *indexPair) forget(endpoint int) {
	p.fast.ForgetEndpoint(endpoint)
	p.plain.forget(endpoint)
}

// check compares what is stored, and that nothing else is.
func (p *indexPair) check() {
	p.t.Helper()
	listed := map[block]map[int]bool{}
	for e := range p.plain.recency {
		var got []block
		list := &p.fast.recency[e]
		for i := list.oldest; i != none; i = p.fast.cells[i].own.newer {
			got = append(got, p.fast.blocksOf(i)...)
		}
		want := slices.Clone(p.plain.recency[e])
		for i, b := range want {
			if p.own[b.stretch] {
				want[i].stretch = 0
			}
		}
		if !slices.Equal(want, got) || list.length != len(got) {
			p.t.Fatalf("endpoint %d remembers %v, %d of them, want %v", e, got, list.length, want)
		}
	}
	for slot := range p.fast.cells {
		s := p.fast.cells[slot].held
		if s.ranges == 0 {
			continue
		}
		if p.fast.childOf(s.parent, s.id) != int32(slot) {
			p.t.Fatalf("stretch %x is not a child of its parent", s.id)
		}
		for e := range p.plain.recency {
			for i := *p.fast.head(&s, int32(e)); i != none; i = p.fast.cells[i].own.next {
				if p.fast.cells[i].own.endpoint == int32(e) {
					p.hold(listed, i)
				}
			}
		}
	}
	for b, holders := range p.plain.holders {
		if p.own[b.stretch] {
			continue // it only takes a place
		}
		if !maps.Equal(holders, listed[b]) {
			p.t.Fatalf("block %v is held by %v, want %v", b, listed[b], holders)
		}
		delete(listed, b)
	}
	if len(listed) > 0 {
		p.t.Fatalf("blocks held that should not be: %v", listed)
	}
	p.checkTree()
	if used := len(p.fast.wide.blocks) - len(p.fast.wide.free); used != p.fast.countWide() {
		p.t.Errorf("%d wide stretches, want %d", used, p.fast.countWide())
	}
}

// checkTree checks that each stretch is there for the sake of a range, and
// counted by its parent, and that there are no other cells.
func (p *indexPair) checkTree() {
	p.t.Helper()
	x := p.fast
	needed := make([]bool, len(x.cells))
	needed[root] = true
	used := 1
	for slot, c := range x.cells {
		if c.own.stretch != none && c.own.stretch != int32(slot) {
			used++
			needed[slot] = true
			continue
		}
		for at := int32(slot); c.held.ranges > 0 && !needed[at]; at = x.cells[at].held.parent {
			needed[at] = true
		}
	}
	inTable := 0
	for slot, c := range x.cells {
		if needed[slot] && (c.own.stretch == none || c.own.stretch == int32(slot)) {
			inTable += int(c.held.others)
			used += int(c.held.others)
			if c.held.child != none {
				used++
			}
		}
	}
	free := 0
	for i := x.freeCell; i != none; i = x.cells[i].own.next {
		if needed[i] {
			p.t.Fatalf("cell %d is free, and needed", i)
		}
		free++
	}
	if len(x.cells)-free != used || x.slots.Len() != inTable {
		p.t.Errorf("%d cells, %d of them free, %d stretches in the table, want %d in use and %d", len(x.cells), free, x.slots.Len(), used, inTable)
	}
}

func (p *indexPair) hold(listed map[block]map[int]bool, i int32) {
	p.t.Helper()
	for _, b := range p.fast.blocksOf(i) {
		if listed[b] == nil {
			listed[b] = map[int]bool{}
		}
		e := int(p.fast.cells[i].own.endpoint)
		if listed[b][e] {
			p.t.Fatalf("endpoint %d holds block %v twice", e, b)
		}
		listed[b][e] = true
	}
}

func (x *Index) blocksOf(i int32) []block {
	var blocks []block
	r := x.cells[i].own
	id := uint64(0)
	if r.stretch != nameless {
		id = x.cells[r.stretch].held.id
	}
	for b := r.from; b < r.to; b++ {
		blocks = append(blocks, block{id, b})
	}
	return blocks
}

func (x *Index) countWide() int {
	n := 0
	for _, c := range x.cells {
		if c.held.wide != none && c.held.ranges > 0 {
			n++
		}
	}
	return n
}

// randomChain draws a prompt from a tree of texts: what follows a stretch
// depends on it and on where it ends.
func randomChain(random *rand.Rand, longest int) []prompt.Stretch {
	var chain []prompt.Stretch
	id := uint64(1)
	for range 1 + random.IntN(4) {
		text := random.Uint64N(3)
		if random.IntN(8) == 0 {
			text = random.Uint64N(1000)
		}
		id = stats.Hash64(id, text)
		s := prompt.Stretch{ID: id, Blocks: int32(1 + random.IntN(longest))}
		if random.IntN(2) == 0 {
			s.Blocks = int32(1 + longest/2)
		}
		chain = append(chain, s)
		id = stats.Hash64(id, uint64(s.Blocks))
	}
	return chain
}

func TestPrefixIndexAgreesWithThePlainOne(t *testing.T) {
	for _, endpoints := range []int{1, 3, 17, 64, 65, 130} {
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, uint64(endpoints)))
			// Some lists hold a few prompts, some not even one; some prompts
			// go everywhere, some to a few endpoints.
			p := newIndexPair(t, endpoints, 1+random.IntN(60))
			longest := 1 + random.IntN(12)
			choice := 1 + random.IntN(endpoints)
			for step := range 600 {
				to := []int{endpoints - 1 - random.IntN(choice)}
				for random.IntN(3) == 0 { // perhaps the same again
					to = append(to, endpoints-1-random.IntN(choice))
				}
				p.route(randomChain(random, longest), to...)
				p.routeWithOwn(randomChain(random, longest), random.IntN(2*longest), to[0])
				if random.IntN(40) == 0 {
					p.forget(to[0])
				}
				if step%50 == 0 {
					p.check()
				}
			}
			p.check()
		}
	}
}

func FuzzPrefixIndex(f *testing.F) {
	f.Add(uint8(2), uint8(5), []byte{0, 0x14, 1, 0x18, 0, 0x12, 0, 0x24})
	f.Add(uint8(9), uint8(3), []byte{0, 9, 1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9, 7, 9, 8, 9, 0, 0x79, 1, 3})
	f.Fuzz(func(t *testing.T, endpoints, capacity uint8, script []byte) {
		p := newIndexPair(t, 1+int(endpoints%70), 1+int(capacity))
		for len(script) >= 2 && len(script) < 400 {
			endpoint, lengths := int(script[0])%len(p.blocks), script[1]
			// A shared text, and often another that depends on where it ends.
			chain := []prompt.Stretch{{ID: 1, Blocks: 1 + int32(lengths&15)}}
			if second := int32(lengths >> 4); second > 0 {
				chain = append(chain, prompt.Stretch{ID: 2 + uint64(lengths&15), Blocks: second})
			}
			switch script[0] >> 6 {
			case 1:
				p.route(chain, endpoint, 0)
			case 2:
				p.forget(endpoint)
			case 3:
				p.routeWithOwn(chain[:len(chain)-1], int(lengths&15), endpoint)
			default:
				p.route(chain, endpoint)
			}
			p.check()
			script = script[2:]
		}
	})
}

// A prompt that is longer than the list leaves its beginning behind, which
// stays until it enters the list again and leaves it again.
func TestGhosts(t *testing.T) {
	p := newIndexPair(t, 2, 4)
	long := []prompt.Stretch{{ID: 1, Blocks: 6}, {ID: 2, Blocks: 3}}
	other := []prompt.Stretch{{ID: 9, Blocks: 4}}
	p.route(long, 0)
	p.route(long, 1)
	if !slices.Equal(p.blocks, []int{9, 0}) {
		t.Errorf("a prompt of 9 blocks in a list of 4 matches %v", p.blocks)
	}
	for _, chain := range [][]prompt.Stretch{other, long[:1], other, long, {{ID: 1, Blocks: 2}}, other, long} {
		p.route(chain, 0)
		p.check()
	}
}

// All endpoints hold a stretch in full, then parts of it, then none do.
func TestStretchesThatAllEndpointsHold(t *testing.T) {
	const endpoints = 70
	p := newIndexPair(t, endpoints, 20)
	for _, n := range []int32{10, 10, 7, 15, 3} {
		for e := range endpoints {
			p.route([]prompt.Stretch{{ID: 1, Blocks: n}, {ID: 100 + uint64(n), Blocks: 1}}, e)
		}
		p.check()
	}
	if p.fast.countWide() == 0 {
		t.Error("no stretch is wide")
	}
	// One endpoint keeps the stretch; it goes out of all other lists.
	p.route([]prompt.Stretch{{ID: 1, Blocks: 15}}, 7)
	for e := range endpoints - 1 {
		p.route([]prompt.Stretch{{ID: 1000 + uint64(e), Blocks: 20}}, (8+e)%endpoints)
		p.check()
	}
	if p.fast.countWide() != 0 {
		t.Error("a stretch is wide that one endpoint holds")
	}
	p.route([]prompt.Stretch{{ID: 1, Blocks: 15}}, 0)
	p.check()
}

func TestACellFillsACacheLine(t *testing.T) {
	if size := reflect.TypeFor[cell]().Size(); size != 64 {
		t.Errorf("%d bytes, want 64", size)
	}
}

func TestEmptyChainsLeaveNoTrace(t *testing.T) {
	x := NewIndex(2)
	blocks := make([]int, 2)
	x.Match(nil, blocks, nil)
	x.Insert(nil, 0, 1, 10)
	if x.recency[1].capacity != 0 || !slices.Equal(blocks, []int{0, 0}) {
		t.Errorf("capacity %d, blocks %v", x.recency[1].capacity, blocks)
	}
}

// Inserting a prompt a second time for one endpoint changes nothing.
func TestTheSamePromptAgainChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x := newPlainIndex(2)
	capacity := 8
	for range 1000 {
		chain := randomChain(random, 4)
		endpoint := random.IntN(2)
		x.insert(chain, endpoint, capacity)
		recency, holders := slices.Clone(x.recency[endpoint]), map[block]map[int]bool{}
		for b, of := range x.holders {
			holders[b] = maps.Clone(of)
		}
		x.insert(chain, endpoint, capacity)
		if !slices.Equal(recency, x.recency[endpoint]) || !reflect.DeepEqual(holders, x.holders) {
			t.Fatalf("%v again changes the list from %v to %v", chain, recency, x.recency[endpoint])
		}
	}
}
