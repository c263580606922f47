// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// A table has the fields of a kind by their paths.
type table struct {
	fields map[string]*Field
	below  map[string][]string // the names of the fields of an object, in their order
}

var tables = map[Kind]*table{
	HorizontalPodAutoscaler: newTable(hpaFields), ScaledObject: newTable(scaledObjectFields), PodAutoscaler: newTable(podAutoscalerFields),
	ConfigMap: newTable(configMapFields),
}

func newTable(fields []Field) *table {
	t := &table{fields: map[string]*Field{}, below: map[string][]string{}}
	for i := range fields {
		f := &fields[i]
		t.fields[f.Path] = f
		parent, name := "", f.Path
		if dot := strings.LastIndexByte(f.Path, '.'); dot >= 0 {
			parent, name = f.Path[:dot], f.Path[dot+1:]
		}
		t.below[parent] = append(t.below[parent], name)
	}
	return t
}

// A walker checks an object by the table of its kind.
type walker struct {
	*table
	// refuses says why an entry of a list cannot be read at all.
	refuses func(list *Field, entry tree, path *field.Path) (err *field.Error, valid bool)
	// trigger is the type of the trigger that is looked at.
	trigger string
	// defaulted says that the controller has defaults for what the analyser by percentages needs.
	defaulted bool
	errs      field.ErrorList
	// notSimulated is what a cluster takes and no simulation has.
	notSimulated field.ErrorList
	unread       []Unread
	notes        []string
}

func newWalker(kind Kind) *walker {
	return &walker{table: tables[kind], refuses: kind.refuses()}
}

// object checks the fields of an object that stands at a path of the table.
func (w *walker) object(t tree, at string, path *field.Path) {
	names := w.below[at]
	for _, name := range sorted(t) {
		if t[name] == nil || slices.Contains(names, name) {
			continue
		}
		if at == triggerMetadata {
			w.ignore(name, path.Child(name))
			continue
		}
		w.unknown(name, names, path)
	}
	for _, name := range names {
		f, value := w.fields[join(at, name)], t[name]
		switch {
		case f.of != "" && f.of != w.trigger:
			if value != nil && w.trigger != "" {
				w.unread = append(w.unread, Unread{path.Child(name), "KEDA ignores it in a trigger of type " + w.trigger + "; it goes with type " + f.of})
			}
		case value != nil:
			w.value(f, value, path.Child(name))
		case f.Path == "spec.metrics":
			w.notSimulated = append(w.notSimulated, field.Required(path.Child(name), missing(f)))
		case f.needed && (!w.defaulted || !strings.HasPrefix(f.Note, withoutValue)):
			w.errs = append(w.errs, field.Required(path.Child(name), missing(f)))
		}
	}
}

// first checks a HorizontalPodAutoscaler of autoscaling/v1, which asks for the CPU alone.
func (w *walker) first(spec tree, path *field.Path) {
	w.notSimulated = append(w.notSimulated, field.Invalid(path.Child("apiVersion"), "autoscaling/v1", "it asks for the CPU alone. "+cpuInstead+" of autoscaling/v2"))
	for _, name := range []string{"scaleTargetRef", "minReplicas", "maxReplicas"} {
		f := w.fields[join("spec", name)]
		if spec[name] != nil {
			w.value(f, spec[name], path.Child("spec", name))
		} else if f.needed {
			w.errs = append(w.errs, field.Required(path.Child("spec", name), missing(f)))
		}
	}
}

// triggerMetadata is where the metadata of a trigger stand, of which KEDA reads those that it knows.
const triggerMetadata = "spec.triggers[].metadata"

// ignore notes metadata of a trigger that KEDA does not read.
func (w *walker) ignore(name string, path *field.Path) {
	reason := "KEDA ignores it: a trigger of type " + w.trigger + " has no such metadata"
	var own []string
	for _, known := range w.below[triggerMetadata] {
		if w.fields[join(triggerMetadata, known)].of == w.trigger {
			own = append(own, known)
		}
	}
	if name == "metricType" {
		reason = "KEDA ignores it here: metricType is a field of the trigger, like type and metadata"
	} else if near := spelling.Nearest(name, own); len(near) > 0 {
		reason += "; similar: " + strings.Join(near, ", ")
	}
	w.unread = append(w.unread, Unread{path, reason})
}

func missing(f *Field) string {
	switch {
	case f.Path == "spec.metrics":
		return "without metrics the controller asks for the CPU. " + cpuInstead
	case strings.HasPrefix(f.Note, withoutValue):
		return "must be a number; for a field that is not there, the controller takes 0"
	case len(f.words) > 0:
		return "must be one of " + spelling.Quote(f.words)
	default:
		return "must be " + f.form.String()
	}
}

func (w *walker) unknown(name string, names []string, path *field.Path) {
	detail := "no such field; there are " + spelling.Quote(names)
	if near := spelling.Nearest(name, names); len(near) > 0 {
		detail = "no such field; near to it are " + spelling.Quote(near)
	} else if elsewhere := w.places(name); len(elsewhere) > 0 {
		detail = "no such field here; it belongs to " + strings.Join(elsewhere, " or ")
	}
	w.errs = append(w.errs, field.Forbidden(path.Child(name), detail))
}

// places are the paths of the objects that have a field of a name: the first few of them.
func (w *walker) places(name string) []string {
	var all []string
	for path := range w.fields {
		if parent, is := strings.CutSuffix(path, "."+name); is {
			all = append(all, parent)
		}
	}
	slices.Sort(all)
	return all[:min(len(all), 3)]
}

// value checks what a field holds.
func (w *walker) value(f *Field, value any, path *field.Path) {
	if f.Treatment == Refused && value != false {
		w.notSimulated = append(w.notSimulated, field.Forbidden(path, f.Note))
		return
	}
	if f.Treatment == Approximated && f.Note != otherTarget {
		w.notes = append(w.notes, path.String()+": "+f.Note)
	}
	wrong := func(detail string) { w.errs = append(w.errs, field.Invalid(path, plain(value), detail)) }
	switch f.form {
	case object:
		if t, ok := value.(tree); ok {
			w.object(t, f.Path, path)
			return
		}
	case list:
		if entries, ok := value.([]any); ok {
			w.list(f, entries, path)
			return
		}
	case text:
		if s, ok := value.(string); ok {
			switch {
			case s == "":
				wrong("must not be empty")
			case len(f.words) > 0 && !slices.Contains(f.words, s):
				w.errs = append(w.errs, field.NotSupported(path, s, f.words))
			}
			return
		}
		wrong("must be a string: write it in quotes")
		return
	case whole:
		if n, ok := number(value); ok {
			switch {
			case f.simulated && n > f.most && n <= math.MaxInt32:
				w.notSimulated = append(w.notSimulated, field.Invalid(path, n, fmt.Sprintf("a simulation has at most %d replicas of a pool", f.most)))
			case n < f.least || n > f.most:
				wrong(fmt.Sprintf("must be between %d and %d", f.least, f.most))
			}
			return
		}
	case anyNumber:
		if x, ok := fraction(value); ok {
			if x < float64(f.least) || x > float64(f.most) {
				wrong(fmt.Sprintf("must be between %d and %d", f.least, f.most))
			}
			return
		}
	case quantity:
		if n, err := thousandths(written(value)); err == nil {
			if zero := strings.HasSuffix(f.Path, ".tolerance"); n < 0 || n == 0 && !zero {
				wrong("must be positive")
			}
			return
		}
	case boolean:
		if _, ok := value.(bool); ok {
			return
		}
	case anything:
		return
	}
	wrong("must be " + f.form.String())
}

func (w *walker) list(f *Field, entries []any, path *field.Path) {
	if len(entries) == 0 && f.Path == "spec.metrics" {
		w.notSimulated = append(w.notSimulated, field.Required(path, missing(f)))
		return
	}
	if n := int64(len(entries)); n < f.least || n > f.most {
		w.errs = append(w.errs, field.Invalid(path, n, fmt.Sprintf("must have between %d and %d entries", f.least, f.most)))
	}
	for i, entry := range entries {
		t, ok := entry.(tree)
		if !ok {
			w.errs = append(w.errs, field.Invalid(path.Index(i), plain(entry), "must be an object"))
			continue
		}
		if err, valid := w.refuses(f, t, path.Index(i)); err != nil {
			if valid {
				w.notSimulated = append(w.notSimulated, err)
			} else {
				w.errs = append(w.errs, err)
			}
			continue
		}
		if f.Path == "spec.triggers" {
			w.trigger = words(t, "type")
		}
		w.object(t, f.Path+"[]", path.Index(i))
	}
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func sorted(t tree) []string {
	var names []string
	for name := range t {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// number returns a whole number that fits.
func number(value any) (int64, bool) {
	n, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// fraction returns a number that fits.
func fraction(value any) (float64, bool) {
	n, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	x, err := n.Float64()
	return x, err == nil
}

// written is a quantity as it is written: a string or a number.
func written(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	default:
		return ""
	}
}

// plain is a value for an error.
func plain(value any) any {
	switch value.(type) {
	case string, json.Number, bool:
		return value
	default:
		return field.OmitValueType{}
	}
}
