// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/json"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Confidence is the confidence level of every interval in this package.
const Confidence = 0.95

// Estimate is an interval as JSON holds it: from a single seed there is a mean
// and no interval, so low, high and stdDev are absent.
type Estimate stats.Interval

type estimateJSON struct {
	Mean   *float64 `json:"mean,omitempty"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	StdDev *float64 `json:"stdDev,omitempty"`
	N      int      `json:"n"`
}

// MarshalJSON leaves out what N observations do not give.
func (e Estimate) MarshalJSON() ([]byte, error) {
	out := estimateJSON{N: e.N}
	if e.N > 0 {
		out.Mean = &e.Mean
	}
	if e.N > 1 {
		out.Low, out.High, out.StdDev = &e.Low, &e.High, &e.StdDev
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Estimate) UnmarshalJSON(raw []byte) error {
	var in estimateJSON
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	*e = Estimate{N: in.N}
	if in.Mean != nil {
		e.Mean, e.Low, e.High = *in.Mean, *in.Mean, *in.Mean
	}
	if in.Low != nil && in.High != nil && in.StdDev != nil {
		e.Low, e.High, e.StdDev = *in.Low, *in.High, *in.StdDev
	}
	return nil
}

// Intervals holds intervals by the metric's canonical text. In JSON they are
// Estimates.
type Intervals map[string]stats.Interval

// MarshalJSON writes the metrics in sorted order.
func (i Intervals) MarshalJSON() ([]byte, error) {
	out := make(map[string]Estimate, len(i))
	for name, interval := range i {
		out[name] = Estimate(interval)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Intervals) UnmarshalJSON(raw []byte) error {
	var in map[string]Estimate
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	*i = make(Intervals, len(in))
	for name, e := range in {
		(*i)[name] = stats.Interval(e)
	}
	return nil
}
