// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Parameter describes a parameter that a policy reads.
type Parameter struct {
	// Name is the parameter's name. It ends in :NAME where there is one for each of
	// some names.
	Name string
	// Default is the value of a parameter that is not stated; empty where there is
	// none.
	Default string
	// Help says what the parameter means, with its unit.
	Help string
}

// A Reader reads parameters one by one and collects what is wrong with them.
type Reader struct {
	values map[string]string
	path   *field.Path
	known  []Parameter
	read   map[string]bool
	errs   field.ErrorList
	// Owner is whose the parameters are, for the error where it has none; empty where the
	// error says no name.
	Owner string
	// IgnoresNames says that the names that a policy knows are not all that there
	// are: parameters of others are ignored.
	IgnoresNames bool
}

// NewReader returns a reader of values. Errors have the paths of the values' keys under
// path.
func NewReader(values map[string]string, path *field.Path) *Reader {
	return &Reader{values: values, path: path, read: map[string]bool{}}
}

// text returns the value of a parameter, if it is stated, and notes that there is one.
func (r *Reader) text(name, otherwise, help string) (string, bool) {
	r.known = append(r.known, Parameter{name, otherwise, help})
	r.read[name] = true
	text, ok := r.values[name]
	return text, ok
}

// Invalid adds an error about a parameter that was read.
func (r *Reader) Invalid(name, detail string) {
	value, stated := r.values[name]
	if !stated {
		value = r.known[slices.IndexFunc(r.known, func(p Parameter) bool { return p.Name == name })].Default
	}
	r.errs = append(r.errs, field.Invalid(r.path.Key(name), value, detail))
}

// Require adds an error if a parameter is not stated.
func (r *Reader) Require(name, detail string) {
	if _, ok := r.values[name]; !ok {
		r.errs = append(r.errs, field.Required(r.path.Key(name), detail))
	}
}

// maxCount bounds whole numbers.
const maxCount = 1 << 30

// Forbid adds an error if a parameter is stated.
func (r *Reader) Forbid(name, detail string) {
	if _, ok := r.values[name]; ok {
		r.errs = append(r.errs, field.Forbidden(r.path.Key(name), detail))
	}
}

// Refuse is Forbid for a name that may be stated though no parameter has it.
func (r *Reader) Refuse(name, detail string) {
	r.read[name] = true
	r.Forbid(name, detail)
}

// Count reads a whole number that is at least 1.
func (r *Reader) Count(name string, otherwise int, help string) int {
	return r.Whole(name, 1, otherwise, help)
}

// Whole reads a whole number that is at least so much.
func (r *Reader) Whole(name string, least, otherwise int, help string) int {
	return r.whole(name, least, maxCount, otherwise, help, fmt.Sprintf("must be a whole number of at least %d", least))
}

// CountUpTo reads a whole number from 1 to so much.
func (r *Reader) CountUpTo(name string, most, otherwise int, help string) int {
	return r.whole(name, 1, most, otherwise, help, fmt.Sprintf("must be a whole number from 1 to %d", most))
}

func (r *Reader) whole(name string, least, most, otherwise int, help, detail string) int {
	text, ok := r.text(name, strconv.Itoa(otherwise), help)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		r.Invalid(name, detail)
		return otherwise
	}
	return n
}

// OptionalCount is Count for a parameter that may be absent: then it is otherwise, and 0
// stands for none.
func (r *Reader) OptionalCount(name string, otherwise int, help string) int {
	if _, ok := r.values[name]; ok || otherwise > 0 {
		return r.Count(name, otherwise, help)
	}
	r.text(name, "", help)
	return otherwise
}

// Integer reads a whole number, which may be negative.
func (r *Reader) Integer(name string, otherwise int, help string) int {
	text, ok := r.text(name, strconv.Itoa(otherwise), help)
	if !ok {
		return otherwise
	}
	return r.integer(name, text, otherwise)
}

func (r *Reader) integer(name, text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < -maxCount || n > maxCount {
		r.Invalid(name, "must be a whole number")
		return otherwise
	}
	return n
}

// Positive reads a number that is greater than 0.
func (r *Reader) Positive(name string, otherwise float64, help string) float64 {
	text, ok := r.text(name, number(otherwise), help)
	if !ok {
		return otherwise
	}
	return r.positive(name, text, otherwise)
}

// PositiveUpTo reads a number that is greater than 0 and at most so much.
func (r *Reader) PositiveUpTo(name string, most, otherwise float64, help string) float64 {
	text, ok := r.text(name, number(otherwise), help)
	if !ok {
		return otherwise
	}
	return r.positiveUpTo(name, text, most, otherwise)
}

func (r *Reader) positiveUpTo(name, text string, most, otherwise float64) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0 && n <= most) {
		r.Invalid(name, fmt.Sprintf("must be a number greater than 0 and at most %s", number(most)))
		return otherwise
	}
	return n
}

func (r *Reader) positive(name, text string, otherwise float64) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		r.Invalid(name, "must be a number greater than 0")
		return otherwise
	}
	return n
}

// Between reads a number of an interval, ends included.
func (r *Reader) Between(name string, least, most, otherwise float64, help string) float64 {
	text, ok := r.text(name, number(otherwise), help)
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= least && n <= most) {
		r.Invalid(name, fmt.Sprintf("must be a number from %s to %s", number(least), number(most)))
		return otherwise
	}
	return n
}

// number writes a number in its shortest form; NaN stands for no default.
func number(n float64) string {
	if math.IsNaN(n) {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// Duration reads a time that is greater than 0.
func (r *Reader) Duration(name string, otherwise time.Duration, help string) time.Duration {
	text, ok := r.text(name, otherwise.String(), help)
	if !ok {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		r.Invalid(name, "must be a duration greater than 0, such as 50ms")
		return otherwise
	}
	return d
}

// Delay reads a time that is not negative.
func (r *Reader) Delay(name string, otherwise time.Duration, help string) time.Duration {
	text, ok := r.text(name, otherwise.String(), help)
	if !ok {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		r.Invalid(name, "must be a duration such as 50ms")
		return otherwise
	}
	return d
}

// OptionalDuration is Duration for a parameter that may be absent: then it is 0.
func (r *Reader) OptionalDuration(name, help string) time.Duration {
	if _, ok := r.values[name]; ok {
		return r.Duration(name, 0, help)
	}
	r.text(name, "", help)
	return 0
}

// Numbers reads a list of numbers greater than 0, with commas between them, which must be
// stated.
func (r *Reader) Numbers(name, help string) []float64 {
	text, ok := r.text(name, "", help)
	if !ok {
		r.Require(name, "state "+help)
		return nil
	}
	var all []float64
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(n > 0) || math.IsInf(n, 0) {
			r.Invalid(name, "must be numbers greater than 0 with commas between them, such as 1,2,3")
			return nil
		}
		all = append(all, n)
	}
	return all
}

// Word reads any text.
func (r *Reader) Word(name, otherwise, help string) string {
	if text, ok := r.text(name, otherwise, help); ok {
		return text
	}
	return otherwise
}

// Choice reads one of some words, the first of which is the default.
func (r *Reader) Choice(name, help string, allowed ...string) string {
	text, ok := r.text(name, allowed[0], help+": "+strings.Join(allowed, ", "))
	if !ok {
		return allowed[0]
	}
	if !slices.Contains(allowed, text) {
		r.errs = append(r.errs, field.NotSupported(r.path.Key(name), text, allowed))
	}
	return text
}

// PositiveOf reads numbers greater than 0 by name: NAME of the parameter prefix:NAME.
// The result is indexed as names; what is not stated has the default. A name that does
// not exist is an error, in which kind says what names are of.
func (r *Reader) PositiveOf(prefix, kind string, names []string, otherwise float64, help string) []float64 {
	values := make([]float64, len(names))
	for i := range values {
		values[i] = otherwise
	}
	r.each(prefix, kind, names, number(otherwise), help, func(i int, key, text string) {
		values[i] = r.positive(key, text, otherwise)
	})
	return values
}

// PositiveByName reads numbers greater than 0 and at most so much by any name: NAME of the
// parameter prefix:NAME. The result has those that are stated.
func (r *Reader) PositiveByName(prefix, kind string, most, otherwise float64, help string) map[string]float64 {
	r.known = append(r.known, Parameter{prefix + ":" + strings.ToUpper(kind), number(otherwise), help})
	values := map[string]float64{}
	for _, key := range slices.Sorted(maps.Keys(r.values)) {
		if name, ok := strings.CutPrefix(key, prefix+":"); ok && name != "" {
			r.read[key] = true
			values[name] = r.positiveUpTo(key, r.values[key], most, otherwise)
		}
	}
	return values
}

// IntegersOf is PositiveOf for whole numbers, which may be negative.
func (r *Reader) IntegersOf(prefix, kind string, names []string, otherwise int, help string) []int {
	values := make([]int, len(names))
	for i := range values {
		values[i] = otherwise
	}
	r.each(prefix, kind, names, strconv.Itoa(otherwise), help, func(i int, key, text string) {
		values[i] = r.integer(key, text, otherwise)
	})
	return values
}

// each calls do for each stated parameter prefix:NAME with the index of NAME.
func (r *Reader) each(prefix, kind string, names []string, otherwise, help string, do func(i int, key, text string)) {
	r.known = append(r.known, Parameter{prefix + ":" + strings.ToUpper(kind), otherwise, help})
	for _, key := range slices.Sorted(maps.Keys(r.values)) {
		name, ok := strings.CutPrefix(key, prefix+":")
		if !ok {
			continue
		}
		r.read[key] = true
		i := slices.Index(names, name)
		if i < 0 && r.IgnoresNames {
			continue
		}
		if i < 0 {
			r.errs = append(r.errs, Unknown(r.path.Key(key), name, kind, names))
			continue
		}
		do(i, key, r.values[key])
	}
}

// Known lists the parameters that were read, in order.
func (r *Reader) Known() []Parameter { return r.known }

// Done returns what is wrong, with the parameters that were not read.
func (r *Reader) Done() field.ErrorList {
	var names []string
	for _, p := range r.known {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		switch {
		case r.read[name]:
		case len(names) == 0:
			detail := "there are no parameters"
			if r.Owner != "" {
				detail = r.Owner + " has no parameters"
			}
			r.errs = append(r.errs, field.Forbidden(r.path.Key(name), detail))
		default:
			r.errs = append(r.errs, Unknown(r.path.Key(name), name, "parameter", names))
		}
	}
	return r.errs
}
