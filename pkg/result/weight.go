// SPDX-License-Identifier: Apache-2.0

package result

import "slices"

// Users feel these metrics: latencies, promises kept, and requests that were not
// served.
var feltByUsers = []string{
	"ttft", "tpot", "itl", "e2e", "goodput", "attainment", "completionRate", "rejectionRate", "unfinishedRate", "failureRate", "costPerGoodRequest",
}

// These metrics tell how replicas were used. Less of it is no loss where the
// same requests were served as well.
var useOfReplicas = []string{
	"utilization", "kvUsage", "evictions", "cpuTier", "storageTier", "linkUtilization", "linkConcurrency", "handoffs", "warmup",
}

// matters reports whether a measure belongs to the top of a comparison: what
// users feel, and derived measures, which somebody asked for.
func (m Measure) matters() bool {
	return m.derived != nil || slices.Contains(feltByUsers, m.metric.Name)
}

// hasBetter reports whether one direction of a measure is the better one.
func (m Measure) hasBetter() bool {
	return m.derived == nil && !slices.Contains(useOfReplicas, m.metric.Name)
}
