// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// choices turns bytes into decisions, so that a fuzzer can search scenarios.
// When the bytes are used up every choice is 0.
type choices []byte

// pick returns a number in [0, n).
func (c *choices) pick(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

// randomBytes are the choices of a random scenario.
func randomBytes(seed int64) []byte { return randomChoices(seed, 50, 400) }

func randomChoices(seed int64, least, more int) []byte {
	stream := stats.NewStream(seed, "scenario")
	data := make([]byte, least+stream.IntN(more))
	for i := range data {
		data[i] = byte(stream.Uint64())
	}
	return data
}

// randomConfig makes a small cluster under strain: few blocks, few tokens a
// step, shared prefixes, bursts. Times are multiples of few units, so that
// many events fall on one nanosecond.
func randomConfig(data []byte) simulator.Config { return randomConfigWith(data) }

// feature adds something to a random cluster.
type feature func(*choices, *simulator.Config)

// randomConfigWith is randomConfig with some features more.
func randomConfigWith(data []byte, features ...feature) simulator.Config {
	c := choices(data)
	config := simulator.Config{
		Policies:        policy.RoutedBy(&scatter{deaf: c.pick(2) == 0, hears: c.pick(2) == 0}),
		ScrapeInterval:  time.Duration(1 + c.pick(60)),
		Seed:            int64(c.pick(256)),
		Targets:         []simulator.Target{{TTFT: time.Duration(c.pick(200)), TPOT: time.Duration(c.pick(10)), E2E: time.Duration(c.pick(250))}},
		CheckInvariants: true,
	}
	config.WatchQueues, config.LongPrompt = config.Seed%3 == 0, int(config.Seed%5)
	if config.Seed%2 == 1 {
		config.TenantTargets = [][]simulator.Target{nil, {{TTFT: 40}, {E2E: 90}}}
		scatterOf(&config).believes = true
	}
	for range 1 + c.pick(2) {
		config.Pools = append(config.Pools, randomPool(&c))
	}
	for i := range config.Pools {
		config.Pools[i].AsynchronousScheduling = (config.Seed/2+int64(i))%2 == 1
	}
	randomIntake(&config)
	config.Horizon = simulator.Horizon{
		Requests: c.pick(2) * (1 + c.pick(40)),
		Duration: time.Duration(c.pick(2) * (1 + c.pick(250))),
		WarmUp:   time.Duration(c.pick(2) * c.pick(100)),
		Drain:    time.Duration(c.pick(2)) * time.Hour,
	}
	for _, add := range features {
		add(&c, &config)
	}
	for i := range config.Pools {
		scatterOf(&config).orders.listenTo(&config.Pools[i])
	}
	config.Policies.Routing = scatterOf(&config).routing()
	source := &script{labels: workload.Labels{Tenants: []string{"t", "u"}, Classes: []string{"c", "d"}}}
	if config.Routers() > 1 {
		source.labels.Models = []string{"one", "two"}
	}
	at := simtime.Time(0)
	for id := 0; len(c) > 0; id++ {
		at += simtime.Time(c.pick(3) * c.pick(12))
		r := randomRequest(&c, id, at)
		r.Origin.Step, r.Model = id+1, id%(1+len(source.labels.Models))
		if servesAdapters(&config) {
			r.Adapter = c.pick(6)
		}
		timeOutsOf(&c, scatterOf(&config).patience, &r)
		source.requests = append(source.requests, r)
	}
	if users := scatterOf(&config).users; users > 0 {
		loop := newClosedLoop(*source, users, scatterOf(&config).thinks)
		config.Source, config.Listener = loop, loop
		return config
	}
	config.Source = source
	return config
}

func randomPool(c *choices) simulator.Pool {
	p := simulator.Pool{
		Name:                "pool",
		Replicas:            1 + c.pick(3),
		Timer:               mixedStep{base: time.Duration(1 + c.pick(8)), token: time.Duration(c.pick(2)), read: time.Duration(c.pick(2))},
		BlockTokens:         1 + c.pick(8),
		KVBlocks:            8 + c.pick(40),
		ReportedBlocks:      c.pick(2) * 49,
		PrefixCaching:       c.pick(4) > 0,
		MaxNumSeqs:          1 + c.pick(6),
		MaxNumBatchedTokens: 1 + c.pick(30),
		MaxModelLen:         c.pick(2) * (40 + c.pick(60)),
	}
	if c.pick(4) == 0 {
		p.Windows = kv.Windows{Groups: 1 + c.pick(2), Blocks: 1 + c.pick(3)}
	}
	p.LongPrefillTokens = max(0, c.pick(12)-6)
	p.ReserveFullPrompt = c.pick(2) == 0
	p.Scheduler, p.WatchQueue = randomScheduler(c), c.pick(2) == 0
	if c.pick(3) == 0 {
		p.Cost.QueueBase = time.Duration(c.pick(5))
		p.Cost.QueuePerInputToken = time.Duration(c.pick(2))
		p.Cost.PerOutputToken = time.Duration(c.pick(4))
		p.Cost.Completion = time.Duration(c.pick(3))
	}
	p.Stability = randomStability(c)
	if rate := float64(max(0, c.pick(8)-4)) / 4; p.Stability == nil {
		p.InitialCacheHitRate = rate
	}
	return p
}

func randomRequest(c *choices, id int, at simtime.Time) workload.Request {
	r := workload.Request{
		ID: id, Arrival: at, OutputTokens: c.pick(20), Response: uint64(1000 + id),
		Tenant: c.pick(2), Class: c.pick(2), Priority: c.pick(3), Session: int32(id % 3), Headers: id % 4,
	}
	if group := c.pick(4); group > 0 {
		r.Prompt = r.Prompt.Append(prompt.Extent{Source: uint64(group), Tokens: int32(c.pick(30))})
	}
	if turn := c.pick(4); turn > 0 && id >= turn {
		r.Prompt = r.Prompt.Append(prompt.Extent{Source: uint64(1000 + id - turn), Tokens: int32(c.pick(20))})
	}
	own := prompt.Extent{Source: uint64(100000 + id), Tokens: int32(c.pick(20))}
	r.Prompt = r.Prompt.Append(own)
	if own.Tokens > 0 && id%4 > 0 {
		r.Prompt.Own = 1
	}
	if c.pick(3) == 0 {
		r.Response, r.ResponseStart = own.Source, own.Tokens
	}
	return r
}

// mixedStep is a timer in which every sum of a step shows.
type mixedStep struct{ base, token, read time.Duration }

func (m mixedStep) StepTime(s latency.Step) time.Duration {
	return m.base + m.token*time.Duration(s.PrefillTokens+2*s.DecodeTokens+s.SampledTokens) +
		m.read*time.Duration(s.ContextTokens+s.AttentionPairs+s.DraftPairs+s.DoublePromptPairs/4)/16
}

// scatter sends each request to the endpoint with the fewest scraped requests of
// those that are there, starting from one that depends on the request, and
// refuses a few. If it splits, it lets others compute the prompts of most. It
// notes what it sees and hears, and that it is told of every scrape that changes.
type scatter struct {
	deaf   bool
	splits bool
	hears  bool
	// believes says that the router makes something up about caches.
	believes bool
	seen     []policy.Scrape
	loras    []string // of the adapters of each endpoint
	// engines says that the router reads what engines export, which exports is.
	engines bool
	exports []policy.Engine
	log     []string
	heard   heard
	// users and thinks are those of a closed loop; there is none without users.
	users, thinks int
	// patience bounds the time-outs of requests; 0 is none.
	patience simtime.Time
	scatterGate
	scatterEvictor
	orders heardOrders
}

func (r *scatter) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	r.watch(v)
	r.log = append(r.log, r.heard.lines(len(v.Scrapes))...)
	r.log = append(r.log, fmt.Sprint("route ", q.ID, " at ", v.Now, " by ", v.Scrapes, " without ", v.Down,
		" for session ", q.Session, ", headers ", q.Headers, ", adapter ", q.Adapter, " and promises ", q.TTFT, q.TPOT, " with ", v.Adapters))
	if r.engines {
		r.log = append(r.log, fmt.Sprintf("engines %+v", v.Engines))
	}
	switch q.ID % 17 {
	case 13:
		return policy.Route{}, policy.ErrNoEndpoint
	case 14:
		return policy.Route{}, policy.ErrShed
	}
	if r.keep(v, q) {
		return policy.Route{}, policy.ErrHeld
	}
	return r.choose(v, q)
}

// choose sends a request to some endpoint.
func (r *scatter) choose(v *policy.View, q *policy.Request) (policy.Route, error) {
	best := r.best(v, q.ID)
	if best < 0 {
		return policy.Route{}, policy.ErrNoEndpoint
	}
	r.sent(q.ID)
	decision := policy.To(best)
	if r.believes {
		decision.Believed = policy.Believing((q.ID*5 + best*3) % (q.Tokens + 4))
	}
	if prefill := q.ID * 7 % (len(v.Scrapes) + 1); r.splits && prefill < len(v.Scrapes) && !isDown(v, prefill) {
		decision.Prefill = prefill
	}
	return decision, nil
}

// best returns the chosen endpoint, or -1 if all are down.
func (r *scatter) best(v *policy.View, id int) int {
	best := -1
	for i := range v.Scrapes {
		endpoint := (id + i) % len(v.Scrapes)
		if !isDown(v, endpoint) && (best < 0 || loadOf(v.Scrapes[endpoint]) < loadOf(v.Scrapes[best])) {
			best = endpoint
		}
	}
	return best
}

func isDown(v *policy.View, endpoint int) bool { return v.Down != nil && v.Down[endpoint] }

func loadOf(s policy.Scrape) int { return s.Waiting + s.Running }

// watch panics where a scrape has changed and the view does not say so.
func (r *scatter) watch(v *policy.View) {
	for i, s := range v.Scrapes {
		s.At = 0
		told := v.Changed == nil || len(v.Changed) > len(v.Scrapes) || slices.Contains(v.Changed, int32(i))
		if r.seen != nil && !told && s != r.seen[i] {
			panic(fmt.Sprintf("endpoint %d has changed from %+v to %+v, and nobody says so", i, r.seen[i], s))
		}
		if r.exports != nil && !told && v.Engines[i] != r.exports[i] {
			panic(fmt.Sprintf("engine %d has changed from %+v to %+v, and nobody says so", i, r.exports[i], v.Engines[i]))
		}
		if v.Adapters == nil {
			continue
		}
		if lora := fmt.Sprint(v.Adapters[i]); i == len(r.loras) {
			r.loras = append(r.loras, lora)
		} else if !told && lora != r.loras[i] {
			panic(fmt.Sprintf("the adapters of endpoint %d have changed from %v to %v, and nobody says so", i, r.loras[i], lora))
		} else {
			r.loras[i] = lora
		}
	}
	r.seen, r.exports = slices.Clone(v.Scrapes), slices.Clone(v.Engines)
	for i := range r.seen {
		r.seen[i].At = 0
	}
}

// routing is the router with what it takes part in.
func (r *scatter) routing() policy.Routing {
	routing := policy.Routing{Router: r, Engines: r.engines}
	if !r.deaf {
		routing.Responses, routing.FirstTokens, routing.Usage = r, r, r
	}
	if r.tick > 0 {
		routing.Queue = r
		if r.every > 0 {
			routing.Evictor = r
		}
	}
	if r.hears {
		routing.KVEvents = r
	}
	return routing
}

// scatterOf is the router of a random cluster.
func scatterOf(c *simulator.Config) *scatter { return c.Policies.Routing.Router.(*scatter) }

func (r *scatter) FirstToken(q *policy.Request, endpoint int) {
	r.log = append(r.log, fmt.Sprint("first token of ", q.ID, " from ", endpoint))
}

func (r *scatter) FirstTokenAt(at simtime.Time, q *policy.Request) {
	r.log = append(r.log, fmt.Sprint("answer of ", q.ID, " begins at ", at))
}

func (r *scatter) Used(at simtime.Time, q *policy.Request, tokens int) {
	r.log = append(r.log, fmt.Sprint("answer of ", q.ID, " at ", at, " with ", tokens))
}

func (r *scatter) Finished(q *policy.Request, endpoint int) {
	r.log = append(r.log, fmt.Sprint("end of ", q.ID, " from ", endpoint))
	r.ended(q.ID)
}
