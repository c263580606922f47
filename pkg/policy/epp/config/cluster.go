// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"time"
)

// A Cluster is what a scheduler knows of the endpoints that it chooses from.
// All of them serve the model that every request asks for.
type Cluster struct {
	// Endpoints is how many there are, numbered from 0.
	Endpoints int
	// Names are what headers of requests call them; len == Endpoints, or nil.
	Names []string
	// Labels are those of the endpoints' pods, which do not change;
	// len == Endpoints, or nil where none has any.
	Labels []map[string]string
	// Attributes are numbers that the user pins, by endpoint: what plugins would
	// read of metrics that are not simulated. len == Endpoints, or nil.
	Attributes []map[string]float64
	// Latencies say how long the endpoints' engines take; len == Endpoints, or
	// nil, and then nothing is predicted: see [Config.Predicts].
	Latencies []LatencyModel
	// Prediction says how well these are predicted.
	Prediction PredictionModel
	// TieBreak is how max-score-pickers choose between equal scores; "" is as the
	// version does.
	TieBreak TieBreak
	// EventLag is how late the EPP hears of what engines store and evict.
	EventLag time.Duration
	// ScrapeInterval is how often the EPP asks the engines for their metrics; 0 means
	// [DefaultScrapeInterval].
	ScrapeInterval time.Duration
	// BytesPerToken is how many bytes the tokens of the workload have on
	// average, where the EPP counts bytes and reckons with 4 to a token; 0
	// means 4.
	BytesPerToken float64
	// Sessions is whether requests of the workload belong to conversations.
	Sessions bool
	// Headers are the sets of headers that requests of the workload carry, by name;
	// [policy.Request] numbers them from 1. No two names of a set differ in case
	// alone.
	Headers []map[string]string
	// Tenants are the names of the workload's tenants, by which flow control
	// orders flows, and Priorities those of its requests; nil where they are not
	// known.
	Tenants    []string
	Priorities []int
}

// Check panics for a cluster whose fields contradict each other.
func (c *Cluster) Check() {
	if c.Endpoints < 0 || c.Labels != nil && len(c.Labels) != c.Endpoints {
		panic(fmt.Sprintf("epp: %d endpoints with labels of %d", c.Endpoints, len(c.Labels)))
	}
	if c.Names != nil && len(c.Names) != c.Endpoints {
		panic(fmt.Sprintf("epp: %d endpoints with names of %d", c.Endpoints, len(c.Names)))
	}
	if c.Attributes != nil && len(c.Attributes) != c.Endpoints || c.Latencies != nil && len(c.Latencies) != c.Endpoints {
		panic(fmt.Sprintf("epp: %d endpoints with attributes of %d and latencies of %d", c.Endpoints, len(c.Attributes), len(c.Latencies)))
	}
	if c.EventLag < 0 {
		panic(fmt.Sprintf("epp: events arrive %v late", c.EventLag))
	}
	if c.BytesPerToken < 0 {
		panic(fmt.Sprintf("epp: tokens of %v bytes", c.BytesPerToken))
	}
	c.Prediction.Check()
	c.TieBreak.Check()
}

// TokenBytes is what BytesPerToken means. The cluster may be nil.
func (c *Cluster) TokenBytes() float64 {
	if c == nil || c.BytesPerToken == 0 {
		return EstimatedBytesPerToken
	}
	return c.BytesPerToken
}

// Labelled reports whether some endpoint has a label. The cluster may be nil.
func (c *Cluster) Labelled() bool {
	return c != nil && slices.ContainsFunc(c.Labels, func(labels map[string]string) bool { return len(labels) > 0 })
}

// DefaultScrapeInterval is the EPP's own.
const DefaultScrapeInterval = 50 * time.Millisecond

// RoleLabel says which stages of a request a pod serves.
const RoleLabel = "llm-d.ai/role"

// EstimatedBytesPerToken is how many bytes the estimate backend takes for a token.
const EstimatedBytesPerToken = 4
