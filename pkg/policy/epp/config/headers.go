// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
)

// Header is what each set of headers says under a name, in whatever case, the set
// without any being the first. The cluster may be nil.
func (c *Cluster) Header(name string) []string {
	values := []string{""}
	if c == nil {
		return values
	}
	for _, set := range c.Headers {
		value := ""
		for key, v := range set {
			if strings.EqualFold(key, name) {
				value = v // no two keys differ in case alone
			}
		}
		values = append(values, value)
	}
	return values
}

// States reports whether requests of the workload carry the header.
func (c *Cluster) States(header string) bool {
	return slices.ContainsFunc(c.Header(header), func(value string) bool { return value != "" })
}
