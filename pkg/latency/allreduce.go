// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// AllReducePoint is a measured all-reduce among the GPUs of a replica: how
// long it takes to sum messages of so many bytes, one message on each GPU.
type AllReducePoint struct {
	Bytes        int64   `json:"bytes"`
	Microseconds float64 `json:"microseconds"`
}

// reduceCurve is the time of a step's collectives by its new tokens: linear
// between the points, the first point's before it, and beyond the last one as
// steep as before it. The points are in tokens and nanoseconds.
type reduceCurve struct{ tokens, ns []float64 }

// newReduceCurve takes what one collective costs; a step has so many of them,
// each with a message of so many bytes a token.
func newReduceCurve(points []AllReducePoint, collectives, bytesPerToken float64) reduceCurve {
	var c reduceCurve
	for _, p := range points {
		c.tokens = append(c.tokens, float64(p.Bytes)/bytesPerToken)
		c.ns = append(c.ns, p.Microseconds*1e3*collectives)
	}
	return c
}

func (c *reduceCurve) of(tokens int64) float64 {
	x := float64(tokens)
	right := firstAtLeast(c.tokens, x)
	if right == 0 {
		return c.ns[0]
	}
	right = min(right, len(c.ns)-1)
	left, last := right-1, c.tokens[right]
	slope := (c.ns[right] - c.ns[left]) / (last - c.tokens[left])
	if x > last {
		return c.ns[right] + float64(max(0, slope)*(x-last))
	}
	return c.ns[left] + float64(slope*(x-c.tokens[left]))
}

func validateAllReduce(points []AllReducePoint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(points) == 1 {
		errs = append(errs, field.Invalid(path, len(points), "must have at least 2 points, or none"))
	}
	for n, p := range points {
		at := path.Index(n)
		if p.Bytes < 0 {
			errs = append(errs, field.Invalid(at.Child("bytes"), p.Bytes, "must be 0 or more"))
		} else if n > 0 && p.Bytes <= points[n-1].Bytes {
			errs = append(errs, field.Invalid(at.Child("bytes"), p.Bytes,
				fmt.Sprintf("must be more than the %d before it", points[n-1].Bytes)))
		}
		if !(p.Microseconds > 0 && p.Microseconds <= math.MaxInt32) {
			errs = append(errs, field.Invalid(at.Child("microseconds"), p.Microseconds,
				"must be greater than 0 and at most half an hour"))
		}
	}
	return errs
}
