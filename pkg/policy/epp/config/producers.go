// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A producerLoader makes the producers of data that plugins need.
type producerLoader struct{ *Loader }

// defaultProducers makes the producers of data that plugins need and no plugin
// provides. Up to gie-v1.4 plugins keep their data themselves.
func (l producerLoader) defaultProducers() {
	l.step = producersStep
	switch {
	case l.Dialect.Framework < version.GIE15:
	case l.Dialect.Framework < version.SchedulerMay:
		l.producerOfPrefixScorer()
		l.checkLoadTypes()
	case l.Dialect.Framework < version.Router09:
		l.producersByType()
	default:
		l.producersByKey()
	}
}

// producerOfPrefixScorer is the one producer that gie-v1.5 makes: with the
// parameters of the last prefix-cache-scorer, which do not stand elsewhere.
func (l producerLoader) producerOfPrefixScorer() {
	var last *Plugin
	for _, p := range l.Plugins {
		switch p.Type {
		case PrefixCacheScorerType:
			last = p
		case ApproxPrefixCacheProducerType:
			return
		}
	}
	if last == nil {
		return
	}
	producer := l.create(ApproxPrefixCacheProducerType)
	at := last.path.Child("parameters")
	producer.Parameters = l.defaultParameters(producer.Kind)
	faults, _ := document.DecodeParameters(last.given, producer.Parameters, l.Dialect.Framework, false, at)
	l.addAt(factoriesStep, faults...)
	if len(faults) == 0 {
		l.step = factoriesStep
		l.checkParameters(producer, at)
	}
}

// checkLoadTypes is about a fault of gie-v1.5: its scorer of in-flight tokens and
// their producer do not agree on the type of the data, and the EPP does not start
// with both.
func (l producerLoader) checkLoadTypes() {
	var consumer, producer *Plugin
	for _, p := range l.Plugins {
		switch p.Type {
		case TokenLoadScorerType:
			consumer = p
		case InFlightLoadProducerType:
			producer = p
		}
	}
	if consumer != nil && producer != nil {
		l.addAt(producerLoopStep, field.Invalid(producer.path, producer.Name, fmt.Sprintf("%s does not start with both %s and %s: they do not agree on the type of InFlightLoadKey", l.Dialect.Name, producer.Type, consumer.Type)))
	}
}

// producersByType makes each default producer once, unless there is an instance
// of its type. What the producers need in turn is not looked at.
func (l producerLoader) producersByType() {
	listed := slices.Clone(l.Plugins)
	for _, p := range listed {
		for _, kind := range p.Kind.NeededInMay {
			typeName := defaultProducer(kind)
			if !slices.ContainsFunc(l.Plugins, func(p *Plugin) bool { return p.Type == typeName }) {
				l.create(typeName).implied = true
			}
		}
	}
}

// producersByKey makes producers of what is needed by name; those may need more.
func (l producerLoader) producersByKey() {
	// The list grows as the loop goes on.
	for i := 0; i < len(l.Plugins); i++ {
		p := l.Plugins[i]
		if p.Kind.Needs == nil {
			continue
		}
		for _, key := range p.Kind.Needs(p) {
			// Up to router-v0.10 what is scraped is no data that a plugin must have.
			scraped := key.Kind == coreMetricsData && l.Dialect.Framework < version.RouterMain
			if !scraped && !l.produced(key) {
				l.createProducer(p, key)
			}
		}
	}
}

func (l producerLoader) produced(key DataKey) bool {
	for _, p := range l.Plugins {
		// The EPP looks for this key before it makes any producer.
		if p.Kind.Produces == nil || key.Kind == UncachedTokensData && p.created && l.Dialect.Framework < version.Router11 {
			continue
		}
		for _, k := range p.Kind.Produces(p) {
			if k == key {
				return true
			}
		}
	}
	return false
}

func (l producerLoader) createProducer(consumer *Plugin, key DataKey) {
	name := defaultProducer(key.Kind)
	if key.Kind == UncachedTokensData && l.Dialect.Framework >= version.Router11 {
		name = InFlightLoadProducerType
	}
	switch {
	case key.Kind == PoolMetricsData:
		l.Add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s in the list", consumer.Type, MulticlusterMetricsExtractorType)))
	case key.Kind == coreMetricsData:
		l.Add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s; list one, or do not set dataLayer.injectDefaults to false", consumer.Type, CoreMetricsExtractorType)))
	case key.Kind == UncachedTokensData && key.Producer == InFlightLoadProducerType && l.Dialect.Framework < version.Router11:
		l.Add(field.Invalid(consumer.path, consumer.Name, fmt.Sprintf("a %s needs a plugin of type %s in the list: no default provides the %s", consumer.Type, InFlightLoadProducerType, key.Kind)))
	case key.Producer != name:
		l.Add(field.Invalid(consumer.path.Child("parameters"), key.Producer, fmt.Sprintf("no plugin of this name produces the %s that %s needs", key.Kind, consumer.Name)))
	case l.ByName[name] != nil:
		// The EPP looks no further, and starts.
		l.Notice(consumer.path, "missing-data", "%s goes without %s: the name of their producer, %s, belongs to a %s", consumer.Name, key.Kind, name, l.ByName[name].Type)
	default:
		l.create(name)
	}
}
