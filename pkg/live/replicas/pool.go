// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	wall "k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Config says how a pool's replicas serve.
type Config struct {
	// Simulated has the pools, and what [simulation.OpenSession] takes in addition.
	Simulated simulator.Config
	// Speed is how many simulated seconds pass in a second of the machine's clock; more than 0.
	Speed float64
	// MaxLateness is how late a token may be, by the wall clock, before the pool gives up: more
	// than 0.
	MaxLateness time.Duration
	// NamedTokens bounds the prompts and answers that the pool remembers in order to find common
	// prefixes, as [NewNames] counts; 0 means five times as many tokens as all caches hold, which is
	// enough for caches full of texts of 16 tokens. What a cache holds beyond is not found again.
	NamedTokens int
	// BlockEvents hears what the caches hold, in order of time for each replica; nil if it is not
	// needed. It is called from within the pool, which waits for it, and does not call the pool.
	BlockEvents func(BlockEvent)
	// Ended, unless it is nil, hears of each request that has ended, whole or not, before its reader does. It is called
	// as BlockEvents is.
	Ended func(replica int, request string, p Progress)
}

// keepFor is how much simulated time passes after the end of a request that Keeps its blocks until they are given up:
// VLLM_NIXL_ABORT_REQUEST_TIMEOUT of vLLM 0.10 to 0.29.
const keepFor = 480 * time.Second

// A Request is what a client asks of one replica.
type Request struct {
	// ID is what the client calls the request, for Config.Ended.
	ID string
	// Prompt is token ids, at least one.
	Prompt []uint32
	// Answer is the token ids that the replica will say, at least one. Their number is the length
	// of the answer.
	Answer []uint32
	// Adapter is the LoRA adapter; empty for the base model.
	Adapter string
	// Priority is as vLLM's: lower is served first, where the scheduler reads it.
	Priority int
	// Keeps has the replica keep the blocks of the prompt after the answer, until another request
	// takes them over or 480 s are over (do_remote_decode of vLLM's NIXL connector).
	Keeps bool
	// TakesOver is the Handle of the stream whose replica kept the blocks of this prompt, which move
	// here then (do_remote_prefill); empty for none. Where they are gone or of another pool, or the
	// prompt has another length, the request computes its prompt.
	TakesOver string
}

// Pool is replicas that follow the wall clock. It is safe for concurrent use.
type Pool struct {
	clock       clock
	maxLateness time.Duration
	names       *Names
	// wake ends the wait of Run for an event that is no longer the next one.
	wake chan struct{}

	mu      sync.Mutex
	session *simulation.Session
	// at is up to when the session has been advanced.
	at       simtime.Time
	awaited  simtime.Time // what Run waits for
	streams  map[int]*Stream
	adapters adapterNumbers
	counts   []counts
	// blocks is nil where nothing hears of blocks.
	blocks *blockTable
	ended  func(replica int, request string, p Progress) // nil where nothing hears
	// hands says that replicas hand over, id tells the pool from others in handles, and kept are the prompts that they may
	// keep for that, in order of time.
	hands    bool
	id       string
	kept     []keptPrompt
	lateness prometheus.Histogram
	// failure ends all that the pool does.
	failure error
}

// New returns a pool whose time begins now. Its replicas do nothing unless Run is called.
func New(c Config) *Pool {
	cached := cachedTokens(c.Simulated.Pools)
	named := cmp.Or(c.NamedTokens, 5*cached)
	p := &Pool{
		clock: clock{start: wall.RealClock{}.Now(), speed: c.Speed}, maxLateness: c.MaxLateness,
		names: NewNames(named), wake: make(chan struct{}, 1),
		awaited: simtime.Never, streams: map[int]*Stream{}, lateness: newHistogram(latenessBounds), ended: c.Ended,
	}
	for i := range c.Simulated.Pools {
		for range c.Simulated.Pools[i].Replicas {
			p.counts = append(p.counts, newCounts(&c.Simulated.Pools[i]))
		}
	}
	if c.BlockEvents != nil {
		p.blocks = newBlockTable(c.BlockEvents, p.fail, max(named, cached))
		c.Simulated.Policies.Routing.KVEvents = p.blocks
	}
	p.id = rand.Text()
	p.hands = c.Simulated.Handoff.Egress.BytesPerSecond > 0
	p.session = simulation.OpenSession(context.Background(), c.Simulated, (*listener)(p))
	return p
}

// cachedTokens is how many tokens the caches and tiers of all replicas hold.
func cachedTokens(pools []simulator.Pool) int {
	n := 0
	for i := range pools {
		p := &pools[i]
		n += p.Replicas * p.KVBlocks * p.BlockTokens
		for _, t := range p.Tiers.Lower {
			replicas := p.Replicas
			if t.Shared {
				replicas = 1
			}
			n += replicas * t.Blocks * p.BlockTokens
		}
	}
	return n
}

// Run lets the replicas work until ctx ends, which is no error. An error says that the pool is later
// than MaxLateness, or what a policy that is a program did. Then all streams and submissions fail.
func (p *Pool) Run(ctx context.Context) error {
	timer := p.clock.NewTimer(0)
	defer timer.Stop()
	for {
		next, err := p.advance()
		if err != nil {
			return err
		}
		if next < simtime.Never {
			timer.Reset(p.clock.until(next))
		}
		select {
		case <-timer.C():
		case <-p.wake:
		case <-ctx.Done():
			p.mu.Lock()
			defer p.mu.Unlock()
			p.fail(errors.New("the replicas are being stopped"))
			return nil
		}
	}
}

// advance lets everything happen up to now, and returns when the next thing does.
func (p *Pool) advance() (next simtime.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.catchUp(); err != nil {
		return 0, err
	}
	p.awaited = p.session.Next()
	if len(p.kept) > 0 {
		p.awaited = min(p.awaited, p.kept[0].until)
	}
	return p.awaited, nil
}

// catchUp lets everything happen up to now, this nanosecond included.
func (p *Pool) catchUp() error {
	if p.failure != nil {
		return p.failure
	}
	if now := p.clock.now() + 1; now > p.at {
		p.dropKept(now)
		p.at = now
		if err := p.session.Advance(now); err != nil {
			p.fail(err)
		}
	}
	return p.failure
}

// fail ends all streams.
func (p *Pool) fail(err error) {
	if p.failure != nil {
		return
	}
	p.failure = err
	for number, s := range p.streams {
		p.tell(s)
		s.end(err)
		delete(p.streams, number)
	}
}

// Submit sends a request to a replica now, counted through all pools. The stream has its tokens as
// the engine gives them; Close it when it is of no more use. A [simulation.Refusal] says why the engine
// never has the request.
func (p *Pool) Submit(replica int, r Request) (*Stream, error) {
	if len(r.Answer) == 0 {
		return nil, errors.New("the answer has no token")
	}
	text, answer := p.names.Name(r.Prompt, r.Answer)
	w := workload.Request{
		Prompt: text, OutputTokens: len(r.Answer), Response: answer[0].Source, ResponseStart: answer[0].Start,
		Priority: -r.Priority,
	}
	c := simulation.Submission{Endpoint: replica, Request: w, Rest: answer[1:]}
	p.mu.Lock()
	defer p.mu.Unlock()
	if replica < 0 || replica >= len(p.counts) {
		return nil, fmt.Errorf("there is no replica %d of %d", replica, len(p.counts))
	}
	if err := p.catchUp(); err != nil {
		return nil, err
	}
	if p.hands {
		c.Keeps, c.TakesOver = r.Keeps, p.takenOver(r.TakesOver)
	}
	c.Request.Adapter = p.adapters.of(r.Adapter)
	number, err := p.session.Submit(p.at, c)
	if err != nil {
		return nil, err
	}
	s := &Stream{pool: p, id: r.ID, number: number, replica: replica, arrival: p.at, prompt: len(r.Prompt), keeps: c.Keeps, wake: make(chan struct{}, 1)}
	p.streams[number] = s
	if of := &p.counts[replica]; p.blocks != nil && of.caching {
		s.held = p.blocks.begin(slices.Concat(text.Extents, answer), slices.Concat(r.Prompt, r.Answer), of.blockTokens, int32(c.Request.Adapter), r.Adapter)
	}
	if p.session.Next() < p.awaited {
		p.rouse()
	}
	return s, nil
}

// rouse lets Run look for the next event again.
func (p *Pool) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// giveUp ends a stream whose client is gone.
func (p *Pool) giveUp(s *Stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streams[s.number] != s || p.catchUp() != nil || p.streams[s.number] != s {
		return
	}
	p.forget(s)
	if err := p.session.Cancel(p.at, s.number); err != nil {
		p.fail(err)
	}
	p.rouse()
}

// forget notes that a request is no longer in flight.
func (p *Pool) forget(s *Stream) {
	p.tell(s)
	delete(p.streams, s.number)
	if p.blocks != nil {
		p.blocks.end(s.held)
	}
}

// tell says that a request has ended.
func (p *Pool) tell(s *Stream) {
	if p.ended != nil {
		p.ended(s.replica, s.id, s.Progress())
	}
}

// listener is how the pool hears of its session.
type listener Pool

// Given implements [simulation.SessionListener].
func (l *listener) Given(g simulation.Given) {
	p := (*Pool)(l)
	late := -p.clock.until(g.At)
	p.lateness.Observe(late.Seconds())
	if late > p.maxLateness {
		p.fail(Behind{By: late})
	}
	if s := p.streams[g.Request]; s != nil {
		p.counts[s.replica].given(s, &g)
		s.give(&g)
	}
}

// Completed implements [simulation.SessionListener].
func (l *listener) Completed(at simtime.Time, request int) {
	p := (*Pool)(l)
	if s := p.streams[request]; s != nil {
		p.counts[s.replica].completed(s, at)
		p.forget(s)
		if s.keeps {
			p.kept = append(p.kept, keptPrompt{number: request, until: at.Add(keepFor)})
		}
		s.end(nil)
	}
}

// Behind says that the pool is slower than the time that it is to keep.
type Behind struct{ By time.Duration }

func (b Behind) Error() string {
	return fmt.Sprintf("the replicas are %v behind: this machine is too slow for so many requests at this speed", b.By)
}
