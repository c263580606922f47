// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// ProgramAwareFairnessType is the type of the policy.
const ProgramAwareFairnessType = "program-aware-fairness"

// programAwareFairness lets the flow go next (strategy las) that has the greatest
// sum of
//
//	lasWeightService · (1 − service of its program) + lasWeightHeadWait · wait of its head,
//
// both scaled to [0, 1] over the flows that are not empty; where all are equal
// that is 0.5. The service of a program, which is the tenant, is the sum of
// prompt + 2·completion tokens over its answers, and halves each
// lasHalfLifeSeconds; waits are in whole milliseconds. Ties are left to chance.
//
// A program that has nothing in flight is forgotten evictionTtlSeconds after its
// last answer, when the next multiple of evictionSweepSeconds has come.
//
// Up to router-v0.10 service is forgotten by programs only that have nothing
// waiting and nothing in flight, whenever a flow of their band is picked: a half
// in lasHalfLifeSeconds or, where that is 0, a share of lasDecayFactor each time.
//
// Strategy turn-priority, since router-v0.11, is [programAwareFair.pickByTurns].
var programAwareFairness = flowFactory{
	PluginType: config.PluginType{
		Name:         ProgramAwareFairnessType,
		Registration: version.GIE("router-v0.9.."),
		Roles:        config.FlowControlRole | config.FairnessRole,
		Parameters: func() any {
			return &ProgramAwareParameters{
				Strategy:             leastAttainedService,
				EvictionTTLSeconds:   3600,
				EvictionSweepSeconds: 300,
				LASWeightService:     0.8,
				LASWeightHeadWait:    0.2,
				LASHalfLifeSeconds:   60,

				TurnPriorityTimeWeight:        0.5,
				TurnPriorityInactivitySeconds: 120,
			}
		},
		Treatment: treatFlowControl(config.Approximated, "programs are tenants; with strategy turn-priority and an agent-identity, sessions of the tenant "+unnamedTenant),
	},
	newFairness: func(b *scheduler.Builder, p *config.Plugin) fairness {
		return scheduler.Shared(b, p, func() *programAwareFair {
			a := newProgramAware(b, p)
			b.Connect(a)
			return a
		})
	},
}

// ProgramAwareParameters weigh what a program has been served against how long
// it waits.
type ProgramAwareParameters struct {
	Strategy             string  `json:"strategy"`
	EvictionTTLSeconds   float64 `json:"evictionTtlSeconds"`
	EvictionSweepSeconds float64 `json:"evictionSweepSeconds"`
	LASWeightService     float64 `json:"lasWeightService"`
	LASWeightHeadWait    float64 `json:"lasWeightHeadWait"`
	LASHalfLifeSeconds   float64 `json:"lasHalfLifeSeconds"`
	LASDecayFactor       float64 `json:"lasDecayFactor" versions:"router-v0.9..router-v0.10"`

	TurnPriorityTimeWeight        float64 `json:"turnPriorityTimeWeight" versions:"router-v0.11.."`
	TurnPriorityInactivitySeconds float64 `json:"turnPriorityInactivitySeconds" versions:"router-v0.11.."`
}

// Defaults sets those of a release.
func (p *ProgramAwareParameters) Defaults(at version.Release) {
	if at < version.RouterMain {
		p.LASHalfLifeSeconds, p.LASDecayFactor = 0, 0.99997
	}
}

const (
	leastAttainedService = "las"
	turnPriority         = "turn-priority"
)

// strategies are those of a release.
func strategies(at version.Release) []string {
	if at < version.Router11 {
		return []string{leastAttainedService}
	}
	return []string{leastAttainedService, turnPriority}
}

// Check reports values out of range.
func (p *ProgramAwareParameters) Check(l *config.Loader, path *field.Path) {
	if p.Strategy == "" {
		p.Strategy = leastAttainedService
	}
	if !slices.Contains(strategies(l.Clock), p.Strategy) {
		l.Add(unknownStrategy(path.Child("strategy"), p.Strategy, &l.Dialect))
	}
	for _, number := range []struct {
		name  string
		value float64
	}{
		{"evictionTtlSeconds", p.EvictionTTLSeconds}, {"lasWeightService", p.LASWeightService},
		{"lasWeightHeadWait", p.LASWeightHeadWait}, {"lasHalfLifeSeconds", p.LASHalfLifeSeconds},
		{"turnPriorityTimeWeight", p.TurnPriorityTimeWeight}, {"turnPriorityInactivitySeconds", p.TurnPriorityInactivitySeconds},
	} {
		if number.value < 0 {
			l.Add(field.Invalid(path.Child(number.name), number.value, "must not be negative"))
		}
	}
	if l.Dialect.Own < version.RouterMain && (p.LASDecayFactor <= 0 || p.LASDecayFactor > 1) {
		l.Add(field.Invalid(path.Child("lasDecayFactor"), p.LASDecayFactor, "must be greater than 0 and at most 1"))
	}
	if p.EvictionSweepSeconds <= 0 {
		l.Add(field.Invalid(path.Child("evictionSweepSeconds"), p.EvictionSweepSeconds, "must be greater than 0"))
	} else if p.EvictionTTLSeconds > 0 {
		config.CheckTicks(l, path.Child("evictionSweepSeconds"), p.EvictionSweepSeconds)
	}
}

type programAwareFair struct {
	parameters *ProgramAwareParameters
	programs   map[int]*program // by flow
	random     *stats.Stream
	// flowOf numbers flows, and so programs; unnamed is the flow of requests that name none.
	flowOf  flowNumbers
	unnamed int
	// services and waits are scratch space of pick.
	services, waits []float64
	// forgetsOnlyIdle says that programs forget as up to router-v0.10.
	forgetsOnlyIdle bool
	// swept is the last sweep after which idle programs were deleted, in seconds.
	swept float64
}

// program is what is known of a flow.
type program struct {
	service  float64
	as       simtime.Time // of service
	inFlight int
	// dispatched counts the requests that have left for an engine.
	dispatched int
	last       simtime.Time // end of the last answer
}

func newProgramAware(b *scheduler.Builder, p *config.Plugin) *programAwareFair {
	return &programAwareFair{
		parameters:      p.Parameters.(*ProgramAwareParameters),
		programs:        map[int]*program{},
		random:          stats.NewStream(b.Seed, "epp/"+p.Name),
		flowOf:          newFlowNumbers(b),
		unnamed:         unnamedFlow(b),
		forgetsOnlyIdle: b.Dialect.Own < version.RouterMain,
	}
}

func (a *programAwareFair) Pick(now simtime.Time, flows []*flow) *flow {
	if a.parameters.Strategy == turnPriority {
		return a.pickByTurns(now, flows)
	}
	if a.forgetsOnlyIdle {
		a.observeIdlePicks(now, flows, 1)
	}
	a.services, a.waits = a.services[:0], a.waits[:0]
	for _, f := range flows {
		head := f.head()
		if head == nil {
			continue
		}
		a.services = append(a.services, a.serviceOf(f.tenant, now))
		a.waits = append(a.waits, math.Floor(float64(now.Sub(head.since))/1e6))
	}
	scale(a.services)
	scale(a.waits)
	var best *flow
	highest, ties, i := math.Inf(-1), 0, 0
	for _, f := range flows {
		if f.head() == nil {
			continue
		}
		score := float64(a.parameters.LASWeightService*(1-a.services[i])) + float64(a.parameters.LASWeightHeadWait*a.waits[i])
		i++
		switch {
		case score > highest:
			best, highest, ties = f, score, 1
		case score == highest:
			ties++
			if a.random.IntN(ties) == 0 {
				best = f
			}
		}
	}
	return best
}

// scale brings values to [0, 1]; equal ones to 0.5.
func scale(values []float64) {
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		least, greatest = min(least, v), max(greatest, v)
	}
	for i, v := range values {
		values[i] = 0.5
		if greatest > least {
			values[i] = (v - least) / (greatest - least)
		}
	}
}

// program returns what is known of a flow.
func (a *programAwareFair) program(flow int, now simtime.Time) *program {
	p := a.programs[flow]
	if p == nil {
		a.deleteForgotten(now)
	}
	if p == nil || a.forgotten(p, now) {
		p = &program{as: now, last: now}
		a.programs[flow] = p
	}
	return p
}

// deleteForgotten frees the memory of forgotten programs, once after each sweep.
func (a *programAwareFair) deleteForgotten(now simtime.Time) {
	if at := a.lastSweep(now); at > a.swept {
		a.swept = at
		maps.DeleteFunc(a.programs, func(_ int, p *program) bool { return a.forgotten(p, now) })
	}
}

// lastSweep is when the last sweep was, in seconds.
func (a *programAwareFair) lastSweep(now simtime.Time) float64 {
	return float64(math.Floor(now.Seconds()/a.parameters.EvictionSweepSeconds) * a.parameters.EvictionSweepSeconds)
}

// forgotten reports whether a sweep has come upon a program that is idle.
func (a *programAwareFair) forgotten(p *program, now simtime.Time) bool {
	ttl := a.parameters.EvictionTTLSeconds
	if p.inFlight > 0 || ttl == 0 {
		return false
	}
	return a.lastSweep(now)-p.last.Seconds() > ttl
}

// serviceOf is a program's service, of which half is forgotten in each half-life.
func (a *programAwareFair) serviceOf(tenant int, now simtime.Time) float64 {
	p := a.program(tenant, now)
	if !a.forgetsOnlyIdle {
		a.halve(p, now)
	}
	return p.service
}

func (a *programAwareFair) halve(p *program, now simtime.Time) {
	if halfLife := a.parameters.LASHalfLifeSeconds; halfLife > 0 && now > p.as {
		p.service *= stats.Pow(2, -now.Sub(p.as).Seconds()/halfLife)
	}
	p.as = now
}

// observeIdlePicks lets idle programs forget, as that number of picks does.
func (a *programAwareFair) observeIdlePicks(now simtime.Time, flows []*flow, picks int64) {
	if !a.forgetsOnlyIdle {
		return
	}
	for _, f := range flows {
		p := a.programs[f.tenant]
		switch {
		case f.head() != nil || p == nil || p.inFlight > 0:
		case a.parameters.LASHalfLifeSeconds > 0:
			a.halve(p, now)
		default:
			p.service *= stats.Pow(a.parameters.LASDecayFactor, float64(picks))
		}
	}
}

func (a *programAwareFair) Routed(c *scheduler.Cycle, _ scheduler.Picks) {
	p := a.program(a.flowOf(c.Tenant, c.Session), c.Now)
	p.inFlight++
	p.dispatched++
}

func (a *programAwareFair) FirstToken(*policy.Request, int) {}

func (a *programAwareFair) Finished(request *policy.Request, _ int) {
	if p := a.programs[a.flowOf(request.Tenant, request.Session)]; p != nil {
		p.inFlight--
	}
}

// Used tells what an answer cost.
func (a *programAwareFair) Used(at simtime.Time, request *policy.Request, outputTokens int) {
	tenant := a.flowOf(request.Tenant, request.Session)
	a.serviceOf(tenant, at)
	p := a.programs[tenant]
	p.service += float64(request.Tokens + 2*outputTokens)
	p.as, p.last = at, at
}

// unknownStrategy is the error of a strategy that the version lacks, which may be that of a later one.
func unknownStrategy(at *field.Path, strategy string, d *version.Dialect) *field.Error {
	known := strategies(d.Own)
	if d.Fork {
		return field.Invalid(at, strategy, "there are "+strings.Join(known, ", ")+d.PerhapsNewer())
	}
	if slices.Contains(strategies(version.Router11), strategy) {
		return field.Invalid(at, strategy, fmt.Sprintf("there is %s; %s has %s", leastAttainedService, version.Router11, strategy))
	}
	return field.NotSupported(at, strategy, known)
}
