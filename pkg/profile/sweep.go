// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"encoding/json"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// sweepStages are the stages of a rate search of inference-perf, which measures the saturation with a burst of requests
// and then sends stages with rates from 1 request/s up to it. The options say the saturation.
func (c *converter) sweepStages(in *object) []*object {
	in.ignore("num_requests", "timeout", "saturation_percentile")
	in.demand("", "type")
	kind := in.word("type", "", "linear", "geometric")
	n, seconds := in.whole("num_stages", 5, 1, maxStages/2), in.number("stage_duration", 180, 1, maxYear)
	c.used.saturation = true
	if c.Saturation == 0 {
		c.fault(field.Required(in.path, "inference-perf measures the saturation first, and its rates follow from that: state it in requests/s with --saturation; windtunnel size finds that of a simulated pool"))
		return nil
	}
	var stages []*object
	for i := range n {
		rate := decimal(sweepRate(kind, c.Saturation, i, n))
		stages = append(stages, &object{reader: in.reader, path: in.path, fields: map[string]any{"rate": json.Number(rate), "duration": json.Number(decimal(seconds))}})
	}
	return stages
}

// sweepRate is the rate of stage i of n, rounded to hundredths. Geometric rates lie close to the saturation.
func sweepRate(kind string, saturation float64, i, n int64) float64 {
	if n == 1 {
		return 1
	}
	share := float64(i) / float64(n-1)
	rate := 1 + float64(share*(saturation-1))
	if kind == "geometric" {
		rate = 1 + saturation - saturation*stats.Pow(1/saturation, share)
	}
	return math.Round(rate*100) / 100
}
