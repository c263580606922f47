// SPDX-License-Identifier: Apache-2.0

package wva

import "time"

const (
	// Interval is the time between two decisions.
	Interval = 30 * time.Second
	// Window is the time over which the caller takes the maxima of a replica.
	Window = time.Minute
)

// Config is the entry default of the ConfigMap.
type Config struct {
	// KVCacheThreshold and QueueLengthThreshold are the KV usage and the queue from which on a
	// replica is saturated.
	KVCacheThreshold, QueueLengthThreshold float64
	// KVSpareTrigger and QueueSpareTrigger are the mean room below the thresholds below which the
	// analyser asks for a replica more.
	KVSpareTrigger, QueueSpareTrigger float64
}
