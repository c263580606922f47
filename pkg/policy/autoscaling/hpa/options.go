// SPDX-License-Identifier: Apache-2.0

package hpa

import "time"

// Options are settings of the controller, the same for all autoscalers of a cluster.
type Options struct {
	// SyncPeriod is how often the caller calls Sync.
	SyncPeriod time.Duration
	// Tolerance is how far a ratio may be from 1 without a change, where the behaviour of the
	// direction does not say.
	Tolerance float64
	// DownscaleStabilisation is the window of scaling down, where the behaviour does not say.
	DownscaleStabilisation time.Duration
	// CPUInitialisation is how long after its start the CPU samples of a pod are in doubt.
	CPUInitialisation time.Duration
	// InitialReadinessDelay is how long after its start a pod that is not ready counts as one
	// that never was.
	InitialReadinessDelay time.Duration
}

// DefaultOptions returns the defaults of kube-controller-manager.
func DefaultOptions() Options {
	return Options{
		SyncPeriod:             15 * time.Second,
		Tolerance:              0.1,
		DownscaleStabilisation: 5 * time.Minute,
		CPUInitialisation:      5 * time.Minute,
		InitialReadinessDelay:  30 * time.Second,
	}
}
