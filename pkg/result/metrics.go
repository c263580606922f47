// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"unique"

	"windtunnel.dev/windtunnel/internal/jsonline"
)

// Metrics holds values by the metric's canonical text, sorted. It is a map that
// takes eight bytes a value: all that have the same names share them. The zero
// value is empty. It is not changed after it was made, and may be read
// concurrently.
type Metrics struct {
	// names has each name between line breaks; it is not set where there is
	// none.
	names  unique.Handle[string]
	values []float64
}

// NewMetrics returns what a map holds. Its names must not hold line breaks.
func NewMetrics(values map[string]float64) Metrics {
	if len(values) == 0 {
		return Metrics{}
	}
	names := slices.Sorted(maps.Keys(values))
	sorted := make([]float64, len(names))
	for i, name := range names {
		sorted[i] = values[name]
	}
	return sortedMetrics(names, sorted)
}

// sortedMetrics returns what a map of these sorted names holds. There is at least one.
func sortedMetrics(names []string, values []float64) Metrics {
	return Metrics{names: unique.Make("\n" + strings.Join(names, "\n") + "\n"), values: values}
}

// Len is the number of values.
func (m Metrics) Len() int { return len(m.values) }

// Get returns the value of that name, or false without one.
func (m Metrics) Get(name string) (float64, bool) {
	if m.Len() == 0 {
		return 0, false
	}
	names := m.names.Value()
	at := strings.Index(names, "\n"+name+"\n")
	if at < 0 {
		return 0, false
	}
	return m.values[strings.Count(names[:at], "\n")], true
}

// getAt is Get for the name at a place of other metrics. It is fast where both have the
// same names.
func (m Metrics) getAt(place int, name string, other Metrics) (float64, bool) {
	if m.Len() > 0 && m.names == other.names {
		return m.values[place], true
	}
	return m.Get(name)
}

// All yields names and values, sorted by name.
func (m Metrics) All() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		if m.Len() == 0 {
			return
		}
		names := m.names.Value()[1:]
		for _, value := range m.values {
			name, rest, _ := strings.Cut(names, "\n")
			if !yield(name, value) {
				return
			}
			names = rest
		}
	}
}

// Equal reports whether both hold the same.
func (m Metrics) Equal(o Metrics) bool {
	return m.names == o.names && slices.Equal(m.values, o.values)
}

// MarshalJSON writes an object, sorted by name. A value that is no number is an
// error.
func (m Metrics) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 32*m.Len()+2)
	b = append(b, '{')
	for name, value := range m.All() {
		if len(b) > 1 {
			b = append(b, ',')
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("metric %s: %v is not a number", name, value)
		}
		b = append(jsonline.Text(b, name), ':')
		b = jsonline.Number(b, value)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Metrics) UnmarshalJSON(raw []byte) error {
	var values map[string]float64
	if err := json.Unmarshal(raw, &values); err != nil {
		return err
	}
	for name := range values {
		if name == "" || strings.Contains(name, "\n") {
			return fmt.Errorf("%q is not the name of a metric", name)
		}
	}
	*m = NewMetrics(values)
	return nil
}
