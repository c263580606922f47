// SPDX-License-Identifier: Apache-2.0

// Package intern gives the names of a source's labels their indices.
package intern

import (
	"maps"
	"slices"
)

// Name returns the index of name in names, which it appends if it is new.
func Name(names []string, name string) ([]string, int) {
	if i := slices.Index(names, name); i >= 0 {
		return names, i
	}
	return append(names, name), len(names)
}

// Headers is Name for sets of headers.
func Headers(sets []map[string]string, headers map[string]string) ([]map[string]string, int) {
	if i := slices.IndexFunc(sets, func(h map[string]string) bool { return maps.Equal(h, headers) }); i >= 0 {
		return sets, i
	}
	return append(sets, headers), len(sets)
}
