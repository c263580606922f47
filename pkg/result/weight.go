// SPDX-License-Identifier: Apache-2.0

package result

// matters reports whether a measure belongs to the top of a comparison: what
// users feel, and derived measures, which the user asked for.
func (m Measure) matters() bool {
	return m.derived != nil || findFamily(m.metric.Name).audience == users
}

// hasBetter reports whether one direction of a measure is the better one.
func (m Measure) hasBetter() bool {
	return m.derived == nil && findFamily(m.metric.Name).audience != capacityPlanners
}
