// SPDX-License-Identifier: Apache-2.0

package adaptive

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// Spec is what changes the weights, as a user writes it.
type Spec struct {
	// Law is the name of one of the laws.
	Law string
	// Parameters are those of the law and those in common; what is not stated has its
	// default.
	Parameters map[string]string
}

// Config is a Spec without faults. It is immutable.
type Config struct {
	law  string
	path *field.Path
	make func(world) law
	loader
}

// Load checks a Spec. Errors have the paths of its fields under path, spelled as in
// JSON, where the law is policy; all errors that can be found are returned at once.
func Load(spec Spec, path *field.Path) (*Config, field.ErrorList) {
	of, unknown := laws.Find(path.Child("policy"), spec.Law, "law")
	if unknown != nil {
		return nil, field.ErrorList{unknown}
	}
	c := &Config{law: spec.Law, path: path, loader: *newLoader(spec.Parameters, path.Child("parameters"))}
	c.readCommon()
	c.make = of.Read(&c.loader)
	if errs := c.Done(); len(errs) > 0 {
		return nil, errs
	}
	return c, nil
}

// LearnsFromRejections reports whether the law learns from rejections alone.
func (c *Config) LearnsFromRejections() bool { return !c.learnsFromGoodput }

// CapsByWorkload reports whether the cap is 1/m of the workload.
func (c *Config) CapsByWorkload() bool { return c.capsByWorkload }

// Window is the time over which rates are counted for the law, which reads none.
const Window = time.Minute

// A loader reads parameters.
type loader struct {
	*parameters.Reader
	epochRequests  int64
	epochTime      time.Duration
	prefix, load   []string // scorers
	profile        string
	limit          limit
	capsByWorkload bool

	// What the law says: that its epochs count admitted requests, what it learns from,
	// and between which values it moves the weights.
	countsAdmitted, learnsFromGoodput bool
	bounds                            *bounds
}

func newLoader(values map[string]string, path *field.Path) *loader {
	return &loader{Reader: parameters.NewReader(values, path)}
}

// readCommon reads what all laws have.
func (l *loader) readCommon() {
	l.epochTime = l.OptionalDuration("epochTime", "the time after which an epoch ends")
	otherwise := 100
	if l.epochTime > 0 {
		otherwise = 0
	}
	l.epochRequests = int64(l.OptionalCount("epochRequests", otherwise, "arrivals after which an epoch ends; with epochTime alone there is no such number"))
	l.limit, l.capsByWorkload = readLimit(l)
	l.prefix = names(l.Word("prefix", "", "the scorers that look at prefixes, with commas between them; by default all that do"))
	l.load = names(l.Word("load", "", "the scorers that look at load, likewise"))
	l.profile = l.Word("profile", "", "the scheduling profile whose weights change; by default all profiles")
}

// names are the words of a list.
func names(list string) []string {
	if list == "" {
		return nil
	}
	all := strings.Split(list, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}
