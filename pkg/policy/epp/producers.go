// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// defaultProducers makes the producers of data that plugins need and nobody
// provides; those may need more.
func (l *loader) defaultProducers() {
	// The list grows as the loop goes on.
	for i := 0; i < len(l.plugins); i++ {
		p := l.plugins[i]
		if p.kind.needs == nil {
			continue
		}
		for _, key := range p.kind.needs(p) {
			if !l.produced(key) {
				l.createProducer(p, key)
			}
		}
	}
}

func (l *loader) produced(key dataKey) bool {
	for _, p := range l.plugins {
		// The EPP looks for this key before it makes any producer.
		if p.kind.produces == nil || key.kind == uncachedTokensData && p.created {
			continue
		}
		for _, k := range p.kind.produces(p) {
			if k == key {
				return true
			}
		}
	}
	return false
}

func (l *loader) createProducer(consumer *plugin, key dataKey) {
	name := defaultProducer(key.kind)
	switch {
	case key.kind == poolMetricsData:
		l.add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s in the list", consumer.Type, multiclusterMetricsExtractorType)))
	case key.kind == coreMetricsData:
		l.add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s; list one, or do not set dataLayer.injectDefaults to false", consumer.Type, coreMetricsExtractorType)))
	case key.kind == uncachedTokensData && key.producer == inFlightLoadProducerType:
		l.add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s in the list: no default provides the %s", consumer.Type, inFlightLoadProducerType, key.kind)))
	case key.producer != name:
		l.add(field.Invalid(consumer.path.Child("parameters"), key.producer, fmt.Sprintf("no plugin of this name produces the %s that %s needs", key.kind, consumer.Name)))
	case l.byName[name] != nil:
		l.add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("needs the %s of %s, and that name belongs to a %s", key.kind, name, l.byName[name].Type)))
	default:
		l.create(name)
	}
}
