// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// defaultProducers makes the producers of data that plugins need and nobody
// provides. Up to gie-v1.4 plugins keep their data themselves.
func (l *loader) defaultProducers() {
	l.step = producersStep
	switch {
	case l.dialect.framework < gie15:
	case l.dialect.framework < schedulerMay:
		l.producerOfPrefixScorer()
		l.checkLoadTypes()
	case l.dialect.framework < router09:
		l.producersByType()
	default:
		l.producersByKey()
	}
}

// producerOfPrefixScorer is the one producer that gie-v1.5 makes: with the
// parameters of the last prefix-cache-scorer, which do not stand elsewhere.
func (l *loader) producerOfPrefixScorer() {
	var last *plugin
	for _, p := range l.plugins {
		switch p.Type {
		case prefixCacheScorerType:
			last = p
		case approxPrefixCacheProducerType:
			return
		}
	}
	if last == nil {
		return
	}
	producer := l.create(approxPrefixCacheProducerType)
	at := last.path.Child("parameters")
	producer.Parameters = l.defaultParameters(producer.kind)
	faults, _ := decodeParameters(last.given, producer.Parameters, l.dialect.framework, false, at)
	l.addAt(factoriesStep, faults...)
	if len(faults) == 0 {
		l.step = factoriesStep
		l.checkParameters(producer, at)
	}
}

// checkLoadTypes is about a fault of gie-v1.5: its scorer of in-flight tokens and
// their producer do not agree on the type of the data, and the EPP does not start
// with both.
func (l *loader) checkLoadTypes() {
	var consumer, producer *plugin
	for _, p := range l.plugins {
		switch p.Type {
		case tokenLoadScorerType:
			consumer = p
		case inFlightLoadProducerType:
			producer = p
		}
	}
	if consumer != nil && producer != nil {
		l.addAt(producerLoopStep, field.Invalid(producer.path, producer.Name, fmt.Sprintf("%s does not start with both %s and %s: they do not agree on the type of InFlightLoadKey", l.dialect.name, producer.Type, consumer.Type)))
	}
}

// producersByType makes each default producer once, unless there is an instance
// of its type. What the producers need in turn is not looked at.
func (l *loader) producersByType() {
	listed := slices.Clone(l.plugins)
	for _, p := range listed {
		for _, kind := range p.kind.neededInMay {
			typeName := defaultProducer(kind)
			if !slices.ContainsFunc(l.plugins, func(p *plugin) bool { return p.Type == typeName }) {
				l.create(typeName).implied = true
			}
		}
	}
}

// producersByKey makes producers of what is needed by name; those may need more.
func (l *loader) producersByKey() {
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
		if p.kind.produces == nil || key.kind == uncachedTokensData && p.created && l.dialect.framework < router11 {
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
	if key.kind == uncachedTokensData && l.dialect.framework >= router11 {
		name = inFlightLoadProducerType
	}
	switch {
	case key.kind == poolMetricsData:
		l.add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s in the list", consumer.Type, multiclusterMetricsExtractorType)))
	case key.kind == coreMetricsData:
		l.add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s; list one, or do not set dataLayer.injectDefaults to false", consumer.Type, coreMetricsExtractorType)))
	case key.kind == uncachedTokensData && key.producer == inFlightLoadProducerType && l.dialect.framework < router11:
		l.add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s in the list: no default provides the %s", consumer.Type, inFlightLoadProducerType, key.kind)))
	case key.producer != name:
		l.add(field.Invalid(consumer.path.Child("parameters"), key.producer, fmt.Sprintf("no plugin of this name produces the %s that %s needs", key.kind, consumer.Name)))
	case l.byName[name] != nil:
		// The EPP looks no further, and starts.
		l.notice(consumer.path, "missing-data", "%s goes without %s: the name of their producer, %s, belongs to a %s", consumer.Name, key.kind, name, l.byName[name].Type)
	default:
		l.create(name)
	}
}
