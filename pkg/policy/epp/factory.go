// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A factory is a type of plugin that takes part in routing: for each of its roles it
// makes what an instance does.
type factory struct {
	pluginType

	// newFilter may return nil, which keeps all.
	newFilter   func(b *builder, p *plugin) filter
	newScorer   func(b *builder, p *plugin) scorer
	newPicker   func(b *builder, p *plugin, profile string) picker
	newProducer func(b *builder, p *plugin) producer
	newAdmitter func(b *builder, p *plugin) admitter
	newDetector func(b *builder, p *plugin) saturationDetector
	newDecider  func(b *builder, p *plugin) decider
}

// registered returns the factory with its registration.
func (f factory) registered(r registration) factory {
	f.registration = r
	return f
}

// Parts are what a scheduler is made of.
type Parts struct {
	// factories are those of all types that take part in routing.
	factories []*factory
	// newQueue makes flow control for a scheduler that has its detector.
	newQueue func(b *builder, s *Scheduler, c *Config) requestQueue
	// builtInDetector is the saturation detector of versions in which that is no
	// plugin.
	builtInDetector func(c *Config) saturationDetector
}

// noFactory is of types that do nothing to a request's route.
var noFactory = &factory{}

// factory returns the factory of an instance.
func (b *builder) factory(p *plugin) *factory {
	if f := b.factories[p.kind]; f != nil {
		return f
	}
	return noFactory
}

// A requestQueue is flow control: requests wait in it before they are scheduled.
type requestQueue interface {
	// route takes a request in, or turns it away.
	route(view *policy.View, request *policy.Request) error
	wake(now simtime.Time) (simtime.Time, bool)
	release(view *policy.View) (policy.Released, bool)
	isIdle() bool
	// evicts reports whether requests in flight may be evicted, and evict names one.
	evicts() bool
	evict() (request int, ok bool)
	// explain has tell told of requests that come to no profile; nil ends that.
	explain(tell func(request *policy.Request, err error))
}
