// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// Spec is a priority policy as a user writes it.
type Spec struct {
	// Policy is the name of one of the policies.
	Policy string
	// Parameters are those of the policy; what is not stated has its default.
	Parameters map[string]string
}

// World is what the policies know of the workload.
type World struct {
	// Tenants and Classes are the workload's names, indexed as [policy.Request] has
	// them.
	Tenants, Classes []string
	// Selected says that only some sources of the workload send requests: parameters of
	// tenants and classes that are not there are ignored.
	Selected bool
	// HasTTFT says that some requests have a target of the time to first token.
	HasTTFT bool
}

// Config is a Spec without faults. It is immutable.
type Config struct {
	make func() policy.Priority
	// OnlyOrder says that only the order of the priorities means something, so that none
	// is a bound.
	OnlyOrder bool
}

// Load checks a Spec. Errors have the paths of its fields under path, spelled as in
// JSON; all errors that can be found are returned at once.
func Load(spec Spec, world World, path *field.Path) (*Config, field.ErrorList) {
	of, unknown := policies.Find(path.Child("policy"), spec.Policy, "policy")
	if unknown != nil {
		return nil, field.ErrorList{unknown}
	}
	l := &loader{Reader: parameters.NewReader(spec.Parameters, path.Child("parameters")), world: world, path: path}
	l.IgnoresNames = world.Selected
	c := &Config{make: l.withHints(of.Read(l))}
	c.OnlyOrder = l.onlyOrder
	if l.errs = append(l.errs, l.Done()...); len(l.errs) > 0 {
		return nil, l.errs
	}
	return c, nil
}

// New makes the policy for one run.
func (c *Config) New() policy.Priority { return c.make() }

// A loader reads the parameters of a policy.
type loader struct {
	*parameters.Reader
	world World
	path  *field.Path
	errs  field.ErrorList
	// onlyOrder says that only the order of the policy's priorities means something.
	onlyOrder bool
}

// requireTTFT adds an error if no request has a target of the time to first token.
func (l *loader) requireTTFT(policy string) {
	if !l.world.HasTTFT {
		l.errs = append(l.errs, field.Invalid(l.path.Child("policy"), policy,
			"no request has a deadline: set ttft in slos or in the targets of a tenant"))
	}
}
