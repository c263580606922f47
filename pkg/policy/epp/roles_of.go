// SPDX-License-Identifier: Apache-2.0

package epp

// RolesOf names the uses that a type of plugin can be put to, in whatever version
// has it: filter, scorer, picker, producer and so on. It is nil for a type that no
// version has.
func RolesOf(typeName string) []string {
	var names []string
	for _, t := range registry {
		if t.name != typeName {
			continue
		}
		for i, name := range roleNames {
			if t.roles&(1<<i) != 0 {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

// roleNames are in the order of the roles' bits.
var roleNames = [...]string{
	"filter", "scorer", "picker", "producer", "profile handler", "parser", "saturation detector", "data source",
	"extractor", "flow control", "admitter", "discovery", "observer", "decider", "headers", "ordering policy",
	"fairness policy", "usage limit policy",
}

// TypeNames are the types of plugins of every version, in no order that means
// anything.
func TypeNames() []string {
	var names []string
	for _, t := range registry {
		names = append(names, t.name)
	}
	return names
}
