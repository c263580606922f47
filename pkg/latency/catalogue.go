// SPDX-License-Identifier: Apache-2.0

package latency

import (
	_ "embed" // the built-in entries
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// entriesJSON has the entries of models.yaml and accelerators.yaml, since reading the YAML takes as
// long as ten requests. The tests write it, and check the entries.
//
//go:embed catalogue/entries.json
var entriesJSON []byte

// Catalogue finds models and accelerators by name. It never changes and may be
// used concurrently.
type Catalogue struct{ entries Entries }

var builtin = sync.OnceValue(func() *Catalogue {
	var entries Entries
	if err := json.Unmarshal(entriesJSON, &entries); err != nil {
		panic(fmt.Sprintf("latency: embedded catalogue: %v", err))
	}
	return (*Catalogue)(nil).With(entries)
})

// Builtin returns the catalogue that comes with the program.
func Builtin() *Catalogue { return builtin() }

// With returns a catalogue that has these entries too. They replace those of
// the same name; a later list wins over an earlier one, and a name over another
// entry's alias if its list is the later.
func (c *Catalogue) With(lists ...Entries) *Catalogue {
	if c != nil && len(lists) == 0 {
		return c
	}
	var all Entries
	for _, list := range slices.Backward(lists) {
		all.Models = append(all.Models, list.Models...)
		all.Accelerators = append(all.Accelerators, list.Accelerators...)
	}
	if c != nil {
		all.Models = append(all.Models, c.entries.Models...)
		all.Accelerators = append(all.Accelerators, c.entries.Accelerators...)
	}
	all.Models = uniqueNames(all.Models, func(m Model) string { return m.Name })
	all.Accelerators = uniqueNames(all.Accelerators, func(a Accelerator) string { return a.Name })
	return &Catalogue{entries: all}
}

func uniqueNames[T any](entries []T, name func(T) string) []T {
	seen := make(map[string]bool, len(entries))
	return slices.DeleteFunc(entries, func(e T) bool {
		known := seen[name(e)]
		seen[name(e)] = true
		return known
	})
}

// Model returns the model of a name or alias, to the letter. For an answer to
// an unknown name there is ModelNames.
func (c *Catalogue) Model(name string) (Model, bool) {
	for _, m := range c.entries.Models {
		if m.Name == name || slices.Contains(m.Aliases, name) {
			return m.clone(), true
		}
	}
	return Model{}, false
}

// Accelerator returns the accelerator of a name, to the letter.
func (c *Catalogue) Accelerator(name string) (Accelerator, bool) {
	for _, a := range c.entries.Accelerators {
		if a.Name == name {
			return a, true
		}
	}
	return Accelerator{}, false
}

// ModelNames returns the canonical names, sorted.
func (c *Catalogue) ModelNames() []string {
	names := make([]string, len(c.entries.Models))
	for n, m := range c.entries.Models {
		names[n] = m.Name
	}
	slices.Sort(names)
	return names
}

// AcceleratorNames returns all names, sorted.
func (c *Catalogue) AcceleratorNames() []string {
	names := make([]string, len(c.entries.Accelerators))
	for n, a := range c.entries.Accelerators {
		names[n] = a.Name
	}
	slices.Sort(names)
	return names
}
