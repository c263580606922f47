// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"windtunnel.dev/windtunnel/internal/spelling"
)

// Versions of the API of configurations.
const (
	apiVersionV1 = "llm-d.ai/v1"
	apiVersion   = "llm-d.ai/v1alpha1"
)

// decodeDocument fills a document and reports fields of a wrong type, and apart
// from them those that the release does not have, each with its path.
func decodeDocument(n node, into any, of dialect, path *field.Path) (wrong, unknown field.ErrorList) {
	d := decoder{at: of.framework, fork: of.fork, v1: of.framework >= router11 && n.statesV1()}
	d.value(n, reflect.ValueOf(into).Elem(), path)
	for _, f := range d.inOrder() {
		if f.unknown {
			unknown = append(unknown, f.err)
		} else {
			wrong = append(wrong, f.err)
		}
	}
	return wrong, unknown
}

// statesV1 reports whether a document is of llm-d.ai/v1, as one that does not say
// is taken to be by versions that know it.
func (n *node) statesV1() bool {
	for _, m := range n.fields {
		if m.name == "apiVersion" {
			return m.value.text == apiVersionV1
		}
	}
	return true
}

// decodeParameters fills a plugin's parameters, whose names the EPP takes in any
// case. It reports fields of a wrong type, and those that the release does not
// have: as faults if it is strict, else for their own sake.
func decodeParameters(n node, into any, at release, strict bool, path *field.Path) (faults, ignored field.ErrorList) {
	d := decoder{at: at, fork: at == router11, anyCase: true}
	d.value(n, reflect.ValueOf(into).Elem(), path)
	for _, f := range d.inOrder() {
		if f.unknown && !strict {
			ignored = append(ignored, f.err)
		} else {
			faults = append(faults, f.err)
		}
	}
	return faults, ignored
}

// A decoder is for one release.
type decoder struct {
	at      release
	fork    bool
	anyCase bool
	// v1 is whether the document is of llm-d.ai/v1.
	v1     bool
	faults []decodingFault
}

// A decodingFault that stops is reported by the EPP's decoder before all others:
// it is about a type that decodes itself.
type decodingFault struct {
	unknown, stops bool

	err *field.Error
}

func (d *decoder) inOrder() []decodingFault {
	slices.SortStableFunc(d.faults, func(a, b decodingFault) int {
		switch {
		case a.stops == b.stops:
			return 0
		case a.stops:
			return -1
		}
		return 1
	})
	return d.faults
}

// scalar is a type that reads itself from a node, null too. The error says what
// it must be.
type scalar interface{ decode(node) error }

// value fills a Go value. As in encoding/json, null empties a pointer, map or
// list, whatever its default, and leaves all else as it is.
func (d *decoder) value(n node, into reflect.Value, path *field.Path) {
	if raw, ok := into.Addr().Interface().(*node); ok {
		*raw = n
		return
	}
	if s, ok := into.Addr().Interface().(scalar); ok {
		if err := s.decode(n); err != nil {
			d.faults = append(d.faults, decodingFault{stops: true, err: field.Invalid(path, n.plain(), err.Error())})
		}
		return
	}
	if n.kind == nullNode {
		if nullable(into.Kind()) {
			into.SetZero()
		}
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		d.value(n, into.Elem(), path)
	case reflect.Struct:
		d.object(n, into, path)
	case reflect.Slice:
		d.list(n, into, path)
	case reflect.Map:
		d.texts(n, into, path)
	default:
		d.basic(n, into, path)
	}
}

// nullable reports whether null empties values of a kind.
func nullable(kind reflect.Kind) bool {
	return kind == reflect.Pointer || kind == reflect.Map || kind == reflect.Slice
}

func (d *decoder) object(n node, into reflect.Value, path *field.Path) {
	if n.kind != objectNode {
		d.invalid(n, path, "must be an object")
		return
	}
	for _, m := range n.fields {
		at := path.Child(m.name)
		i := d.find(into.Type(), m.name)
		if i < 0 {
			d.faults = append(d.faults, decodingFault{unknown: true, err: field.Forbidden(at, d.unknownField(into, m.name))})
			continue
		}
		d.value(m.value, into.Field(i), at)
	}
}

// movedFields is a type that knows what became of fields that it does not have.
type movedFields interface{ moved(name string) string }

func (d *decoder) unknownField(into reflect.Value, name string) string {
	t, text, latest := into.Type(), "unknown field", release(0)
	for i := range t.NumField() {
		switch f := t.Field(i); {
		case !d.named(f, name) || rangeOf(f).last < latest:
		case !rangeOf(f).has(d.at):
			latest = rangeOf(f).last
			text = fmt.Sprintf("unknown field in %s; %s", d.at, rangeOf(f).whyNot(d.at))
		case d.v1:
			text = fmt.Sprintf("unknown field in %s; %s has it", apiVersionV1, apiVersion)
		default:
			text = fmt.Sprintf("unknown field in %s; %s has it", apiVersion, apiVersionV1)
		}
	}
	if t, ok := into.Addr().Interface().(movedFields); ok {
		if where := t.moved(name); where != "" {
			return text + "; " + where
		}
	}
	names := d.fieldNames(t)
	if text != "unknown field" {
		return text
	}
	text += (&dialect{fork: d.fork}).perhapsNewer()
	if len(names) == 0 {
		return text + "; there are none"
	}
	return text + "; there are " + strings.Join(names, ", ") + didYouMean(name, names)
}

// find returns the index of the struct's field with that name, or -1. The exact
// name goes before the same one in another case.
func (d *decoder) find(t reflect.Type, name string) int {
	folded := -1
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !d.has(f):
		case fieldName(f) == name:
			return i
		case folded < 0 && d.named(f, name):
			folded = i
		}
	}
	return folded
}

func (d *decoder) named(f reflect.StructField, name string) bool {
	known := fieldName(f)
	return known == name || d.anyCase && strings.EqualFold(known, name)
}

// has reports whether the release has a field. A v1 tag says that only llm-d.ai/v1
// has it, or all but that.
func (d *decoder) has(f reflect.StructField) bool {
	of := f.Tag.Get("v1")
	return rangeOf(f).has(d.at) && (of == "" || (of == "only") == d.v1)
}

func rangeOf(f reflect.StructField) versionRange { return parseRange(f.Tag.Get("versions")) }

func (d *decoder) fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if f := t.Field(i); d.has(f) {
			names = append(names, fieldName(f))
		}
	}
	slices.Sort(names)
	return names
}

// readsParameters reports whether a release has any of the parameters.
func readsParameters(parameters any, at release) bool {
	d := decoder{at: at}
	return len(d.fieldNames(reflect.TypeOf(parameters).Elem())) > 0
}

// fieldName is a field's name in a document.
func fieldName(f reflect.StructField) string {
	if name := f.Tag.Get("name"); name != "" {
		return name
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// list fills a list. As in encoding/json, its elements begin as those of the
// default.
func (d *decoder) list(n node, into reflect.Value, path *field.Path) {
	if n.kind != listNode {
		d.invalid(n, path, "must be a list")
		return
	}
	list := reflect.MakeSlice(into.Type(), len(n.items), len(n.items))
	reflect.Copy(list, into)
	for i, item := range n.items {
		d.value(item, list.Index(i), path.Index(i))
	}
	into.Set(list)
}

// texts fills a map from strings to strings.
func (d *decoder) texts(n node, into reflect.Value, path *field.Path) {
	if n.kind != objectNode {
		d.invalid(n, path, "must be an object")
		return
	}
	texts := map[string]string{}
	for _, m := range n.fields {
		var text string
		d.value(m.value, reflect.ValueOf(&text).Elem(), path.Key(m.name))
		texts[m.name] = text
	}
	into.Set(reflect.ValueOf(texts))
}

func (d *decoder) basic(n node, into reflect.Value, path *field.Path) {
	switch into.Kind() {
	case reflect.String:
		if n.kind != stringNode {
			d.invalid(n, path, "must be a string")
			return
		}
		into.SetString(n.text)
	case reflect.Bool:
		if n.kind != booleanNode {
			d.invalid(n, path, "must be true or false")
			return
		}
		into.SetBool(n.text == "true")
	case reflect.Int, reflect.Int64:
		v, err := strconv.ParseInt(n.text, 10, 64)
		if n.kind != numberNode || err != nil {
			d.invalid(n, path, "must be a whole number")
			return
		}
		into.SetInt(v)
	case reflect.Float64:
		v, err := strconv.ParseFloat(n.text, 64)
		if n.kind != numberNode || err != nil {
			d.invalid(n, path, "must be a number")
			return
		}
		into.SetFloat(v)
	default:
		panic(fmt.Sprintf("epp: decode into %s", into.Type()))
	}
}

func (d *decoder) invalid(n node, path *field.Path, detail string) {
	d.faults = append(d.faults, decodingFault{err: field.Invalid(path, n.plain(), detail)})
}

// didYouMean suggests the name that is nearest, if one is near.
func didYouMean(name string, known []string) string {
	best, nearest := len(name)/4+1, ""
	slices.Sort(known)
	for _, k := range known {
		if distance := spelling.Distance(strings.ToLower(name), strings.ToLower(k)); distance < best {
			best, nearest = distance, k
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}
