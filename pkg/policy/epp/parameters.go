// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Checks that parameters of several plugins have in common.

func checkOneOf(l *loader, at *field.Path, value string, allowed []string) {
	if !slices.Contains(allowed, value) {
		l.add(field.NotSupported(at, value, allowed))
	}
}

// checkInterval checks how often a source is asked; empty is as often as can be.
func checkInterval(l *loader, at *field.Path, interval string) {
	if d, err := time.ParseDuration(interval); interval != "" && (err != nil || d < 0) {
		l.add(field.Invalid(at, interval, "must be a duration such as 100ms"))
	}
}

// checkMetricSpec checks the name of a metric, with labels or without.
func checkMetricSpec(l *loader, at *field.Path, spec string) {
	if spec != "" && !metricSpecForm.MatchString(spec) {
		l.add(field.Invalid(at, spec, "must be a metric such as vllm:num_requests_waiting or metric{label=value}"))
	}
}

const labelPair = `\s*[a-zA-Z_][a-zA-Z0-9_]*\s*=\s*("[^"]*"|[^",}\s]+)\s*`

// metricSpecForm is a Prometheus metric name with an optional block of labels.
var metricSpecForm = regexp.MustCompile(`^\s*[a-zA-Z_:][a-zA-Z0-9_:]*\s*(\{(\s*|` + labelPair + `(,` + labelPair + `)*)\})?\s*$`)
