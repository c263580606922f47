// SPDX-License-Identifier: Apache-2.0

package native

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A reader reads parameters one by one and collects what is wrong with them.
type reader struct {
	values map[string]string
	path   *field.Path
	known  []string
	errs   field.ErrorList
}

func newReader(values map[string]string, path *field.Path) *reader {
	return &reader{values: values, path: path}
}

func (r *reader) text(name string) (string, bool) {
	r.known = append(r.known, name)
	text, ok := r.values[name]
	return text, ok
}

func (r *reader) invalid(name, value, detail string) {
	r.errs = append(r.errs, field.Invalid(r.path.Key(name), value, detail))
}

// count reads a number that is at least 1.
func (r *reader) count(name string, otherwise int) int {
	text, ok := r.text(name)
	if !ok {
		return otherwise
	}
	const most = 1 << 30
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		r.invalid(name, text, "must be a whole number of at least 1")
		return otherwise
	}
	return n
}

// duration reads a time that is not negative.
func (r *reader) duration(name string, otherwise time.Duration) time.Duration {
	text, ok := r.text(name)
	if !ok {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		r.invalid(name, text, "must be a duration such as 50ms")
		return otherwise
	}
	return d
}

// choice reads one of some words, the first of which is the default.
func (r *reader) choice(name string, allowed ...string) string {
	text, ok := r.text(name)
	if !ok {
		return allowed[0]
	}
	if !slices.Contains(allowed, text) {
		r.errs = append(r.errs, field.NotSupported(r.path.Key(name), text, allowed))
	}
	return text
}

// done returns what is wrong, with the parameters that nobody has asked for.
func (r *reader) done() field.ErrorList {
	slices.Sort(r.known)
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		switch {
		case slices.Contains(r.known, name):
		case len(r.known) == 0:
			r.errs = append(r.errs, field.Forbidden(r.path.Key(name), "there are no parameters"))
		default:
			r.errs = append(r.errs, unknown(r.path.Key(name), name, "parameter", r.known))
		}
	}
	return r.errs
}
