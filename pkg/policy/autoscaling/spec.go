// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/parameters"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Spec is a policy, or a trigger, as a user writes it.
type Spec struct {
	// Name is that of a policy or a trigger.
	Name string
	// Parameters are those of the policy; what is not stated has its default.
	Parameters map[string]string
}

// World is what the policies know of the scenario.
type World struct {
	// Pools are those of the unit: one, or prefill and decode, in this order.
	Pools []PoolBounds
	// ScrapeInterval and Delay are those of the unit's [Monitor].
	ScrapeInterval, Delay time.Duration
	// HasTargets says that some requests have targets. TTFT and TBT are the shortest
	// targets of the time to first token and of the time between tokens; 0 where there
	// is none.
	HasTargets bool
	TTFT, TBT  time.Duration
	// FutureRate returns the requests per second that arrive from one time to another,
	// for policies that know the future; nil where it is not known. now is the present: it
	// does not go back, and no time before it is asked for.
	FutureRate func(now, from, to simtime.Time) float64
}

// PoolBounds are the name of a pool, the bounds of its replicas and what is known of its
// engines.
type PoolBounds struct {
	Name     string
	Min, Max int
	Model    EngineModel
}

// Config is a policy without faults. It is immutable.
type Config struct {
	make func() Scaler
	// Window is how far back the policy reads samples: that of its [Monitor].
	Window time.Duration
}

// New makes the scaler of one run.
func (c *Config) New() Scaler { return c.make() }

// TriggerConfig is a trigger without faults. It is immutable.
type TriggerConfig struct {
	make func() Trigger
	// Window is how far back the trigger reads samples: that of its [Monitor].
	Window time.Duration
}

// New makes the trigger of one run.
func (c *TriggerConfig) New() Trigger { return c.make() }

// Load checks a policy. Errors have the paths of its fields under path, spelled as in
// JSON; all errors that can be found are returned at once.
func Load(spec Spec, world World, path *field.Path) (*Config, field.ErrorList) {
	of, unknown := policies.Find(path.Child("policy"), spec.Name, "policy")
	if unknown != nil {
		return nil, field.ErrorList{unknown}
	}
	l := newLoader(spec, world, path, "policy")
	made := of.Read(l)
	if errs := l.done(); len(errs) > 0 {
		return nil, errs
	}
	if !l.ignoresLoad {
		scaler := made
		made = func() Scaler { return &waking{scaler()} }
	}
	return &Config{made, l.longest}, nil
}

// LoadTrigger is Load for a trigger.
func LoadTrigger(spec Spec, world World, path *field.Path) (*TriggerConfig, field.ErrorList) {
	of, unknown := triggers.Find(path.Child("name"), spec.Name, "trigger")
	if unknown != nil {
		return nil, field.ErrorList{unknown}
	}
	l := newLoader(spec, world, path, "name")
	made := of.Read(l)
	if errs := l.done(); len(errs) > 0 {
		return nil, errs
	}
	return &TriggerConfig{made, l.longest}, nil
}

// A loader reads the parameters of a policy.
type loader struct {
	*parameters.Reader
	spec  Spec
	world World
	path  *field.Path
	// field is that of the name.
	field string
	errs  field.ErrorList
	// longest is the longest window that was read.
	longest time.Duration
	// ignoresLoad says that the policy reads no load: it is not overruled when requests wait
	// for a replica.
	ignoresLoad bool
}

func newLoader(spec Spec, world World, path *field.Path, nameField string) *loader {
	return &loader{Reader: parameters.NewReader(spec.Parameters, path.Child("parameters")), spec: spec, world: world, path: path, field: nameField}
}

// done returns what is wrong.
func (l *loader) done() field.ErrorList { return append(l.errs, l.Done()...) }

// window reads a window of samples. It has to be so long that two of them can be read.
func (l *loader) window(name string, otherwise time.Duration, help string) time.Duration {
	window := l.Duration(name, otherwise, help)
	l.windowOf(name, window)
	return window
}

// windowOf checks a window that was read.
func (l *loader) windowOf(name string, window time.Duration) {
	if least := l.world.Delay + 2*l.world.ScrapeInterval; window < least {
		l.Invalid(name, fmt.Sprintf("must be at least %s: samples are taken each %s and are read %s later, and two are needed",
			least, l.world.ScrapeInterval, l.world.Delay))
	}
	l.longest = max(l.longest, window)
}

// flag reads true or false.
func (l *loader) flag(name string, otherwise bool, help string) bool {
	words := []string{"false", "true"}
	if otherwise {
		slices.Reverse(words)
	}
	return l.Choice(name, help, words...) == "true"
}

// stated reports whether a parameter is stated.
func (l *loader) stated(name string) bool {
	_, ok := l.spec.Parameters[name]
	return ok
}

// noEffect adds an error for each of some parameters that is stated though no value of the
// parameter changes a decision.
func (l *loader) noEffect(why string, names ...string) {
	for _, name := range names {
		l.Forbid(name, "has no effect "+why)
	}
}

// unusable adds an error about the name of the policy.
func (l *loader) unusable(detail string) {
	l.errs = append(l.errs, field.Invalid(l.path.Child(l.field), l.spec.Name, detail))
}

// names returns the names of the pools.
func (l *loader) names() []string {
	var names []string
	for _, p := range l.world.Pools {
		names = append(names, p.Name)
	}
	return names
}
