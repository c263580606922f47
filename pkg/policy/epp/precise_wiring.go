// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// A PreciseWiring says what reaches a plugin that keeps an index of the engines'
// caches.
type PreciseWiring struct {
	// Name is the plugin's, and Index its place in the document.
	Name  string
	Index int
	// Hears is whether engines' KV events reach it, Discovers whether it would
	// listen to engines that an endpoint source announces.
	Hears, Discovers bool
	// Workers is how many workers take KV events.
	Workers int
	// Estimates is whether the tokens that it hashes are estimated, and so never
	// match an engine's.
	Estimates bool
	// BlockTokens is the size of the index's blocks. SameSizeOnly is whether engines with blocks of another
	// size match nothing; without it, the tokens of an event are cut into blocks of the index.
	BlockTokens  int
	SameSizeOnly bool
	// Sockets is where it reads KV events, if it does.
	Sockets EventSockets
}

// EventSockets is where a plugin reads KV events over ZMQ, and in which form.
type EventSockets struct {
	// Listens is the address at which it listens for all engines; where it is empty, it connects to Port of
	// each engine.
	Listens string
	Port    int
	// ReplayPort is where an engine answers for events that were missed; 0 where it is not asked.
	ReplayPort int
	// Engine is the type of engines; empty for vLLM.
	Engine string
}

// PreciseWirings are those of all plugins with an index of the engines' caches, in
// the order of the document.
func PreciseWirings(c *config.Config) []PreciseWiring {
	rules := preciseRulesOf(&c.Dialect)
	var all []PreciseWiring
	for i, p := range c.Document.Plugins {
		parameters, ownTokens := preciseOf(c, i)
		if parameters == nil {
			continue
		}
		events := parameters.KVEventsConfig
		sockets := EventSockets{Listens: events.ZMQEndpoint, Engine: events.EngineType}
		if discovery := events.PodDiscoveryConfig; discovery != nil {
			sockets.Port, sockets.ReplayPort = discovery.SocketPort, max(discovery.ReplaySocketPort, 0)
		}
		all = append(all, PreciseWiring{
			Name:         p.Name,
			Index:        i,
			Hears:        parameters.hears(p.Name, rules, &c.Document),
			Discovers:    events.DiscoverPods && events.PodDiscoveryConfig != nil,
			Workers:      events.Concurrency,
			Estimates:    rules.needsEndpointSource && !ownTokens && scheduler.EstimatesTokens(&c.Document),
			BlockTokens:  parameters.blockTokens(),
			SameSizeOnly: rules.sameBlockSizeOnly,
			Sockets:      sockets,
		})
	}
	return all
}

// preciseOf returns the parameters of a plugin's index, and whether it has tokens of
// its own; nil where it has no index.
func preciseOf(c *config.Config, i int) (parameters *preciseParameters, ownTokens bool) {
	switch p := c.Document.Plugins[i].Parameters.(type) {
	case *preciseParameters:
		return p, false
	case *preciseScorerParameters:
		for _, before := range c.Document.Plugins[:i] {
			if before.Type == precisePrefixCacheProducerType {
				return nil, false // It scores what that one knows.
			}
		}
		return (*preciseParameters)(p), p.ownTokens()
	}
	return nil, false
}
