// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"cmp"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// An Admitter says whether a request may be routed at all. It is asked after
// the producers have been told of the request.
type Admitter interface {
	Admits(c *Cycle) bool
}

// A SaturationDetector says how much of the pool's capacity is taken; 1 is all
// of it.
type SaturationDetector interface {
	Saturation(c *Cycle) float64
}

// A Filter returns the candidates that stay, in their order. It may change and
// return the slice that it is given.
type Filter interface {
	Filter(c *Cycle, candidates []int) []int
}

// A preservingFilter does not change the slice that it is given.
type preservingFilter interface {
	Filter
	Preserves()
}

// A lastingFilter keeps an endpoint for each request or for none.
type lastingFilter interface {
	Filter
	Lasts()
}

// A Scorer writes the weighted score of candidates[i] to scores[i]. There is at
// least one candidate. Where the EPP's scorer leaves an endpoint out, its raw
// score is 0.
type Scorer interface {
	Score(c *Cycle, candidates []int, w Weight, scores []float64)
}

// A rescorer is a scorer most of whose scores stay from one request to the next.
type rescorer interface {
	Scorer
	// Rescore brings the scores up to date where the scrapes of some candidates have changed
	// since the last call, and the candidates are the same. An endpoint's score has the index
	// indexOf[endpoint], which is [None] for one that is no candidate. It returns all endpoints
	// whose scores it may have changed, perhaps with some that are no candidates, and reports
	// false where Score has to be called.
	Rescore(c *Cycle, changed, indexOf []int32, w Weight, scores []float64) (rescored []int32, ok bool)
}

// A ranker is a scorer that can put all endpoints in the order of their scores by ranks, most of
// which stay where each request changes all scores.
type ranker interface {
	Scorer
	// KeepRanks has it keep ranks, and reports whether it can.
	KeepRanks() bool
	// Ranks returns the tops of the ranks of all endpoints. Those above a bound are in the order
	// of the scores, and tied where these are.
	Ranks() (tops *ScoreTops, above float64)
}

// A Weight is what a raw score counts, once it is clamped.
type Weight struct{ factor, least, greatest float64 }

// NewWeight clamps raw scores to [0, 1], as the EPP does.
func NewWeight(factor float64) Weight { return Weight{factor, 0, 1} }

// rawWeight leaves raw scores as they are.
func rawWeight() Weight { return Weight{1, math.Inf(-1), math.Inf(1)} }

// Of returns the weighted score of a raw one.
func (w Weight) Of(raw float64) float64 {
	if raw <= w.least {
		raw = w.least
	} else if raw > w.greatest {
		raw = w.greatest
	}
	return float64(w.factor * raw)
}

// separates reports whether raw scores that differ by a part in 2^48 or more have weighted ones that
// differ: the factor is positive, and products are far from what a float64 cannot hold.
func (w Weight) separates() bool { return w.factor > 1e-200 && w.factor < 1e200 }

// A Picker chooses an index of scores, of which there is at least one. Those of
// the EPP choose several in order of preference; only the first one serves.
type Picker interface {
	Pick(scores []float64) int
	// LeftToChance reports whether it takes a draw to choose among such scores.
	LeftToChance(scores []float64) bool
}

// A topPicker picks one of the highest scores by their number alone.
type topPicker interface {
	Picker
	// PickTied returns how many of the tied scores come before the one that it picks.
	PickTied(tied int) int
}

// A Producer keeps the data that filters and scorers read. It sees a
// request before the profile runs.
type Producer interface {
	Produce(c *Cycle)
}

// A PickListener is a plugin that learns of the picks.
type PickListener interface {
	Routed(c *Cycle, p Picks)
}

// A profilePickListener is a scorer that learns in gie-v0.5, before the next profile runs, what
// its own picked.
type profilePickListener interface {
	Picked(c *Cycle, endpoint int)
}

// A ResponseListener learns of an answer's first chunk and of its end.
type ResponseListener interface {
	FirstToken(request *policy.Request, endpoint int)
	Finished(request *policy.Request, endpoint int)
}

// A FirstTokenListener is a ResponseListener that learns when an answer begins, just before it learns
// that it does.
type FirstTokenListener interface {
	ResponseListener
	FirstTokenAt(at simtime.Time, request *policy.Request)
}

// A DetectorExporter is a saturation detector of several, whose saturations a monitoring system sees.
type DetectorExporter interface {
	SaturationDetector
	// Export adds the saturations that the detectors had when flow control last asked.
	Export(m *policy.RouterMetrics)
	// Vacate says that no endpoint serves a stage: its saturations are 0.
	Vacate(stage Stage)
}

// A UsageListener learns what an answer cost, just before it learns of its end.
type UsageListener interface {
	Used(at simtime.Time, request *policy.Request, outputTokens int)
}

// An EndpointListener learns with each request, before anything is decided, which endpoints are gone.
type EndpointListener interface {
	ForgetGone(c *Cycle)
}

// A Builder makes the instances of one scheduler and connects them.
type Builder struct {
	config.Cluster
	Seed     int64
	Dialect  version.Dialect
	Config   *config.Config
	Document *config.EffectiveDocument
	Plugins  map[string]*config.Plugin // by name
	// Prepares is whether producers run before the profiles, in versions where that
	// is behind a gate.
	Prepares bool
	// factories are by the types of their instances.
	factories map[*config.PluginType]*Factory
	Stages    config.Stages
	// Profile is the name of the one that is being made.
	Profile string
	matches map[string]*PrefixMatch
	loads   map[string]*InFlightLoad
	// predictions are by the name of their producer.
	predictions map[string]*LatencyPrediction
	tokens      map[tokenHeader]*SessionTokens
	// Instances are those that several profiles have in common, by name.
	Instances map[string]any
	// rotation is what the pickers have in common where ties are taken in turn.
	rotation rotation

	// believer is the index of caches that beliefs are taken from; nil where there is
	// none.
	believer          Believer
	pickListeners     []PickListener
	responseListeners []ResponseListener
	endpointListeners []EndpointListener
	// Digesters hear of the engines' caches.
	Digesters      []kvindex.Digester
	usageListeners []UsageListener
	// firstTokenListeners learn when answers begin.
	firstTokenListeners []FirstTokenListener
}

// NewBuilder returns the builder of one scheduler.
func NewBuilder(parts Parts, c *config.Config, cluster config.Cluster, seed int64) *Builder {
	b := &Builder{
		Cluster:     cluster,
		Seed:        seed,
		Dialect:     c.Dialect,
		Config:      c,
		Document:    &c.Document,
		factories:   map[*config.PluginType]*Factory{},
		Plugins:     map[string]*config.Plugin{},
		Stages:      c.Stages,
		Prepares:    c.Prepares(),
		matches:     map[string]*PrefixMatch{},
		loads:       map[string]*InFlightLoad{},
		predictions: map[string]*LatencyPrediction{},
		tokens:      map[tokenHeader]*SessionTokens{},
		Instances:   map[string]any{},
	}
	for _, p := range c.Document.Plugins {
		b.Plugins[p.Name] = p
	}
	for _, f := range parts.Factories {
		b.factories[&f.PluginType] = f
	}
	return b
}

// Scheduler makes all instances and the scheduler of them. It is called once.
func (b *Builder) Scheduler(parts Parts, c *config.Config) *Scheduler {
	s := &Scheduler{
		Endpoints:            b.Endpoints,
		prefillHeaderMissing: c.Stages.PrefillHeaderMissing,
		tokensOff:            c.TokensOff,
		scraped:              c.Scraped,
		unscraped:            make([]policy.Scrape, b.Endpoints),
	}
	for _, p := range c.Document.Plugins {
		newProducer := b.Factory(p).NewProducer
		if newProducer == nil {
			continue
		}
		made := newProducer(b, p)
		if made == nil {
			continue
		}
		s.Producers = append(s.Producers, made)
		b.Connect(made)
		if w, ok := made.(window); ok {
			s.burst.windows = append(s.burst.windows, w)
		}
	}
	// Counts of uncached tokens and predictions follow from prefix matches.
	slices.SortStableFunc(s.Producers, func(a, b Producer) int { return cmp.Compare(rank(a), rank(b)) })
	b.admission(parts, c, s)
	s.Staged = newStaged(b, c)
	s.PickListeners, s.responseListeners, s.usageListeners, s.endpointListeners = b.pickListeners, b.responseListeners, b.usageListeners, b.endpointListeners
	s.firstTokenListeners = b.firstTokenListeners
	if EstimatesTokens(&c.Document) {
		s.estimate.ratio = b.TokenBytes() / config.EstimatedBytesPerToken
	}
	s.believer = b.believer
	for _, name := range c.LoadProducers() {
		s.exportedLoads = append(s.exportedLoads, b.Load(name))
	}
	s.feed = kvindex.Feed{Lag: b.EventLag, Digesters: b.Digesters}
	s.tracer = b.newTracer(c)
	return s
}

// A matchReader is a producer whose data follow from prefix matches.
type matchReader interface{ ReadsMatches() }

func rank(p Producer) int {
	if _, ok := p.(matchReader); ok {
		return 1
	}
	return 0
}

// admission makes what may turn a request away before any endpoint is looked at.
func (b *Builder) admission(parts Parts, c *config.Config, s *Scheduler) {
	if ref := c.Document.FlowControl.SaturationDetector; ref != nil {
		detector := b.Plugins[ref.PluginRef]
		s.Detector = b.Factory(detector).NewDetector(b, detector)
	} else {
		s.Detector = parts.BuiltInDetector(c)
	}
	if c.FlowControlled() {
		s.flow = parts.NewQueue(b, s, c)
	}
	for _, p := range c.Document.Plugins {
		if newAdmitter := b.Factory(p).NewAdmitter; newAdmitter != nil {
			s.Admitters = append(s.Admitters, newAdmitter(b, p))
		}
	}
}

// Connect registers a plugin, once, for the events that it listens to.
func (b *Builder) Connect(made any) {
	if x, ok := made.(Believer); ok {
		b.believe(x)
	}
	if f, ok := made.(PickListener); ok && !slices.Contains(b.pickListeners, f) {
		b.pickListeners = append(b.pickListeners, f)
	}
	if l, ok := made.(ResponseListener); ok && !slices.Contains(b.responseListeners, l) {
		b.responseListeners = append(b.responseListeners, l)
	}
	if w, ok := made.(EndpointListener); ok && !slices.Contains(b.endpointListeners, w) {
		b.endpointListeners = append(b.endpointListeners, w)
	}
	if l, ok := made.(FirstTokenListener); ok && !slices.Contains(b.firstTokenListeners, l) {
		b.firstTokenListeners = append(b.firstTokenListeners, l)
	}
	if s, ok := made.(UsageListener); ok && !slices.Contains(b.usageListeners, s) {
		b.usageListeners = append(b.usageListeners, s)
	}
}

// Shared is for an instance that remembers requests: all profiles that it is in
// have the same one.
func Shared[T any](b *Builder, p *config.Plugin, build func() T) T {
	if b.Instances[p.Name] == nil {
		b.Instances[p.Name] = build()
	}
	return b.Instances[p.Name].(T)
}

// LabelsOf returns nil where an endpoint has none.
func (b *Builder) LabelsOf(endpoint int) map[string]string {
	if b.Labels == nil {
		return nil
	}
	return b.Labels[endpoint]
}

// PrefixMatch is what a producer of that name knows of the request.
func (b *Builder) PrefixMatch(producer string) *PrefixMatch {
	if b.matches[producer] == nil {
		b.matches[producer] = &PrefixMatch{Blocks: make([]int, b.Endpoints)}
	}
	return b.matches[producer]
}

// Load is what a producer of that name counts.
func (b *Builder) Load(producer string) *InFlightLoad {
	if b.loads[producer] == nil {
		b.loads[producer] = &InFlightLoad{Requests: make([]int64, b.Endpoints), Tokens: make([]int64, b.Endpoints)}
	}
	return b.loads[producer]
}

// LoadWithRequest is Load that also counts what the request under way would add.
func (b *Builder) LoadWithRequest(producer string) *InFlightLoad {
	l := b.Load(producer)
	if l.Cached == nil {
		l.Cached = make([]int64, b.Endpoints)
	}
	return l
}

// InFlightLoad counts, by endpoint, requests that were routed there and have
// not ended, and tokens that wait to be computed.
type InFlightLoad struct {
	Requests, Tokens []int64
	// Uncached is how many tokens the request under way would add to an endpoint that holds
	// nothing of its prompt. Cached, by endpoint, are those that it would not add; nil if they are
	// not needed.
	Uncached int64
	Cached   []int64
	holders  []int32 // endpoints with cached tokens
	// ranks are Cached less Tokens, where endpoints with few tokens are looked for; nil otherwise.
	ranks *ScoreTops
	// stranded are the exported counts of endpoints that are gone; nil if no endpoint is gone.
	stranded []policy.InFlight
}

// Expect begins with a request that would add that many tokens.
func (l *InFlightLoad) Expect(uncached int64) {
	for _, e := range l.holders {
		l.Cached[e] = 0
		l.rank(int(e))
	}
	l.Uncached, l.holders = uncached, l.holders[:0]
}

// ExpectCached says how many tokens the request under way would not add to an endpoint.
func (l *InFlightLoad) ExpectCached(endpoint int, tokens int64) {
	l.holders = append(l.holders, int32(endpoint))
	l.Cached[endpoint] = tokens
	l.rank(endpoint)
}

// AddTokens adds tokens in flight, or takes them off.
func (l *InFlightLoad) AddTokens(endpoint int, tokens int64) {
	l.Tokens[endpoint] += tokens
	l.rank(endpoint)
}

// KeepRanks has the load rank all endpoints from now on.
func (l *InFlightLoad) KeepRanks() {
	if l.ranks == nil {
		l.ranks = newScoreTops(len(l.Tokens))
	}
}

// Ranks are the tops of Cached less Tokens.
func (l *InFlightLoad) Ranks() *ScoreTops { return l.ranks }

func (l *InFlightLoad) rank(endpoint int) {
	if l.ranks != nil {
		l.ranks.set(endpoint, float64(l.Cached[endpoint]-l.Tokens[endpoint]))
	}
}

// Strand forgets what is in flight at an endpoint that is gone. Where the version keeps the
// series of such an endpoint (router-v0.10, until llm-d-router pull request 2577), the metrics
// keep its last value.
func (l *InFlightLoad) Strand(endpoint int, keepsSeries bool) {
	if keepsSeries {
		if l.stranded == nil {
			l.stranded = make([]policy.InFlight, len(l.Requests))
		}
		l.stranded[endpoint].Requests += l.Requests[endpoint]
		l.stranded[endpoint].Tokens += l.Tokens[endpoint]
	}
	l.Requests[endpoint] = 0
	l.AddTokens(endpoint, -l.Tokens[endpoint])
}

// export adds the counts of each endpoint.
func (l *InFlightLoad) export(to []policy.InFlight) {
	for e := range l.Requests {
		to[e].Requests += l.Requests[e]
		to[e].Tokens += l.Tokens[e]
	}
	for e, old := range l.stranded {
		to[e].Requests += old.Requests
		to[e].Tokens += old.Tokens
	}
}

// Lists reports whether there is a plugin of a type.
func (b *Builder) Lists(typeName string) bool {
	return slices.ContainsFunc(b.Document.Plugins, func(p *config.Plugin) bool { return p.Type == typeName })
}
