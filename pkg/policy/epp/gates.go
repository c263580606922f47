// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A gate is a feature that the EPP can switch on or off.
type gate struct {
	name string
	on   bool
}

const flowControlGate = "flowControl"

// defaultGates are the gates of v0.10.0 and main. The second decides which of
// several EPP replicas serve, and there is one here.
func defaultGates() []gate {
	return []gate{{flowControlGate, false}, {"haPopulateNonLeaderDatastore", true}}
}

// checkGates reads featureGates, entries such as name, name=true, name=false.
// Of two entries for a gate the last one holds.
func (l *loader) checkGates() {
	l.gates = defaultGates()
	for i, entry := range l.doc.FeatureGates {
		at := l.path.Child("featureGates").Index(i)
		name, value, stated := strings.Cut(entry, "=")
		on := true
		if stated {
			// The EPP looks no further than a second equals sign.
			value, _, _ = strings.Cut(value, "=")
			var err error
			if on, err = strconv.ParseBool(strings.ToLower(strings.TrimSpace(value))); err != nil {
				l.add(field.Invalid(at, entry, "the value must be true or false"))
			}
		}
		if !l.setGate(name, on) {
			l.add(field.Invalid(at, entry, fmt.Sprintf("%s has no such feature gate; there are %s", l.dialect.name, gateNames())))
		}
		if name == flowControlGate && on {
			l.add(field.Invalid(at, entry, "flow control is known but not built yet"))
		}
	}
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

func gateNames() string {
	var names []string
	for _, g := range defaultGates() {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}

func spellOut(gates []gate) []string {
	var entries []string
	for _, g := range gates {
		entries = append(entries, fmt.Sprintf("%s=%t", g.name, g.on))
	}
	return entries
}
