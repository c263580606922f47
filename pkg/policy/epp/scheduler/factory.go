// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A Factory is a type of plugin that takes part in routing: for each of its roles it
// makes what an instance does.
type Factory struct {
	config.PluginType

	// NewFilter may return nil, which keeps all.
	NewFilter   func(b *Builder, p *config.Plugin) Filter
	NewScorer   func(b *Builder, p *config.Plugin) Scorer
	NewPicker   func(b *Builder, p *config.Plugin, profile string) Picker
	NewProducer func(b *Builder, p *config.Plugin) Producer
	NewAdmitter func(b *Builder, p *config.Plugin) Admitter
	NewDetector func(b *Builder, p *config.Plugin) SaturationDetector
	NewDecider  func(b *Builder, p *config.Plugin) Decider
}

// Registered returns the factory with its registration.
func (f Factory) Registered(r version.Registration) Factory {
	f.Registration = r
	return f
}

// Parts are what a scheduler is made of.
type Parts struct {
	// Factories are those of all types that take part in routing.
	Factories []*Factory
	// NewQueue makes flow control for a scheduler that has its detector.
	NewQueue func(b *Builder, s *Scheduler, c *config.Config) RequestQueue
	// BuiltInDetector is the saturation detector of versions in which that is no
	// plugin.
	BuiltInDetector func(c *config.Config) SaturationDetector
}

// noFactory is of types that do nothing to a request's route.
var noFactory = &Factory{}

// Factory returns the factory of an instance.
func (b *Builder) Factory(p *config.Plugin) *Factory {
	if f := b.factories[p.Kind]; f != nil {
		return f
	}
	return noFactory
}

// A RequestQueue is flow control: requests wait in it before they are scheduled.
type RequestQueue interface {
	// Its saturation is the one that holds requests back.
	SaturationDetector
	// Route takes a request in, or turns it away.
	Route(view *policy.View, request *policy.Request) error
	Wake(now simtime.Time) (simtime.Time, bool)
	Release(view *policy.View) (policy.Released, bool)
	// Cancel gives a request up whose client has, and returns whether it waits here.
	Cancel(request int) bool
	IsIdle() bool
	// SetSpeed sets how many simulated seconds one second of the EPP's own timers takes.
	SetSpeed(speed float64)
	// Evicts reports whether requests in flight may be evicted, and evict names one.
	Evicts() bool
	Evict() (request int, ok bool)
	// Export adds what a monitoring system sees of the requests that wait.
	Export(view *policy.View, m *policy.RouterMetrics)
	// Explain has tell told of requests that come to no profile; nil ends that.
	Explain(tell func(request *policy.Request, err error))
}
