// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// AllReduceTime is a measured all-reduce among the GPUs of a replica: how
// long it takes to sum messages of a given size, one message on each GPU.
type AllReduceTime struct {
	Bytes        int64   `json:"bytes"`
	Microseconds float64 `json:"microseconds"`
}

// AllReduceCurve is what a catalogue says of an accelerator's collectives among
// a number of GPUs: the time of each size, as far apart as straight lines between
// them allow.
type AllReduceCurve struct {
	TensorParallelism int `json:"tensorParallelism"`
	// EngineVersion is the release of vLLM that was measured; empty if the curve holds for
	// each.
	EngineVersion string    `json:"engineVersion,omitempty"`
	Bytes         []int64   `json:"bytes"`
	Microseconds  []float64 `json:"microseconds"`
	// Source names the measurement, in a few words.
	Source string `json:"source,omitempty"`
}

// version returns the release that was measured, and whether there is one.
func (c AllReduceCurve) version() (EngineVersion, bool) {
	version, err := ParseEngineVersion(c.EngineVersion, nil)
	return version, err == nil
}

// distance orders the curves of several releases by how well they suit an engine.
func (c AllReduceCurve) distance(engine EngineVersion) int {
	measured, ok := c.version()
	switch engine = engine.orDefault(); {
	case !ok:
		return 0
	case measured <= engine:
		return int(engine - measured)
	}
	return int(NewestEngineVersion) + int(measured-engine)
}

// Points returns the curve point by point.
func (c AllReduceCurve) Points() []AllReduceTime {
	points := make([]AllReduceTime, len(c.Bytes))
	for n, bytes := range c.Bytes {
		points[n] = AllReduceTime{bytes, c.Microseconds[n]}
	}
	return points
}

// reduceCurve is the time of a step's collectives by its new tokens: linear
// between the points, the first point's before it, and beyond the last one as
// steep as before it, but never falling. The points are in tokens and
// nanoseconds, slopes[n] in nanoseconds a token from point n on.
type reduceCurve struct{ tokens, ns, slopes []float64 }

// newReduceCurve takes what one collective costs; a step has a number of them,
// each with a message of a number of bytes a token.
func newReduceCurve(points []AllReduceTime, collectives, bytesPerToken float64) reduceCurve {
	var c reduceCurve
	for _, p := range points {
		c.tokens = append(c.tokens, float64(p.Bytes)/bytesPerToken)
		c.ns = append(c.ns, p.Microseconds*1e3*collectives)
	}
	for n := range len(points) - 1 {
		c.slopes = append(c.slopes, (c.ns[n+1]-c.ns[n])/(c.tokens[n+1]-c.tokens[n]))
	}
	c.slopes = append(c.slopes, max(0, c.slopes[len(points)-2]))
	return c
}

func (c *reduceCurve) of(tokens int64) float64 {
	x := float64(tokens)
	right := firstAtLeast(c.tokens, x)
	if right == 0 {
		return c.ns[0]
	}
	left := right - 1
	return c.ns[left] + float64(c.slopes[left]*(x-c.tokens[left]))
}

// validateCurves reports faults of an accelerator's curves.
func validateCurves(curves []AllReduceCurve, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	type key struct {
		gpus    int
		version EngineVersion
	}
	taken := map[key]bool{}
	for n, c := range curves {
		at := path.Index(n)
		if c.TensorParallelism < 2 {
			errs = append(errs, field.Invalid(at.Child("tensorParallelism"), c.TensorParallelism, "must be at least 2"))
		}
		version, known := c.version()
		if c.EngineVersion != "" && !known {
			_, err := ParseEngineVersion(c.EngineVersion, at.Child("engineVersion"))
			errs = append(errs, err)
		}
		if taken[key{c.TensorParallelism, version}] {
			errs = append(errs, field.Duplicate(at.Child("tensorParallelism"), c.TensorParallelism))
		}
		taken[key{c.TensorParallelism, version}] = true
		if c.Source != "" {
			errs = append(errs, validateLine(c.Source, at.Child("source"))...)
		}
		switch {
		case len(c.Bytes) < 2:
			errs = append(errs, field.Invalid(at.Child("bytes"), len(c.Bytes), "must have at least 2 sizes"))
		case len(c.Bytes) != len(c.Microseconds):
			errs = append(errs, field.Invalid(at.Child("microseconds"), len(c.Microseconds),
				fmt.Sprintf("must have a time for each of the %d sizes", len(c.Bytes))))
		default:
			errs = append(errs, c.validatePoints(at)...)
		}
	}
	return errs
}

func validateAllReduce(points []AllReduceTime, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(points) == 1 {
		errs = append(errs, field.Invalid(path, len(points), "must have at least 2 points, or none"))
	}
	for n := range points {
		at := path.Index(n)
		errs = append(errs, validatePoint(points, n, at.Child("bytes"), at.Child("microseconds"))...)
	}
	return errs
}

// validatePoint reports faults of point n, of its size and of its time.
func validatePoint(points []AllReduceTime, n int, bytes, microseconds *field.Path) field.ErrorList {
	var errs field.ErrorList
	p := points[n]
	if p.Bytes < 0 {
		errs = append(errs, field.Invalid(bytes, p.Bytes, "must be 0 or more"))
	} else if n > 0 && p.Bytes <= points[n-1].Bytes {
		errs = append(errs, field.Invalid(bytes, p.Bytes, fmt.Sprintf("must be more than the %d before it", points[n-1].Bytes)))
	}
	if !(p.Microseconds > 0 && p.Microseconds <= math.MaxInt32) {
		errs = append(errs, field.Invalid(microseconds, p.Microseconds, "must be greater than 0 and at most half an hour"))
	}
	return errs
}

func (c AllReduceCurve) validatePoints(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	points := c.Points()
	for n := range points {
		errs = append(errs, validatePoint(points, n, path.Child("bytes").Index(n), path.Child("microseconds").Index(n))...)
	}
	return errs
}
