// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Type is a policy that users select by name. Read reads its parameters from a loader and
// returns how the policy is made.
type Type[Loader interface{ Known() []Parameter }, Made any] struct {
	Name, Help string
	Read       func(Loader) Made
}

// A Registry is all policies of a kind, in the order of the documentation.
type Registry[Loader interface{ Known() []Parameter }, Made any] []Type[Loader, Made]

// Names returns the names of all policies.
func (r Registry[Loader, Made]) Names() []string {
	names := make([]string, len(r))
	for i := range r {
		names[i] = r[i].Name
	}
	return names
}

// Find returns the policy of a name. The error is at a path, and what says what has the names.
func (r Registry[Loader, Made]) Find(at *field.Path, name, what string) (*Type[Loader, Made], *field.Error) {
	i := slices.IndexFunc(r, func(t Type[Loader, Made]) bool { return t.Name == name })
	if i < 0 {
		return nil, Unknown(at, name, what, r.Names())
	}
	return &r[i], nil
}

// Description says what a policy does and which parameters it has.
type Description struct {
	Name, Help string
	Parameters []Parameter
}

// Describe describes all policies, each by what it reads from a loader without values.
func (r Registry[Loader, Made]) Describe(empty func() Loader) []Description {
	all := make([]Description, len(r))
	for i, t := range r {
		l := empty()
		t.Read(l)
		all[i] = Description{t.Name, t.Help, l.Known()}
	}
	return all
}
