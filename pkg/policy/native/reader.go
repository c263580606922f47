// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
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

// mostWhole is the greatest whole number that a parameter may be, where nothing else bounds
// it.
const mostWhole = 1 << 30

// count reads a whole number that is at least 1.
func (r *reader) count(name string, otherwise int) int { return r.whole(name, otherwise, 1) }

// whole reads a whole number that is at least so much.
func (r *reader) whole(name string, otherwise, least int) int {
	return r.integer(name, otherwise, least, mostWhole, fmt.Sprintf("must be a whole number of at least %d", least))
}

// bounded reads a whole number from 1 to so much.
func (r *reader) bounded(name string, otherwise, most int) int {
	return r.integer(name, otherwise, 1, most, fmt.Sprintf("must be a whole number from 1 to %d", most))
}

func (r *reader) integer(name string, otherwise, least, most int, detail string) int {
	text, ok := r.text(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		r.invalid(name, text, detail)
		return otherwise
	}
	return n
}

// share reads a number from 0 to 1.
func (r *reader) share(name string, otherwise float64) float64 {
	return r.number(name, otherwise, 0, 1, "must be a number from 0 to 1")
}

// factor reads a number that is at least so much, at most a million.
func (r *reader) factor(name string, otherwise float64, least int) float64 {
	const most = 1e6
	return r.number(name, otherwise, float64(least), most, fmt.Sprintf("must be a number from %d to 1000000", least))
}

func (r *reader) number(name string, otherwise, least, most float64, detail string) float64 {
	text, ok := r.text(name)
	if !ok {
		return otherwise
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= least && x <= most) {
		r.invalid(name, text, detail)
		return otherwise
	}
	return x
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

// forbid refuses a parameter, where it is stated.
func (r *reader) forbid(name, detail string) {
	if _, ok := r.text(name); ok {
		r.errs = append(r.errs, field.Forbidden(r.path.Key(name), detail))
	}
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
