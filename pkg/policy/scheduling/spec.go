// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// A Spec is a scheduler as a user writes it.
type Spec struct {
	// Scheduler is the name of a Policy; empty is FCFS.
	Scheduler string
	// Parameters are those of the policy; those that are absent have their default.
	Parameters map[string]string
	// Victim is the name of a VictimPolicy; empty is the policy's own.
	Victim string
}

// The paths of the fields of a Spec, beneath the one that Load is given.
const (
	schedulerField  = "scheduler"
	parametersField = "schedulerParameters"
	victimField     = "victim"
)

// A Config is a Spec without faults. It is immutable.
type Config struct {
	policy  *Policy
	make    func(Environment) Factory
	victim  Victim
	tenants []string // those that parameters name
}

// Load checks a Spec. Errors have the paths of its fields beneath path; all are
// returned at once.
func Load(spec Spec, path *field.Path) (*Config, field.ErrorList) {
	var errs field.ErrorList
	c := &Config{}
	name, victim := spec.Scheduler, spec.Victim
	if name == "" {
		name = policies[0].Name
	}
	at := slices.IndexFunc(policies, func(p Policy) bool { return p.Name == name })
	if at < 0 {
		return nil, field.ErrorList{parameters.Unknown(path.Child(schedulerField), name, "scheduler", names(policies, func(p *Policy) string { return p.Name }))}
	}
	c.policy = &policies[at]
	r := &reader{Reader: parameters.NewReader(spec.Parameters, path.Child(parametersField))}
	r.Owner = name
	c.make = c.policy.read(r)
	c.tenants = slices.Sorted(maps.Keys(r.weights))
	errs = append(errs, r.Done()...)

	if victim == "" {
		victim = c.policy.Victim
	}
	at = slices.IndexFunc(victims, func(v VictimPolicy) bool { return v.Name == victim })
	if at < 0 {
		return nil, append(errs, parameters.Unknown(path.Child(victimField), victim, "victim", names(victims, func(v *VictimPolicy) string { return v.Name })))
	}
	c.victim = victims[at].choose
	if len(errs) > 0 {
		return nil, errs
	}
	return c, nil
}

// ByDeadline says that the scheduler needs TTFT targets.
func (c *Config) ByDeadline() bool { return c.policy.ByDeadline }

// CheckTenants says which parameters name a tenant that there is not. path is that of
// Load.
func (c *Config) CheckTenants(tenants []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, tenant := range c.tenants {
		if !slices.Contains(tenants, tenant) {
			at := path.Child(parametersField).Key(weightPrefix + ":" + tenant)
			errs = append(errs, parameters.Unknown(at, tenant, "tenant: no client and no trace names it", tenants))
		}
	}
	return errs
}

// Factory returns what makes the schedulers of engines.
func (c *Config) Factory(e Environment) Factory {
	of := c.make(e)
	return func() Scheduler {
		s := of()
		s.Victim = c.victim
		return s
	}
}

func names[T any](all []T, of func(*T) string) []string {
	list := make([]string, len(all))
	for i := range all {
		list[i] = of(&all[i])
	}
	return list
}
