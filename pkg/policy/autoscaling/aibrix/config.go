// SPDX-License-Identifier: Apache-2.0

package aibrix

import "time"

// Resync is the time between two decisions.
const Resync = 10 * time.Second

// A Strategy is how the controller takes replicas from a metric.
type Strategy string

// The strategies.
const (
	// KPA takes the mean of the pods divided by the target for the number of replicas, whatever
	// number there is, over a long window, or over a short one in a panic.
	KPA Strategy = "KPA"
	// APA takes the number of replicas times the mean divided by the target.
	APA Strategy = "APA"
)

// Config is a PodAutoscaler.
type Config struct {
	Strategy Strategy
	Min, Max int
	// Targets are those of the metrics.
	Targets []float64
	// MaxScaleUpRate and MaxScaleDownRate are the factors by which the replicas grow and shrink at
	// most.
	MaxScaleUpRate, MaxScaleDownRate float64
	// UpTolerance and DownTolerance are the shares of a target by which a metric differs without a
	// change.
	UpTolerance, DownTolerance float64
	// PanicThreshold is the ratio of the short window to the long one above which there is a panic.
	PanicThreshold float64
	// UpCooldown and DownCooldown are how long recommendations count: the largest for more
	// replicas, and the smallest for fewer.
	UpCooldown, DownCooldown time.Duration
	// Window and PanicWindow are the long window and the short one.
	Window, PanicWindow time.Duration
}

// Default is a PodAutoscaler that states nothing.
func Default() Config {
	return Config{
		Min: 1, MaxScaleUpRate: 2, MaxScaleDownRate: 2, UpTolerance: 0.1, DownTolerance: 0.1, PanicThreshold: 2,
		DownCooldown: 300 * time.Second, Window: 180 * time.Second, PanicWindow: 60 * time.Second,
	}
}
