// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A Level says how bad a finding is.
type Level string

// Levels.
const (
	OK   Level = "ok"
	Warn Level = "warn"
	Fail Level = "fail"
	// CannotRun says that a check could not look.
	CannotRun Level = "cannot run"
)

// A Finding is what a check found.
type Finding struct {
	Check   string `json:"check"`
	Level   Level  `json:"level"`
	Message string `json:"message"`
	// Mend is the command that mends it, if one does.
	Mend string `json:"mend,omitempty"`
}

// A check looks at one thing.
type check struct {
	name string
	look func(context.Context) []Finding
}

// run runs checks in their order. A finding without a check's name gets it.
func run(ctx context.Context, checks []check) []Finding {
	var all []Finding
	for _, c := range checks {
		for _, f := range c.look(ctx) {
			f.Check = c.name
			all = append(all, f)
		}
	}
	return all
}

// Failed reports whether a check found a failure.
func Failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Level == Fail })
}

func one(level Level, mend, format string, args ...any) []Finding {
	return []Finding{{Level: level, Mend: mend, Message: fmt.Sprintf(format, args...)}}
}

// cannot says why a check could not look.
func cannot(what string, err error) []Finding {
	if apierrors.IsForbidden(err) {
		return one(CannotRun, "", "you may not %s, so that this is not known", what)
	}
	return one(CannotRun, "", "%s: %v", what, err)
}
