// SPDX-License-Identifier: Apache-2.0

package config

import (
	"math"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Checks that parameters of several plugins have in common.

// CheckOneOf checks that a value is one of those allowed.
func CheckOneOf(l *Loader, at *field.Path, value string, allowed []string) {
	if !slices.Contains(allowed, value) {
		l.Add(field.NotSupported(at, value, allowed))
	}
}

// CheckTicks checks how often something happens, in seconds. The EPP makes a whole
// number of nanoseconds of it, and crashes where that is not positive.
func CheckTicks(l *Loader, at *field.Path, seconds float64) {
	if ns := seconds * 1e9; !(ns >= 1 && ns < math.MaxInt64) {
		l.Add(field.Invalid(at, seconds, "must be from 1e-9 to 9.2e9: the EPP crashes"))
	}
}

// CheckInterval checks how often a source is asked; empty is as often as can be.
func CheckInterval(l *Loader, at *field.Path, interval string) {
	if d, err := time.ParseDuration(interval); interval != "" && (err != nil || d < 0) {
		l.Add(field.Invalid(at, interval, "must be a duration such as 100ms"))
	}
}

// CheckMetricSpec checks the name of a metric, with labels or without.
func CheckMetricSpec(l *Loader, at *field.Path, spec string) {
	if spec != "" && !MetricSpecForm.MatchString(spec) {
		l.Add(field.Invalid(at, spec, "must be a metric such as vllm:num_requests_waiting or metric{label=value}"))
	}
}

const labelPair = `\s*[a-zA-Z_][a-zA-Z0-9_]*\s*=\s*("[^"]*"|[^",}\s]+)\s*`

// MetricSpecForm is a Prometheus metric name with an optional block of labels.
var MetricSpecForm = regexp.MustCompile(`^\s*[a-zA-Z_:][a-zA-Z0-9_:]*\s*(\{(\s*|` + labelPair + `(,` + labelPair + `)*)\})?\s*$`)
