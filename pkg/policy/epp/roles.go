// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// An admitter says whether a request may be routed at all. It is asked after
// the producers have been told of the request.
type admitter interface {
	admits(c *cycle) bool
}

// A saturationDetector says how much of the pool's capacity is taken; 1 is all
// of it.
type saturationDetector interface {
	saturation(c *cycle) float64
}

// A filter returns the candidates that stay, in their order. It may change and
// return the slice that it is given.
type filter interface {
	filter(c *cycle, candidates []int) []int
}

// A scorer writes the weighted score of candidates[i] to scores[i]. There is at
// least one candidate. Where the EPP's scorer leaves an endpoint out, its raw
// score is 0.
type scorer interface {
	score(c *cycle, candidates []int, w weight, scores []float64)
}

// A rescorer is a scorer whose scores follow from the scrapes alone.
type rescorer interface {
	scorer
	// rescore brings the scores up to date where the scrapes of some endpoints
	// have changed since the last call, and all endpoints are candidates. It
	// reports false where score has to be called for all of them.
	rescore(c *cycle, changed []int32, w weight, scores []float64) bool
}

// A weight is what a raw score counts, once it is clamped.
type weight struct{ factor, least, greatest float64 }

// weighing clamps raw scores to [0, 1], as the EPP does.
func weighing(factor float64) weight { return weight{factor, 0, 1} }

// unweighed leaves raw scores as they are.
func unweighed() weight { return weight{1, math.Inf(-1), math.Inf(1)} }

func (w weight) of(raw float64) float64 {
	if raw <= w.least {
		raw = w.least
	} else if raw > w.greatest {
		raw = w.greatest
	}
	return float64(w.factor * raw)
}

// A picker chooses an index of scores, of which there is at least one. Those of
// the EPP choose several in order of preference; only the first one serves.
type picker interface {
	pick(scores []float64) int
	// leftToChance reports whether it takes a draw to choose among such scores.
	leftToChance(scores []float64) bool
}

// A producer keeps the data that filters and scorers read. It is told of a
// request before the profile runs.
type producer interface {
	produce(c *cycle)
}

// A follower is a plugin that is told of the picks.
type follower interface {
	routed(c *cycle, p picks)
}

// A witness is a scorer that is told in gie-v0.5, before the next profile runs, what
// its own picked.
type witness interface {
	picked(c *cycle, endpoint int)
}

// A listener is told of an answer's first chunk and of its end.
type listener interface {
	firstToken(request *policy.Request, endpoint int)
	finished(request *policy.Request, endpoint int)
}

// A spender is told what an answer cost, just before it is told of its end.
type spender interface {
	used(at simtime.Time, request *policy.Request, outputTokens int)
}

// A watcher is told of each request, before anything is decided, who is gone.
type watcher interface {
	forgetGone(c *cycle)
}

// A builder makes the instances of one scheduler and connects them.
type builder struct {
	Cluster
	seed     int64
	dialect  dialect
	config   *Config
	document *effective
	plugins  map[string]*plugin // by name
	// prepares is whether producers run before the profiles, in versions where that
	// is behind a gate.
	prepares bool
	// factories are by the types of their instances.
	factories map[*pluginType]*factory
	stages    stages
	// profile is the name of the one that is being made.
	profile string
	matches map[string]*prefixMatch
	loads   map[string]*inFlightLoad
	// predictions are by the name of their producer.
	predictions map[string]*latencyPrediction
	tokens      map[tokenHeader]*sessionTokens
	// instances are those that several profiles have in common, by name.
	instances map[string]any
	// rotation is what the pickers have in common where ties are taken in turn.
	rotation rotation

	followers []follower
	listeners []listener
	watchers  []watcher
	// digesters hear of the engines' caches.
	digesters []kvindex.Digester
	spenders  []spender
}

func newBuilder(parts Parts, c *Config, cluster Cluster, seed int64) *builder {
	b := &builder{
		Cluster:     cluster,
		seed:        seed,
		dialect:     c.dialect,
		config:      c,
		document:    &c.document,
		factories:   map[*pluginType]*factory{},
		plugins:     map[string]*plugin{},
		stages:      c.stages,
		prepares:    c.prepares(),
		matches:     map[string]*prefixMatch{},
		loads:       map[string]*inFlightLoad{},
		predictions: map[string]*latencyPrediction{},
		tokens:      map[tokenHeader]*sessionTokens{},
		instances:   map[string]any{},
	}
	for _, p := range c.document.Plugins {
		b.plugins[p.Name] = p
	}
	for _, f := range parts.factories {
		b.factories[&f.pluginType] = f
	}
	return b
}

func (b *builder) scheduler(parts Parts, c *Config) *Scheduler {
	s := &Scheduler{
		endpoints: b.Endpoints,
		silent:    c.stages.silent,
		tokensOff: c.tokensOff,
		scraped:   c.scraped,
		unscraped: make([]policy.Scrape, b.Endpoints),
	}
	for _, p := range c.document.Plugins {
		newProducer := b.factory(p).newProducer
		if newProducer == nil {
			continue
		}
		made := newProducer(b, p)
		if made == nil {
			continue
		}
		s.producers = append(s.producers, made)
		b.connect(made)
		if w, ok := made.(window); ok {
			s.burst.windows = append(s.burst.windows, w)
		}
	}
	// Counts of uncached tokens and predictions follow from prefix matches.
	slices.SortStableFunc(s.producers, func(a, b producer) int { return cmp.Compare(rank(a), rank(b)) })
	b.admission(parts, c, s)
	s.staged = newStaged(b, c)
	s.followers, s.listeners, s.spenders, s.watchers = b.followers, b.listeners, b.spenders, b.watchers
	if estimatesTokens(&c.document) {
		s.estimate.ratio = b.bytesPerToken() / estimatedBytes
	}
	s.feed = kvindex.Feed{Lag: b.EventLag, Digesters: b.digesters}
	s.tracer = b.newTracer(c)
	return s
}

// A matchReader is a producer whose data follow from prefix matches.
type matchReader interface{ readsMatches() }

func rank(p producer) int {
	if _, ok := p.(matchReader); ok {
		return 1
	}
	return 0
}

// admission makes what may turn a request away before any endpoint is looked at.
func (b *builder) admission(parts Parts, c *Config, s *Scheduler) {
	if ref := c.document.FlowControl.SaturationDetector; ref != nil {
		detector := b.plugins[ref.PluginRef]
		s.detector = b.factory(detector).newDetector(b, detector)
	} else {
		s.detector = parts.builtInDetector(c)
	}
	if c.flowControlled() {
		s.flow = parts.newQueue(b, s, c)
	}
	for _, p := range c.document.Plugins {
		if newAdmitter := b.factory(p).newAdmitter; newAdmitter != nil {
			s.admitters = append(s.admitters, newAdmitter(b, p))
		}
	}
}

// connect registers a plugin, once, for what it wants to be told of.
func (b *builder) connect(made any) {
	if f, ok := made.(follower); ok && !slices.Contains(b.followers, f) {
		b.followers = append(b.followers, f)
	}
	if l, ok := made.(listener); ok && !slices.Contains(b.listeners, l) {
		b.listeners = append(b.listeners, l)
	}
	if w, ok := made.(watcher); ok && !slices.Contains(b.watchers, w) {
		b.watchers = append(b.watchers, w)
	}
	if s, ok := made.(spender); ok && !slices.Contains(b.spenders, s) {
		b.spenders = append(b.spenders, s)
	}
}

// shared is for an instance that remembers requests: all profiles that it is in
// have the same one.
func shared[T any](b *builder, p *plugin, build func() T) T {
	if b.instances[p.Name] == nil {
		b.instances[p.Name] = build()
	}
	return b.instances[p.Name].(T)
}

// labelsOf returns nil where an endpoint has none.
func (b *builder) labelsOf(endpoint int) map[string]string {
	if b.Labels == nil {
		return nil
	}
	return b.Labels[endpoint]
}

// prefixMatch is what a producer of that name knows of the request.
func (b *builder) prefixMatch(producer string) *prefixMatch {
	if b.matches[producer] == nil {
		b.matches[producer] = &prefixMatch{blocks: make([]int, b.Endpoints)}
	}
	return b.matches[producer]
}

// load is what a producer of that name counts.
func (b *builder) load(producer string) *inFlightLoad {
	if b.loads[producer] == nil {
		b.loads[producer] = &inFlightLoad{requests: make([]int64, b.Endpoints), tokens: make([]int64, b.Endpoints)}
	}
	return b.loads[producer]
}

// uncached is the part of load that says what the request under way would add.
func (b *builder) uncached(producer string) []int64 {
	l := b.load(producer)
	if l.uncached == nil {
		l.uncached = make([]int64, b.Endpoints)
	}
	return l.uncached
}

// inFlightLoad counts, by endpoint, requests that were routed there and have
// not ended, and tokens that wait to be computed.
type inFlightLoad struct {
	requests, tokens []int64
	// uncached are the tokens that the request under way would add to each; nil
	// where nobody asks.
	uncached []int64
}

// lists reports whether there is a plugin of a type.
func (b *builder) lists(typeName string) bool {
	return slices.ContainsFunc(b.document.Plugins, func(p *plugin) bool { return p.Type == typeName })
}
