// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// defaultFlowControl makes the policies that the EPP makes whether or not flow
// control is on.
func (l *loader) defaultFlowControl() {
	for _, made := range []struct {
		typeName string
		since    release
	}{
		{fcfsOrderingPolicyType, scheduler06},
		{globalStrictFairnessPolicyType, scheduler06},
		{staticUsageLimitPolicyType, gie15},
	} {
		if l.dialect.framework >= made.since {
			l.ensure(made.typeName)
		}
	}
	rest := *l.doc.FlowControl
	rest.SaturationDetector = nil
	if !l.on(flowControlGate) && !rest.isZero() {
		text := "ignored: feature gate %s is off"
		if l.dialect.framework >= router09 {
			text = "ignored, saturationDetector excepted: feature gate %s is off"
		}
		l.notice(l.path.Child("flowControl"), "flow-control-without-gate", text, flowControlGate)
	}
}

func (f *flowControl) isZero() bool {
	return f.MaxBytes == nil && f.MaxRequests == nil && f.DefaultRequestTTL == nil && f.NoEndpointRequestTTL == nil &&
		f.DefaultPriorityBand == nil && f.DefaultNegativePriorityBand == nil && len(f.PriorityBands) == 0 &&
		f.UsageLimitPolicyPluginRef == "" && f.BandSelectionPolicyPluginRef == "" && f.SaturationDetector == nil && !f.EnableEviction
}

// defaultParsers lists the default parsers where none is listed, and makes
// parsers that are listed by type only. Versions up to gie-v1.4 have none.
func (l *loader) defaultParsers() {
	switch {
	case l.dialect.framework < gie15:
		return
	case l.dialect.framework < router09:
		l.defaultParser()
		return
	}
	handler := l.doc.RequestHandler
	if handler.PropagatePriority {
		l.notice(l.path.Child("requestHandler", "propagatePriority"), "no-effect", "no effect here: engines do not look at priorities")
	}
	if len(handler.Parsers) == 0 {
		for _, name := range []string{openAIParserType, anthropicParserType, vllmHTTPParserType} {
			handler.Parsers = append(handler.Parsers, reference{PluginRef: name})
		}
		if l.dialect.framework >= routerMain {
			handler.Parsers = append(handler.Parsers, reference{PluginRef: passthroughParserType})
		}
	}
	for i, parser := range handler.Parsers {
		at := l.parserPath(i)
		if l.byName[parser.PluginRef] == nil {
			if l.types.lookup(l.dialect, parser.PluginRef) == nil {
				l.addAt(defaultsStep, field.Invalid(at, parser.PluginRef, "no plugin has this name"+l.nearestName(parser.PluginRef)))
				continue
			}
			l.createListed(parser.PluginRef, at)
		}
		l.step = parsersStep
		l.refer(parser.PluginRef, parserRole, "a parser", at)
	}
}

// createListed makes a plugin that a reference names by its type alone, which
// may need parameters.
func (l *loader) createListed(typeName string, at *field.Path) {
	l.step = defaultsStep
	before := len(l.faults)
	l.create(typeName)
	for i := range l.faults[before:] {
		l.faults[before+i].err.Field = at.String()
	}
}

func (l *loader) parserPath(i int) *field.Path {
	if l.movedParser {
		return l.path.Child("parser", "pluginRef")
	}
	return l.path.Child("requestHandler", "parsers").Index(i).Child("pluginRef")
}

// defaultParser is for the versions with one. Of a name that there is not, they
// make the default parser, and then miss the name.
func (l *loader) defaultParser() {
	handler := l.doc.RequestHandler
	if len(handler.Parsers) == 0 {
		handler.Parsers = []reference{{PluginRef: openAIParserType}}
	}
	if l.byName[handler.Parsers[0].PluginRef] == nil {
		l.create(openAIParserType)
	}
	l.step = parsersStep
	l.refer(handler.Parsers[0].PluginRef, parserRole, "a parser", l.path.Child("parser", "pluginRef"))
}

// tokensOff reports whether the EPP sees no prompt. A parser that claims no
// path takes all that is left, and the passthrough parser is one: where it
// comes first, nobody reads a body.
func (l *loader) tokensOff() bool {
	parsers := l.doc.RequestHandler.Parsers
	return len(parsers) > 0 && l.byName[parsers[0].PluginRef].Type == passthroughParserType
}

// defaultSaturationDetector fills in who tells how saturated the pool is. Up to
// gie-v1.4 that is no plugin, but see [legacyDetector].
func (l *loader) defaultSaturationDetector() {
	if l.dialect.framework < gie15 {
		return
	}
	section, at := l.doc.FlowControl, l.path.Child("flowControl", "saturationDetector")
	if l.movedDetector {
		at = l.path.Child("saturationDetector")
	}
	if section.SaturationDetector == nil {
		section.SaturationDetector = &reference{}
	}
	detector := section.SaturationDetector
	setDefault(&detector.PluginRef, utilizationDetectorType)
	if detector.PluginRef == utilizationDetectorType {
		l.ensure(utilizationDetectorType)
	}
	l.step = detectorStep
	if l.byName[detector.PluginRef] == nil {
		l.step = detectorRefStep
	}
	l.refer(detector.PluginRef, saturationDetectorRole, "a saturation detector", at.Child("pluginRef"))
}

// defaultDataLayer adds the metrics source where the version does, and checks
// what the sources name.
func (l *loader) defaultDataLayer() {
	l.step = dataLayerStep
	given := l.doc.DataLayer
	if given == nil {
		l.doc.DataLayer = &dataLayer{}
	}
	section := l.doc.DataLayer
	switch {
	case l.dialect.framework < gie15:
		l.checkOptionalDataLayer(given)
	case l.dialect.framework < schedulerMay:
		// A section, even an empty one, is left as it is.
		if given == nil && !l.on(legacyMetricsGate) {
			l.injectMetrics(section)
		}
	case l.on(legacyMetricsGate):
	default:
		if section.InjectDefaults == nil {
			inject := true
			section.InjectDefaults = &inject
		}
		if *section.InjectDefaults && !section.lists(metricsDataSourceType) {
			l.injectMetrics(section)
		}
	}
	if !l.on(legacyMetricsGate) {
		l.checkReferencesOfSources(section)
	}
}

// checkOptionalDataLayer is for the versions that had it behind a gate.
func (l *loader) checkOptionalDataLayer(given *dataLayer) {
	at := l.path.Child("data")
	switch on := l.on(dataLayerGate); {
	case l.dialect.framework < gie13:
	case on && (given == nil || l.dialect.framework >= scheduler06 && given.Sources == nil):
		l.add(field.Required(at, "must be set where the feature gate "+dataLayerGate+" is on"))
	case !on && given != nil && l.dialect.framework < scheduler06:
		l.add(field.Forbidden(at, "needs the feature gate "+dataLayerGate))
	}
}

func (l *loader) injectMetrics(section *dataLayer) {
	l.ensure(metricsDataSourceType)
	l.ensure(coreMetricsExtractorType)
	section.Sources = append(section.Sources, dataSource{
		PluginRef:  metricsDataSourceType,
		Extractors: []reference{{PluginRef: coreMetricsExtractorType}},
	})
}

func (l *loader) dataLayerPath() *field.Path {
	if l.doc.Data != nil {
		return l.path.Child("data")
	}
	return l.path.Child("dataLayer")
}

func (l *loader) checkReferencesOfSources(section *dataLayer) {
	at := l.dataLayerPath()
	l.checkCrossReplica(section, at)
	// Since router-v0.9 the EPP takes any plugin here, and asks when it starts.
	sourceUse, extractorUse := dataSourceRole, extractorRole
	if l.dialect.framework >= router09 {
		sourceUse, extractorUse = 0, 0
	}
	for i, source := range section.Sources {
		at := at.Child("sources").Index(i)
		l.refer(source.PluginRef, sourceUse, "a data source", at.Child("pluginRef"))
		for j, e := range source.Extractors {
			l.refer(e.PluginRef, extractorUse, "an extractor", at.Child("extractors").Index(j).Child("pluginRef"))
		}
	}
}

// noRole is that of what no type that is registered is.
const noRole roles = 1 << 31

// checkCrossReplica checks how EPP replicas sync, in a section of its own since
// llm-d.ai/v1.
func (l *loader) checkCrossReplica(section *dataLayer, at *field.Path) {
	given := crossReplica{section.CrossReplicaSyncerPluginRef, section.CrossReplicaSyncInterval, section.CrossReplicaPublishTimeout}
	syncer, interval, timeout := at.Child("crossReplicaSyncerPluginRef"), at.Child("crossReplicaSyncInterval"), at.Child("crossReplicaPublishTimeout")
	if section.CrossReplica != nil {
		given, at = *section.CrossReplica, at.Child("crossReplica")
		syncer, interval, timeout = at.Child("syncerPluginRef"), at.Child("syncInterval"), at.Child("publishTimeout")
	}
	if given.SyncerPluginRef != "" {
		l.refer(given.SyncerPluginRef, noRole, "a cross-replica syncer", syncer)
	}
	for _, unused := range []struct {
		value *duration
		at    *field.Path
	}{{given.SyncInterval, interval}, {given.PublishTimeout, timeout}} {
		if unused.value != nil {
			l.notice(unused.at, "no-effect", "no effect: there is nothing to sync the replicas with")
		}
	}
	section.CrossReplicaSyncInterval, section.CrossReplicaPublishTimeout, section.CrossReplica = nil, nil, nil
}

func (d *dataLayer) lists(source string) bool {
	return slices.ContainsFunc(d.Sources, func(s dataSource) bool { return s.PluginRef == source })
}

// checkSources is for the start of the EPP: what it would not connect. The
// in-flight producer and the topology extractor bring a source of their own,
// which is no plugin.
func (l *loader) checkSources() {
	switch {
	case l.dialect.framework < gie15:
		l.checkGatedSources()
		return
	case l.on(legacyMetricsGate):
		return
	}
	at := l.path.Child("dataLayer", "sources")
	seen := map[string]bool{}
	for i, source := range l.doc.DataLayer.Sources {
		at := at.Index(i)
		if seen[source.PluginRef] && l.dialect.framework >= router09 {
			l.add(field.Duplicate(at.Child("pluginRef"), source.PluginRef))
		}
		seen[source.PluginRef] = true
		l.refer(source.PluginRef, dataSourceRole, "a data source", at.Child("pluginRef"))
		l.checkExtractors(source, at.Child("extractors"))
	}
	brings := func(p *plugin) bool { return p.Type == inFlightLoadProducerType || p.Type == topologyExtractorType }
	if len(seen) == 0 && !slices.ContainsFunc(l.plugins, brings) {
		l.add(field.Required(at, "the EPP does not start without a data source"))
	}
}

// checkGatedSources is for the versions with a gate for the data layer, which scrape
// the engines by themselves without it.
func (l *loader) checkGatedSources() {
	for i, source := range l.doc.DataLayer.Sources {
		for j, extractor := range source.Extractors {
			if p := l.byName[extractor.PluginRef]; p.Type == modelServerProtocolMetricsType && !l.on(dataLayerGate) {
				l.add(field.Invalid(l.dataLayerPath().Child("sources").Index(i).Child("extractors").Index(j), p.Name, "needs the feature gate "+dataLayerGate))
			}
		}
	}
}

// checkExtractors checks one source's; of each type it may have one.
func (l *loader) checkExtractors(source dataSource, path *field.Path) {
	seen := map[string]bool{}
	for i, extractor := range source.Extractors {
		at := path.Index(i).Child("pluginRef")
		p := l.byName[extractor.PluginRef]
		switch {
		case !p.has(extractorRole):
			l.add(field.Invalid(at, p.Name, fmt.Sprintf("a %s is not an extractor", p.Type)))
		case seen[p.Type]:
			l.add(field.Invalid(at, p.Name, fmt.Sprintf("the source has an extractor of type %s already", p.Type)))
		}
		seen[p.Type] = true
	}
}

// checkDiscovery checks what has no meaning without a cluster. The EPP asks for
// peers only where it has them.
func (l *loader) checkDiscovery() {
	section, at := l.doc.DataLayer, l.path.Child("dataLayer")
	switch {
	case section.Discovery == nil:
	case l.dialect.framework >= router11:
		l.checkDiscoveries(section.Discovery, at.Child("discovery"))
	case l.dialect.framework >= router09:
		l.refer(section.Discovery.PluginRef, discoveryRole, "an endpoint discovery", at.Child("discovery", "pluginRef"))
	}
	if section.PeerDiscovery != nil {
		l.notice(at.Child("peerDiscovery"), "no-effect", "no effect: EPP replicas do not know each other")
		section.PeerDiscovery = nil
	}
}

// checkDiscoveries is for the versions that discover endpoints and peers.
func (l *loader) checkDiscoveries(section *discovery, at *field.Path) {
	endpoints := at.Child("endpoints", "pluginRef")
	if old := section.PluginRef; old != "" {
		l.notice(at.Child("pluginRef"), "deprecated", "deprecated, use dataLayer.discovery.endpoints.pluginRef")
		if section.Endpoints == nil {
			section.Endpoints, endpoints = &reference{PluginRef: old}, at.Child("pluginRef")
		}
		section.PluginRef = ""
	}
	if section.Endpoints != nil {
		l.refer(section.Endpoints.PluginRef, discoveryRole, "an endpoint discovery", endpoints)
	}
	if section.Peers != nil {
		l.refer(section.Peers.PluginRef, peerDiscoveryRole, "a peer discovery", at.Child("peers", "pluginRef"))
		l.notice(at.Child("peers"), "no-effect", "no effect: EPP replicas do not know each other")
		section.Peers = nil
	}
}

// scraped reports whether the engines' metrics reach the scorers. Where the data
// layer is not in charge of them, the EPP scrapes by itself.
func (l *loader) scraped() bool {
	if l.dialect.framework < gie15 && !l.on(dataLayerGate) || l.on(legacyMetricsGate) {
		return true
	}
	extractors := []string{coreMetricsExtractorType, modelServerProtocolMetricsType}
	for _, source := range l.doc.DataLayer.Sources {
		if l.byName[source.PluginRef].Type != metricsDataSourceType {
			continue
		}
		for _, extractor := range source.Extractors {
			if slices.Contains(extractors, l.byName[extractor.PluginRef].Type) {
				return true
			}
		}
	}
	return false
}
