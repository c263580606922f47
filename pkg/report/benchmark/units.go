// SPDX-License-Identifier: Apache-2.0

package benchmark

// A unit is what values of a field may be in, and what one of it is in the base unit of
// the field: seconds, bytes, shares of 1, counts, or per second.
type unit struct {
	name   string
	factor float64
}

// units are those of a field, by the tag units. The schema allows each unit for each field.
var units = map[string][]unit{
	"quantity":    {{"count", 1}, {"pixels", 1}},
	"portion":     {{"percent", 0.01}, {"fraction", 1}},
	"ratio":       {{"ratio", 1}},
	"time":        {{"ms", 1e-3}, {"s", 1}},
	"perToken":    {{"ms/token", 1e-3}, {"s/token", 1}},
	"tokenRate":   {{"tokens/s", 1}},
	"requestRate": {{"queries/s", 1}},
	"imageRate":   {{"images/s", 1}},
	"videoRate":   {{"videos/s", 1}},
	"audioRate":   {{"audios/s", 1}},
	"memory":      memory,
	// Engines report the use of a cache in bytes, or as a share of it.
	"cache": append([]unit{{"percent", 0.01}, {"fraction", 1}}, memory...),
	"power": {{"Watts", 1}},
}

var memory = []unit{
	{"bytes", 1}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
}

// unitNames are those that a field may have.
func unitNames(group string) []string {
	var names []string
	for _, u := range units[group] {
		names = append(names, u.name)
	}
	return names
}

// inBase converts a value to the base unit of a group; the unit was checked.
func inBase(value float64, group, name string) float64 {
	for _, u := range units[group] {
		if u.name == name {
			return value * u.factor
		}
	}
	return value
}
