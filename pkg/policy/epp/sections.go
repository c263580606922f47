// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// defaultFlowControl makes the policies that the EPP makes whether or not flow
// control is on. It is off here, so that the section's settings other than the
// saturation detector have no effect.
func (l *loader) defaultFlowControl() {
	l.ensure(fcfsOrderingPolicyType)
	l.ensure(globalStrictFairnessPolicyType)
	l.ensure(staticUsageLimitPolicyType)

	at := l.path.Child("flowControl")
	section := *l.doc.FlowControl
	if section.NoEndpointRequestTTL != nil && l.dialect.framework < routerMain {
		l.unknownBefore(at.Child("noEndpointRequestTTL"))
	}
	rest := section
	rest.SaturationDetector = nil
	if !rest.isZero() {
		l.warn(at, "ignored, saturationDetector excepted: feature gate %s is off", flowControlGate)
	}
}

func (f *flowControl) isZero() bool {
	return f.MaxBytes == nil && f.MaxRequests == nil && f.DefaultRequestTTL == nil && f.NoEndpointRequestTTL == nil &&
		f.DefaultPriorityBand == nil && f.DefaultNegativePriorityBand == nil && len(f.PriorityBands) == 0 &&
		f.UsageLimitPolicyPluginRef == "" && f.SaturationDetector == nil && !f.EnableEviction
}

// defaultParsers lists the default parsers where none is listed, and makes
// parsers that are listed by type only.
func (l *loader) defaultParsers() {
	handler := l.doc.RequestHandler
	if len(handler.Parsers) == 0 {
		for _, name := range []string{openAIParserType, anthropicParserType, vllmHTTPParserType, passthroughParserType} {
			handler.Parsers = append(handler.Parsers, reference{PluginRef: name})
		}
	}
	for i, parser := range handler.Parsers {
		at := l.path.Child("requestHandler", "parsers").Index(i)
		if l.movedParser {
			at = l.path.Child("parser")
		}
		if l.byName[parser.PluginRef] == nil && lookup(l.dialect, parser.PluginRef) != nil {
			l.create(parser.PluginRef)
		}
		l.refer(parser.PluginRef, parserRole, "a parser", at.Child("pluginRef"))
	}
}

// tokensOff reports whether the EPP sees no prompt. A parser that claims no
// path takes all that is left, and the passthrough parser is one: where it
// comes first, nobody reads a body.
func (l *loader) tokensOff() bool {
	return l.byName[l.doc.RequestHandler.Parsers[0].PluginRef].Type == passthroughParserType
}

// defaultSaturationDetector fills in who tells how saturated the pool is.
func (l *loader) defaultSaturationDetector() {
	section, at := l.doc.FlowControl, l.path.Child("flowControl", "saturationDetector")
	if l.movedDetector {
		at = l.path.Child("saturationDetector")
	}
	if section.SaturationDetector == nil {
		section.SaturationDetector = &reference{}
	}
	detector := section.SaturationDetector
	if detector.PluginRef == "" {
		detector.PluginRef = utilizationDetectorType
	}
	if detector.PluginRef == utilizationDetectorType {
		l.ensure(utilizationDetectorType)
	}
	l.refer(detector.PluginRef, saturationDetectorRole, "a saturation detector", at.Child("pluginRef"))
}

// defaultDataLayer adds the metrics source unless one of its name is listed or
// the document objects.
func (l *loader) defaultDataLayer() {
	if l.doc.DataLayer == nil {
		l.doc.DataLayer = &dataLayer{}
	}
	section, at := l.doc.DataLayer, l.path.Child("dataLayer")
	if section.InjectDefaults == nil {
		inject := true
		section.InjectDefaults = &inject
	}
	l.checkDiscovery(section, at)
	if *section.InjectDefaults && !section.lists(metricsDataSourceType) {
		l.ensure(metricsDataSourceType)
		l.ensure(coreMetricsExtractorType)
		section.Sources = append(section.Sources, dataSource{
			PluginRef:  metricsDataSourceType,
			Extractors: []reference{{PluginRef: coreMetricsExtractorType}},
		})
	}
	seen := map[string]bool{}
	for i, source := range section.Sources {
		at := at.Child("sources").Index(i)
		l.refer(source.PluginRef, dataSourceRole, "a data source", at.Child("pluginRef"))
		if source.PluginRef != "" && seen[source.PluginRef] {
			l.add(field.Duplicate(at.Child("pluginRef"), source.PluginRef))
		}
		seen[source.PluginRef] = true
		l.checkExtractors(source, at.Child("extractors"))
	}
}

// checkExtractors checks one source's; of each type it may have one.
func (l *loader) checkExtractors(source dataSource, path *field.Path) {
	seen := map[string]bool{}
	for i, extractor := range source.Extractors {
		at := path.Index(i).Child("pluginRef")
		l.refer(extractor.PluginRef, extractorRole, "an extractor", at)
		p := l.byName[extractor.PluginRef]
		if p == nil {
			continue
		}
		if seen[p.Type] {
			l.add(field.Invalid(at, p.Name, fmt.Sprintf("the source has an extractor of type %s already", p.Type)))
		}
		seen[p.Type] = true
	}
}

func (d *dataLayer) lists(source string) bool {
	for _, s := range d.Sources {
		if s.PluginRef == source {
			return true
		}
	}
	return false
}

// checkHasSource is for after the producers were made: the in-flight producer and
// the topology extractor bring a source of their own, which is no plugin.
func (l *loader) checkHasSource() {
	if len(l.doc.DataLayer.Sources) > 0 {
		return
	}
	for _, p := range l.plugins {
		if p.Type == inFlightLoadProducerType || p.Type == topologyExtractorType {
			return
		}
	}
	l.add(field.Required(l.path.Child("dataLayer", "sources"), "the EPP does not start without a data source, and injectDefaults is false"))
}

// checkDiscovery checks what has no meaning without a cluster. No plugin that
// is built is a peer discovery or a cross-replica syncer.
func (l *loader) checkDiscovery(section *dataLayer, at *field.Path) {
	const none roles = 1 << 15
	if section.Discovery != nil {
		l.refer(section.Discovery.PluginRef, discoveryRole, "an endpoint discovery", at.Child("discovery", "pluginRef"))
	}
	if section.PeerDiscovery != nil {
		if l.dialect.framework < routerMain {
			l.unknownBefore(at.Child("peerDiscovery"))
		}
		l.refer(section.PeerDiscovery.PluginRef, none, "a peer discovery", at.Child("peerDiscovery", "pluginRef"))
	}
	if section.CrossReplicaSyncerPluginRef != "" {
		l.refer(section.CrossReplicaSyncerPluginRef, none, "a cross-replica syncer", at.Child("crossReplicaSyncerPluginRef"))
	}
	if section.CrossReplicaSyncInterval != nil {
		l.warn(at.Child("crossReplicaSyncInterval"), "no effect: one EPP replica is simulated")
		section.CrossReplicaSyncInterval = nil
	}
}

func (l *loader) unknownBefore(at *field.Path) {
	l.add(field.Forbidden(at, fmt.Sprintf("unknown field in %s; router-main has it", l.dialect.name)))
}

// scraped reports whether the engines' metrics reach the scorers.
func (l *loader) scraped() bool {
	for _, source := range l.doc.DataLayer.Sources {
		if l.byName[source.PluginRef].Type != metricsDataSourceType {
			continue
		}
		for _, extractor := range source.Extractors {
			if l.byName[extractor.PluginRef].Type == coreMetricsExtractorType {
				return true
			}
		}
	}
	return false
}
