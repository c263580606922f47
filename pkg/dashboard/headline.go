// SPDX-License-Identifier: Apache-2.0

package dashboard

// headline is the figure that tells most of the object.
func (o *Object) headline() string {
	switch {
	case o.Best != nil && o.Unmet:
		return "none meets the constraints; least bad: " + o.Best.Summary
	case o.Best != nil:
		return "best: " + o.Best.Summary
	case o.Resource == Runs:
		for _, m := range o.Metrics {
			if m.Metric == "ttft.p99" {
				return "ttft.p99 " + valueText(m.Metric, m.Mean)
			}
		}
	}
	return ""
}
