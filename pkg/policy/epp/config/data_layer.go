// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A dataLayerLoader completes and checks the section dataLayer, called data before gie-v1.5.
type dataLayerLoader struct{ *Loader }

// defaultDataLayer adds the metrics source where the version does, and checks
// what the sources name.
func (l dataLayerLoader) defaultDataLayer() {
	l.step = dataLayerStep
	given := l.Doc.DataLayer
	if given == nil {
		l.Doc.DataLayer = &dataLayer{}
	}
	section := l.Doc.DataLayer
	switch {
	case l.Dialect.Framework < version.GIE15:
		l.checkOptionalDataLayer(given)
	case l.Dialect.Framework < version.SchedulerMay:
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
		if *section.InjectDefaults && !section.Lists(MetricsDataSourceType) {
			l.injectMetrics(section)
		}
	}
	if !l.on(legacyMetricsGate) {
		l.checkReferencesOfSources(section)
	}
}

// checkOptionalDataLayer is for the versions that had it behind a gate.
func (l dataLayerLoader) checkOptionalDataLayer(given *dataLayer) {
	at := l.path.Child("data")
	switch on := l.on(dataLayerGate); {
	case l.Dialect.Framework < version.GIE13:
	case on && (given == nil || l.Dialect.Framework >= version.Scheduler06 && given.Sources == nil):
		l.Add(field.Required(at, "must be set where the feature gate "+dataLayerGate+" is on"))
	case !on && given != nil && l.Dialect.Framework < version.Scheduler06:
		l.Add(field.Forbidden(at, "needs the feature gate "+dataLayerGate))
	}
}

func (l dataLayerLoader) injectMetrics(section *dataLayer) {
	l.ensure(MetricsDataSourceType)
	l.ensure(CoreMetricsExtractorType)
	section.Sources = append(section.Sources, DataSource{
		PluginRef:  MetricsDataSourceType,
		Extractors: []Reference{{PluginRef: CoreMetricsExtractorType}},
	})
}

func (l dataLayerLoader) dataLayerPath() *field.Path {
	if l.Doc.Data != nil {
		return l.path.Child("data")
	}
	return l.path.Child("dataLayer")
}

func (l dataLayerLoader) checkReferencesOfSources(section *dataLayer) {
	at := l.dataLayerPath()
	l.checkCrossReplica(section, at)
	// Since router-v0.9 the EPP takes any plugin here, and asks when it starts.
	sourceUse, extractorUse := DataSourceRole, ExtractorRole
	if l.Dialect.Framework >= version.Router09 {
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

// checkCrossReplica checks how EPP replicas sync, in a section of its own since
// llm-d.ai/v1.
func (l dataLayerLoader) checkCrossReplica(section *dataLayer, at *field.Path) {
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
		value *document.Duration
		at    *field.Path
	}{{given.SyncInterval, interval}, {given.PublishTimeout, timeout}} {
		if unused.value != nil {
			l.Notice(unused.at, "no-effect", "no effect: there is nothing to sync the replicas with")
		}
	}
	section.CrossReplicaSyncInterval, section.CrossReplicaPublishTimeout, section.CrossReplica = nil, nil, nil
}

// checkSources is for the start of the EPP: what it would not connect. The
// in-flight producer and the topology extractor bring a source of their own,
// which is no plugin.
func (l dataLayerLoader) checkSources() {
	switch {
	case l.Dialect.Framework < version.GIE15:
		l.checkGatedSources()
		return
	case l.on(legacyMetricsGate):
		return
	}
	at := l.path.Child("dataLayer", "sources")
	seen := map[string]bool{}
	for i, source := range l.Doc.DataLayer.Sources {
		at := at.Index(i)
		p := l.ByName[source.PluginRef]
		key := sourceKey(p)
		// Of a source of endpoints the EPP keeps the last one.
		if seen[key] && l.Dialect.Framework >= version.Router09 && p.Kind.Payload != EndpointPayload {
			l.Add(field.Duplicate(at.Child("pluginRef"), key))
		}
		seen[key] = true
		l.refer(source.PluginRef, DataSourceRole, "a data source", at.Child("pluginRef"))
		l.checkExtractors(source, at.Child("extractors"))
	}
	brings := func(p *Plugin) bool { return p.Type == InFlightLoadProducerType || p.Type == TopologyExtractorType }
	if len(seen) == 0 && !slices.ContainsFunc(l.Plugins, brings) {
		l.Add(field.Required(at, "the EPP does not start without a data source"))
	}
}

// A keyedSource has parameters by which the EPP tells sources apart, not by their names.
type keyedSource interface{ SourceKey() string }

// sourceKey is what two sources must not share.
func sourceKey(p *Plugin) string {
	if keyed, ok := p.Parameters.(keyedSource); ok {
		return keyed.SourceKey()
	}
	return p.Name
}

// checkGatedSources is for the versions with a gate for the data layer, which scrape
// the engines by themselves without it.
func (l dataLayerLoader) checkGatedSources() {
	for i, source := range l.Doc.DataLayer.Sources {
		for j, extractor := range source.Extractors {
			if p := l.ByName[extractor.PluginRef]; p.Type == ModelServerProtocolMetricsType && !l.on(dataLayerGate) {
				l.Add(field.Invalid(l.dataLayerPath().Child("sources").Index(i).Child("extractors").Index(j), p.Name, "needs the feature gate "+dataLayerGate))
			}
		}
	}
}

// checkExtractors checks one source's: of each type it may have one, and each must
// take what the source hands out.
func (l dataLayerLoader) checkExtractors(source DataSource, path *field.Path) {
	seen := map[string]bool{}
	for i, extractor := range source.Extractors {
		p := l.ByName[extractor.PluginRef]
		if seen[p.Type] {
			l.Add(field.Invalid(path.Index(i).Child("pluginRef"), p.Name, fmt.Sprintf("the source has an extractor of type %s already", p.Type)))
		}
		seen[p.Type] = true
	}
	from := l.ByName[source.PluginRef]
	for i, extractor := range source.Extractors {
		switch p, at := l.ByName[extractor.PluginRef], path.Index(i).Child("pluginRef"); {
		case !p.Has(ExtractorRole) || p.Kind.Payload == "":
			l.Add(field.Invalid(at, p.Name, "no data source can have the type "+p.Type+" as an extractor"))
		case from.Has(DataSourceRole) && p.Kind.Payload != from.Kind.Payload:
			l.Add(field.Invalid(at, p.Name, fmt.Sprintf("the extractor takes %s, and the source hands out %s", p.Kind.Payload, from.Kind.Payload)))
		}
	}
}

// checkDiscovery checks what has no meaning without a cluster. The EPP asks for
// peers only where it has them.
func (l dataLayerLoader) checkDiscovery() {
	section, at := l.Doc.DataLayer, l.path.Child("dataLayer")
	switch {
	case section.Discovery == nil:
	case l.Dialect.Framework >= version.Router11:
		l.checkDiscoveries(section.Discovery, at.Child("discovery"))
	case l.Dialect.Framework >= version.Router09:
		l.refer(section.Discovery.PluginRef, DiscoveryRole, "an endpoint discovery", at.Child("discovery", "pluginRef"))
	}
	if section.PeerDiscovery != nil {
		l.Notice(at.Child("peerDiscovery"), "no-effect", "no effect: EPP replicas do not know each other")
		section.PeerDiscovery = nil
	}
}

// checkDiscoveries is for the versions that discover endpoints and peers.
func (l dataLayerLoader) checkDiscoveries(section *discovery, at *field.Path) {
	endpoints := at.Child("endpoints", "pluginRef")
	if old := section.PluginRef; old != "" {
		l.Notice(at.Child("pluginRef"), "deprecated", "deprecated, use dataLayer.discovery.endpoints.pluginRef")
		if section.Endpoints == nil {
			section.Endpoints, endpoints = &Reference{PluginRef: old}, at.Child("pluginRef")
		}
		section.PluginRef = ""
	}
	if section.Endpoints != nil {
		l.refer(section.Endpoints.PluginRef, DiscoveryRole, "an endpoint discovery", endpoints)
	}
	if section.Peers != nil {
		l.refer(section.Peers.PluginRef, PeerDiscoveryRole, "a peer discovery", at.Child("peers", "pluginRef"))
		l.Notice(at.Child("peers"), "no-effect", "no effect: EPP replicas do not know each other")
		section.Peers = nil
	}
}

// scraped reports whether the engines' metrics reach the scorers. Where the data
// layer is not in charge of them, the EPP scrapes by itself.
func (l dataLayerLoader) scraped() bool {
	if l.Dialect.Framework < version.GIE15 && !l.on(dataLayerGate) || l.on(legacyMetricsGate) {
		return true
	}
	extractors := []string{CoreMetricsExtractorType, ModelServerProtocolMetricsType}
	for _, source := range l.Doc.DataLayer.Sources {
		if l.ByName[source.PluginRef].Type != MetricsDataSourceType {
			continue
		}
		for _, extractor := range source.Extractors {
			if slices.Contains(extractors, l.ByName[extractor.PluginRef].Type) {
				return true
			}
		}
	}
	return false
}

// noRole is that of what no type that is registered is.
const noRole Roles = 1 << 31
