// SPDX-License-Identifier: Apache-2.0

package latency

import (
	_ "embed" // the catalogue's files
	"fmt"
	"slices"
	"sync"

	"sigs.k8s.io/yaml"
)

// Accelerator is one GPU.
type Accelerator struct {
	Name string `json:"name"`
	// MemoryBytes is what the driver shows.
	MemoryBytes int64 `json:"memoryBytes"`
	// MemoryBandwidthBytesPerSecond and BF16FlopsPerSecond are peaks.
	MemoryBandwidthBytesPerSecond float64 `json:"memoryBandwidthBytesPerSecond"`
	BF16FlopsPerSecond            float64 `json:"bf16FlopsPerSecond"`
	// LinkBandwidthBytesPerSecond is that of the link between GPUs of one
	// machine, one way.
	LinkBandwidthBytesPerSecond float64 `json:"linkBandwidthBytesPerSecond"`
	// Efficiencies are the shares of the peaks that engines achieve, 0 to 1.
	MemoryEfficiency  float64 `json:"memoryEfficiency"`
	PrefillEfficiency float64 `json:"prefillEfficiency"`
	DecodeEfficiency  float64 `json:"decodeEfficiency"`
}

//go:embed catalogue/models.yaml
var modelsYAML []byte

//go:embed catalogue/accelerators.yaml
var acceleratorsYAML []byte

var models = sync.OnceValue(func() []Model { return mustParse[Model](modelsYAML) })

var accelerators = sync.OnceValue(func() []Accelerator { return mustParse[Accelerator](acceleratorsYAML) })

func mustParse[T any](raw []byte) []T {
	list, err := parse[T](raw)
	if err != nil {
		panic(fmt.Sprintf("latency: embedded catalogue: %v", err))
	}
	return list
}

// parse reads a list of entries; a key that they do not have is an error.
func parse[T any](raw []byte) ([]T, error) {
	var list []T
	err := yaml.UnmarshalStrict(raw, &list)
	return list, err
}

// LookupModel returns the model of a name or alias, to the letter. For an
// answer to an unknown name there is ModelNames.
func LookupModel(name string) (Model, bool) {
	for _, m := range models() {
		if m.Name == name || slices.Contains(m.Aliases, name) {
			m.Aliases = slices.Clone(m.Aliases)
			return m, true
		}
	}
	return Model{}, false
}

// LookupAccelerator returns the accelerator of a name, to the letter.
func LookupAccelerator(name string) (Accelerator, bool) {
	for _, a := range accelerators() {
		if a.Name == name {
			return a, true
		}
	}
	return Accelerator{}, false
}

// ModelNames returns the canonical names, sorted.
func ModelNames() []string {
	var names []string
	for _, m := range models() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

// AcceleratorNames returns all names, sorted.
func AcceleratorNames() []string {
	var names []string
	for _, a := range accelerators() {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}
