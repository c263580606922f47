// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A gate is a feature that the EPP can switch on or off.
type gate struct {
	name string
	on   bool
}

const (
	flowControlGate        = "flowControl"
	dataLayerGate          = "dataLayer"
	prepareDataPluginsGate = "prepareDataPlugins"
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
	{gate{prepareDataPluginsGate, false}, "gie-v1.3..gie-v1.4"},
	{gate{legacyMetricsGate, false}, "gie-v1.5..scheduler-520af478"},
	{gate{"haPopulateNonLeaderDatastore", true}, "router-v0.10.."},
}

// checkGates reads featureGates: names of gates that are on, and since
// router-v0.10 also entries such as name=true and name=false. Of two entries for a
// gate the last one holds.
func (l *loader) checkGates() {
	for _, known := range knownGates {
		if parseRange(known.versions).has(l.dialect.framework) {
			l.gates = append(l.gates, known.gate)
		}
	}
	for i, entry := range l.doc.FeatureGates {
		at := l.path.Child("featureGates").Index(i)
		name, on := entry, true
		if l.dialect.framework >= router10 {
			name, on = l.gateEntry(entry, at)
		}
		if !l.setGate(name, on) {
			l.add(field.Invalid(at, entry, l.noGate(name)))
		}
	}
}

// gateEntry takes name=value apart.
func (l *loader) gateEntry(entry string, at *field.Path) (name string, on bool) {
	name, value, stated := strings.Cut(entry, "=")
	if !stated {
		return name, true
	}
	// The EPP looks no further than a second equals sign.
	value, _, _ = strings.Cut(value, "=")
	on, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(value)))
	if err != nil {
		l.add(field.Invalid(at, entry, "the value must be true or false"))
	}
	return name, on
}

func (l *loader) setGate(name string, on bool) bool {
	for i := range l.gates {
		if l.gates[i].name == name {
			l.gates[i].on = on
			return true
		}
	}
	return false
}

// on reports whether a gate is; one that the version does not have is not.
func (l *loader) on(name string) bool {
	for _, g := range l.gates {
		if g.name == name {
			return g.on
		}
	}
	return false
}

func (l *loader) noGate(name string) string {
	text := fmt.Sprintf("%s has no such feature gate", l.dialect.name)
	var names []string
	for _, g := range l.gates {
		names = append(names, g.name)
	}
	if len(names) > 0 {
		text += "; there are " + strings.Join(names, ", ")
	}
	for _, known := range knownGates {
		if known.name == name {
			return text + "; " + parseRange(known.versions).whyNot(l.dialect.framework)
		}
	}
	return text + didYouMean(name, names)
}

// prepares reports whether what prefix scorers know is attached to the endpoints
// before any profile runs, in the versions that have a gate for it.
func (c *Config) prepares() bool {
	return slices.Contains(c.gates, gate{prepareDataPluginsGate, true})
}

// spellOutGates lists the gates as the version reads them.
func (l *loader) spellOutGates() []string {
	var entries []string
	for _, g := range l.gates {
		switch {
		case l.dialect.framework >= router10:
			entries = append(entries, fmt.Sprintf("%s=%t", g.name, g.on))
		case g.on:
			entries = append(entries, g.name)
		}
	}
	return entries
}
