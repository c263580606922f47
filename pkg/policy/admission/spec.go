// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// Spec is an admission policy as a user writes it.
type Spec struct {
	// Policy is the name of one of the policies.
	Policy string
	// Parameters are those of the policy; what is not stated has its default.
	Parameters map[string]string
}

// Names are the workload's names, indexed as [policy.Request] has them.
type Names struct {
	Tenants, Classes []string
	// Selected says that only some sources of the workload send requests: parameters of
	// tenants and classes that are not there are ignored.
	Selected bool
	// Stability says that some pool has a stability controller.
	Stability bool
}

// Config is a Spec without faults. It is immutable.
type Config struct {
	make func(seed int64) policy.Admission
	// Window is the time over which the policy reads rates; 0 where it reads no
	// traffic.
	Window time.Duration
	// AsksReplicas says that the stability controllers of replicas are to reject requests
	// for which they find no room.
	AsksReplicas bool
	// BoundsPriority says that the policy compares priorities with a number.
	BoundsPriority bool

	level *saturationLevel // nil where the policy reads none
}

// Saturation returns how busy the replicas of a view are as the policy sees it; false
// where the policy does not look at that.
func (c *Config) Saturation(view *policy.View) (level float64, looks bool) {
	if c.level == nil {
		return 0, false
	}
	return c.level.of(view), true
}

// Load checks a Spec. Errors have the paths of its fields under path, spelled as in
// JSON; all errors that can be found are returned at once.
func Load(spec Spec, names Names, path *field.Path) (*Config, field.ErrorList) {
	of, unknown := policies.Find(path.Child("policy"), spec.Policy, "policy")
	if unknown != nil {
		return nil, field.ErrorList{unknown}
	}
	l := &loader{Reader: parameters.NewReader(spec.Parameters, path.Child("parameters")), names: names, path: path}
	l.IgnoresNames = names.Selected
	c := &Config{make: l.withHints(of.Read(l))}
	if l.errs = append(l.errs, l.Done()...); len(l.errs) > 0 {
		return nil, l.errs
	}
	c.Window, c.AsksReplicas, c.level = l.window, l.asksReplicas, l.level
	c.BoundsPriority = l.boundsPriority
	return c, nil
}

// New makes the policy for one run. What is random follows from the seed.
func (c *Config) New(seed int64) policy.Admission { return c.make(seed) }

// A loader reads the parameters of a policy.
type loader struct {
	*parameters.Reader
	names  Names
	path   *field.Path
	errs   field.ErrorList
	window time.Duration

	asksReplicas   bool
	boundsPriority bool
	level          *saturationLevel
}

// countOnly is the window of policies that read counts and no rates.
const countOnly = time.Minute

// seesTraffic says that the policy reads what the gateway counts, with rates over a
// window.
func (l *loader) seesTraffic(window time.Duration) { l.window = window }

// requireForTokens adds an error for each of some parameters that is not stated though
// the unit is tokens: their defaults are numbers of requests.
func (l *loader) requireForTokens(unit string, names ...string) {
	if unit != "tokens" {
		return
	}
	for _, name := range names {
		l.Require(name, "state it in tokens: the default counts requests")
	}
}

// needsDelay adds an error for each of some parameters that is stated though nothing
// waits.
func (l *loader) needsDelay(names ...string) {
	for _, name := range names {
		l.Forbid(name, "has no effect with over=reject: set over to delay")
	}
}
