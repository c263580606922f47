// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// Limits bound the code of a bundle. A field that is 0 is not stated.
type Limits struct {
	// CallSteps bounds the steps of one call, and RunSteps those of all calls of a simulation.
	CallSteps uint64 `json:"callSteps,omitempty"`
	RunSteps  uint64 `json:"runSteps,omitempty"`
	// MemoryMiB bounds what the code takes in addition to what the simulation needs, and the memory of
	// a module.
	MemoryMiB uint64 `json:"memoryMiB,omitempty"`
	// CPUSeconds bounds the CPU time of a simulation with the code.
	CPUSeconds uint64 `json:"cpuSeconds,omitempty"`
}

// defaultLimits are those of bundles that state none, and the most that a bundle may state
// unless another maximum is set.
var defaultLimits = Limits{
	CallSteps: sandbox.DefaultLimits.CallSteps, RunSteps: sandbox.DefaultLimits.RunSteps, MemoryMiB: 1024, CPUSeconds: 600,
}

// AnyLimits refuse no limit of a bundle, and state none.
var AnyLimits = Limits{CallSteps: math.MaxUint64, RunSteps: math.MaxUint64, MemoryMiB: math.MaxUint64, CPUSeconds: math.MaxUint64}

// CandidateCPU is the CPU time of a candidate of a search that states none: one that takes
// longer is of no use, and a search has many.
const CandidateCPU = 30 * time.Second

// fields are the limits by name.
func (l *Limits) fields() []limit {
	return []limit{
		{"callSteps", &l.CallSteps}, {"runSteps", &l.RunSteps}, {"memoryMiB", &l.MemoryMiB}, {"cpuSeconds", &l.CPUSeconds},
	}
}

type limit struct {
	name  string
	value *uint64
}

// Set sets a limit by its name. It says what is wrong.
func (l *Limits) Set(name string, value uint64) error {
	var names []string
	for _, f := range l.fields() {
		names = append(names, f.name)
		if f.name != name {
			continue
		}
		if value == 0 {
			return fmt.Errorf("%s must be at least 1", name)
		}
		*f.value = value
		return nil
	}
	return fmt.Errorf("%q must be one of %q", name, names)
}

// Or returns the limits, and others in place of what is not stated.
func (l Limits) Or(others Limits) Limits {
	own := others.fields()
	for i, f := range l.fields() {
		if *f.value == 0 {
			*f.value = *own[i].value
		}
	}
	return l
}

// Within says which limits are above a maximum.
func (l Limits) Within(most Limits, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	bounds := most.Or(defaultLimits)
	for i, f := range l.fields() {
		if bound := *bounds.fields()[i].value; *f.value > bound {
			errs = append(errs, field.Invalid(path.Child(f.name), *f.value, fmt.Sprintf("must be at most %d, the maximum here (--program-limits)", bound)))
		}
	}
	return errs
}

// zeroLimits says which limits a document states as 0, within which no code runs.
func zeroLimits(asJSON []byte, path *field.Path) field.ErrorList {
	var stated struct{ Limits map[string]json.Number }
	if err := json.Unmarshal(asJSON, &stated); err != nil {
		return nil // said by the reader of bundles
	}
	var errs field.ErrorList
	for _, f := range new(Limits).fields() {
		if stated.Limits[f.name] == "0" {
			errs = append(errs, field.Invalid(path.Child(f.name), 0, "must be at least 1"))
		}
	}
	return errs
}

// Bound says which limits of a bundle are above a maximum, and states those that the bundle
// leaves to a default which is not the maximum.
func (b *Bundle) Bound(most Limits, path *field.Path) field.ErrorList {
	if !b.Foreign() {
		return nil
	}
	var own Limits
	if b.Limits != nil {
		own = *b.Limits
	}
	if errs := own.Within(most, path.Child("limits")); len(errs) > 0 {
		return errs
	}
	if most != AnyLimits {
		own = own.Or(most)
	}
	if own != (Limits{}) {
		b.Limits = &own
		b.limit()
	}
	return nil
}

// limit tells the components their limits.
func (b *Bundle) limit() {
	for _, c := range b.Components() {
		c.limits = b.Limits
	}
}

// Limits are those that the component's program counts by.
func (c *Component) Limits() sandbox.Limits {
	l := sandbox.DefaultLimits
	if c.limits == nil {
		return l
	}
	own := c.limits.Or(defaultLimits)
	l.CallSteps, l.RunSteps = own.CallSteps, own.RunSteps
	l.MemoryBytes = min(l.MemoryBytes, own.MemoryMiB<<20)
	return l
}
