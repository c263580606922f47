// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
)

// label is the place of a label's value in labels.
type label int

const (
	metricName label = iota
	pod
	pool
	deployment
	modelName
	targetModelName
	inferencePool
	variantName
	name
	stageName
	endpointName
	producerName
	detectorName
	statusName
	serverEndpoint
	serverPod
	priority
	le

	labelCount
)

var labelNames = [labelCount]string{"__name__", "pod", "pool", "deployment", "model_name", "target_model_name", "inference_pool", "variant_name", "name", "stage", "endpoint_name", "producer_name", "detector", "status", "model_server_endpoint", "model_server_pod", "priority", "le"}

// labelOf returns the label with a name.
func labelOf(text string) (label, bool) {
	at := slices.Index(labelNames[:], text)
	return label(at), at >= 0
}

// labels are the labels of a series. One without a value is not there.
type labels [labelCount]string

// String returns the labels as Prometheus writes them.
func (l *labels) String() string {
	var b strings.Builder
	b.WriteString(l[metricName] + "{")
	separator := ""
	for i := metricName + 1; i < labelCount; i++ {
		if l[i] != "" {
			b.WriteString(separator + labelNames[i] + `="` + l[i] + `"`)
			separator = ","
		}
	}
	return b.String() + "}"
}

// interner has each set of labels once, so that equal sets have one address.
type interner map[labels]*labels

func (in interner) get(l labels) *labels {
	if known := in[l]; known != nil {
		return known
	}
	in[l] = &l
	return &l
}

// projection keeps some labels of a set.
type projection struct {
	keep [labelCount]bool
	in   interner
	done map[*labels]*labels
}

func newProjection(in interner, keep func(label) bool) *projection {
	p := &projection{in: in, done: map[*labels]*labels{}}
	for l := range labelCount {
		p.keep[l] = keep(l)
	}
	return p
}

// withoutName keeps all labels but the name of the metric.
func withoutName(in interner) *projection {
	return newProjection(in, func(l label) bool { return l != metricName })
}

// of returns what is left of a set.
func (p *projection) of(l *labels) *labels {
	if left := p.done[l]; left != nil {
		return left
	}
	var left labels
	for i := range left {
		if p.keep[i] {
			left[i] = l[i]
		}
	}
	p.done[l] = p.in.get(left)
	return p.done[l]
}
