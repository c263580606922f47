// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"math"
	"sort"

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
type reduceCurve []struct{ tokens, ns float64 }

// newReduceCurve takes what one collective costs; a step has so many of them,
// each with a message of so many bytes a token.
func newReduceCurve(points []AllReducePoint, collectives, bytesPerToken float64) reduceCurve {
	curve := make(reduceCurve, len(points))
	for n, p := range points {
		curve[n].tokens = float64(p.Bytes) / bytesPerToken
		curve[n].ns = float64(p.Microseconds * 1e3 * collectives)
	}
	return curve
}

func (c reduceCurve) of(tokens int64) float64 {
	x := float64(tokens)
	right := sort.Search(len(c), func(i int) bool { return c[i].tokens >= x })
	if right == 0 {
		return c[0].ns
	}
	right = min(right, len(c)-1)
	from, to := c[right-1], c[right]
	slope := (to.ns - from.ns) / (to.tokens - from.tokens)
	if x > to.tokens {
		return to.ns + float64(max(0, slope)*(x-to.tokens))
	}
	return from.ns + float64(slope*(x-from.tokens))
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
