// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"reflect"
	"slices"
	"strings"
)

// samePickers reports whether two scenarios are one, but for what does nothing in EPP
// configurations: the order in which plugins are declared, that of the scorers of a profile,
// whose sum is taken, and the names of plugins.
func samePickers(before, after Tree) bool {
	return reflect.DeepEqual(withPlainPickers(before), withPlainPickers(after))
}

// withPlainPickers is a copy in which the order and the names of plugins are plain.
func withPlainPickers(scenario Tree) Tree {
	scenario = cloneTree(scenario).(Tree)
	routers, _ := scenario["routers"].([]any)
	for _, router := range append([]any{scenario["router"]}, routers...) {
		if router, ok := router.(Tree); ok {
			if picker, ok := router["endpointPickerConfig"].(Tree); ok {
				router["endpointPickerConfig"] = plainPicker(picker)
			}
		}
	}
	return scenario
}

// cloneTree copies a tree and all beneath it.
func cloneTree(v any) any {
	switch v := v.(type) {
	case Tree:
		c := make(Tree, len(v))
		for k, e := range v {
			c[k] = cloneTree(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = cloneTree(e)
		}
		return c
	default:
		return v
	}
}

func plainPicker(picker Tree) Tree {
	plugins, _ := picker["plugins"].([]any)
	picker = renamed(picker, typeNames(plugins)).(Tree)
	plugins, _ = picker["plugins"].([]any)
	slices.SortStableFunc(plugins, byEntryName)
	profiles, _ := picker["schedulingProfiles"].([]any)
	for _, profile := range profiles {
		if profile, ok := profile.(Tree); ok {
			sortScorers(profile)
		}
	}
	return picker
}

// typeNames are the types of plugins, by name: of those that are the only one of their type.
func typeNames(plugins []any) map[string]string {
	count, types := map[string]int{}, map[string]string{}
	for _, plugin := range plugins {
		if plugin, ok := plugin.(Tree); ok {
			if typ, ok := plugin["type"].(string); ok {
				count[typ]++
				types[entryName(plugin)] = typ
			}
		}
	}
	for name, typ := range types {
		if count[typ] > 1 {
			delete(types, name)
		}
	}
	return types
}

// renamed has other texts in place of some, but for types.
func renamed(v any, names map[string]string) any {
	switch v := v.(type) {
	case Tree:
		for key, e := range v {
			if key != "type" {
				v[key] = renamed(e, names)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = renamed(e, names)
		}
	case string:
		if name, ok := names[v]; ok {
			return name
		}
	}
	return v
}

// sortScorers puts the scorers of a profile, which are its entries with a weight, behind the
// filters and in order.
func sortScorers(profile Tree) {
	entries, _ := profile["plugins"].([]any)
	slices.SortStableFunc(entries, func(a, b any) int {
		scores, also := weightOf(a) != nil, weightOf(b) != nil
		switch {
		case scores && also:
			return byEntryName(a, b)
		case scores:
			return 1
		case also:
			return -1
		}
		return 0
	})
}

func weightOf(entry any) any {
	object, _ := entry.(Tree)
	return object["weight"]
}

func byEntryName(a, b any) int { return strings.Compare(entryName(a), entryName(b)) }
