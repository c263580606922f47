// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A gate is a feature that the EPP can switch on or off.
type gate struct {
	name string
	on   bool
}

// Names of feature gates.
const (
	flowControlGate        = "flowControl"
	dataLayerGate          = "dataLayer"
	PrepareDataPluginsGate = "prepareDataPlugins"
	legacyMetricsGate      = "enableLegacyMetrics"
)

// knownGates are those of all versions, with their defaults. The last one
// decides which of several EPP replicas serve, and there is one here.
var knownGates = []struct {
	gate
	versions string
}{
	{gate{flowControlGate, false}, "gie-v1.2.."},
	{gate{dataLayerGate, false}, "gie-v1.2..router-v0.9"},
	{gate{PrepareDataPluginsGate, false}, "gie-v1.3..gie-v1.4"},
	{gate{legacyMetricsGate, false}, "gie-v1.5..scheduler-520af478"},
	{gate{"haPopulateNonLeaderDatastore", true}, "router-v0.10.."},
}

// A gateLoader reads the section featureGates.
type gateLoader struct{ *Loader }

// checkGates reads featureGates: names of gates that are on, and since
// router-v0.10 also entries such as name=true and name=false. Of two entries for a
// gate the last one holds.
func (l gateLoader) checkGates() {
	for _, known := range knownGates {
		if version.ParseRange(known.versions).Has(l.Dialect.Framework) {
			l.gates = append(l.gates, known.gate)
		}
	}
	for i, entry := range l.Doc.FeatureGates {
		at := l.path.Child("featureGates").Index(i)
		name, on := entry, true
		if l.Dialect.Framework >= version.Router10 {
			name, on = l.gateEntry(entry, at)
		}
		if !l.setGate(name, on) {
			l.Add(field.Invalid(at, entry, l.noGate(name)))
		}
		if name == dataLayerGate && l.Dialect.Framework == version.Router09 {
			l.Notice(at, "deprecated", "%s is deprecated: the data layer is always on", name)
		}
	}
}

// gateEntry takes name=value apart.
func (l gateLoader) gateEntry(entry string, at *field.Path) (name string, on bool) {
	name, value, stated := strings.Cut(entry, "=")
	if !stated {
		return name, true
	}
	// The EPP looks no further than a second equals sign.
	value, _, _ = strings.Cut(value, "=")
	on, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(value)))
	if err != nil {
		l.Add(field.Invalid(at, entry, "the value must be true or false"))
	}
	return name, on
}

func (l gateLoader) setGate(name string, on bool) bool {
	for i := range l.gates {
		if l.gates[i].name == name {
			l.gates[i].on = on
			return true
		}
	}
	return false
}

// on reports whether a gate is; one that the version does not have is not.
func (l *Loader) on(name string) bool {
	for _, g := range l.gates {
		if g.name == name {
			return g.on
		}
	}
	return false
}

func (l gateLoader) noGate(name string) string {
	text := fmt.Sprintf("%s has no such feature gate", l.Dialect.Name)
	var names []string
	for _, g := range l.gates {
		names = append(names, g.name)
	}
	if len(names) > 0 {
		text += "; there are " + strings.Join(names, ", ")
	}
	for _, known := range knownGates {
		if known.name == name {
			return text + "; " + version.ParseRange(known.versions).UnavailableReason(l.Dialect.Framework)
		}
	}
	return text + document.DidYouMean(name, names)
}

// Prepares reports whether what prefix scorers know is attached to the endpoints
// before any profile runs, in the versions that have a gate for it.
func (c *Config) Prepares() bool {
	return slices.Contains(c.gates, gate{PrepareDataPluginsGate, true})
}

// spellOutGates lists the gates as the version reads them.
func (l gateLoader) spellOutGates() []string {
	var entries []string
	for _, g := range l.gates {
		switch {
		case l.Dialect.Framework >= version.Router10:
			entries = append(entries, fmt.Sprintf("%s=%t", g.name, g.on))
		case g.on:
			entries = append(entries, g.name)
		}
	}
	return entries
}
