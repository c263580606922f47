// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/policy/epp/config"

// RolesOf names the uses that a type of plugin can be put to, in whatever version
// has it: filter, scorer, picker, producer and so on. It is nil for a type that no
// version has.
func RolesOf(typeName string) []string {
	all := config.Roles(0)
	for _, t := range types {
		if t.Name == typeName {
			all |= t.Roles
		}
	}
	var names []string
	for i, name := range roleNames {
		if all&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// roleNames are in the order of the roles' bits.
var roleNames = [...]string{
	"filter", "scorer", "picker", "producer", "profile handler", "parser", "saturation detector", "data source",
	"extractor", "flow control", "admitter", "discovery", "observer", "decider", "headers", "ordering policy",
	"fairness policy", "usage limit policy", "peer discovery",
}

// TypeNames are the types of plugins of every version, in no order that means
// anything.
func TypeNames() []string {
	var names []string
	for _, t := range types {
		names = append(names, t.Name)
	}
	return names
}

// CategoryOf returns the category of a type of plugin, in whatever version.
func CategoryOf(typeName string) config.Category {
	for _, t := range types {
		if t.Name == typeName {
			return t.Category
		}
	}
	return config.NoCategory
}
