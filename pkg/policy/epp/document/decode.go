// SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// Versions of the API of configurations.
const (
	APIVersionV1 = "llm-d.ai/v1"
	APIVersion   = "llm-d.ai/v1alpha1"
)

// DecodeDocument fills a document and reports fields of a wrong type, and apart
// from them those that the release does not have, each with its path.
func DecodeDocument(n Node, into any, of version.Dialect, path *field.Path) (wrong, unknown field.ErrorList) {
	d := Decoder{At: of.Framework, fork: of.Fork, v1: of.Framework >= version.Router11 && n.statesV1()}
	d.Value(n, reflect.ValueOf(into).Elem(), path)
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
func (n *Node) statesV1() bool {
	for _, m := range n.Fields {
		if m.name == "apiVersion" {
			return m.value.text == APIVersionV1
		}
	}
	return true
}

// DecodeParameters fills a plugin's parameters, whose names the EPP takes in any
// case. It reports fields of a wrong type, and those that the release does not
// have: as faults if it is strict, else for their own sake.
func DecodeParameters(n Node, into any, at version.Release, strict bool, path *field.Path) (faults, ignored field.ErrorList) {
	d := Decoder{At: at, fork: at == version.Router11, AnyCase: true}
	d.Value(n, reflect.ValueOf(into).Elem(), path)
	for _, f := range d.inOrder() {
		if f.unknown && !strict {
			ignored = append(ignored, f.err)
		} else {
			faults = append(faults, f.err)
		}
	}
	return faults, ignored
}

// A Decoder is for one release.
type Decoder struct {
	At      version.Release
	fork    bool
	AnyCase bool
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

func (d *Decoder) inOrder() []decodingFault {
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
type scalar interface{ Decode(Node) error }

// Value fills a Go value. As in encoding/json, null empties a pointer, map or
// list, whatever its default, and leaves all else as it is.
func (d *Decoder) Value(n Node, into reflect.Value, path *field.Path) {
	if raw, ok := into.Addr().Interface().(*Node); ok {
		*raw = n
		return
	}
	if s, ok := into.Addr().Interface().(scalar); ok {
		if err := s.Decode(n); err != nil {
			d.faults = append(d.faults, decodingFault{stops: true, err: field.Invalid(path, n.plain(), err.Error())})
		}
		return
	}
	if n.Kind == NullNode {
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
		d.Value(n, into.Elem(), path)
	case reflect.Struct:
		d.object(n, into, path)
	case reflect.Slice:
		d.list(n, into, path)
	case reflect.Map:
		d.entries(n, into, path)
	default:
		d.basic(n, into, path)
	}
}

// nullable reports whether null empties values of a kind.
func nullable(kind reflect.Kind) bool {
	return kind == reflect.Pointer || kind == reflect.Map || kind == reflect.Slice
}

func (d *Decoder) object(n Node, into reflect.Value, path *field.Path) {
	if n.Kind != ObjectNode {
		d.invalid(n, path, "must be an object")
		return
	}
	for _, m := range n.Fields {
		at := path.Child(m.name)
		i := d.Find(into.Type(), m.name)
		if i < 0 {
			d.faults = append(d.faults, decodingFault{unknown: true, err: field.Forbidden(at, d.unknownField(into, m.name))})
			continue
		}
		d.Value(m.value, into.Field(i), at)
	}
}

// movedFields is a type that knows what became of fields that it does not have.
type movedFields interface{ Moved(name string) string }

func (d *Decoder) unknownField(into reflect.Value, name string) string {
	t, text, latest := into.Type(), "unknown field", version.Release(0)
	for i := range t.NumField() {
		switch f := t.Field(i); {
		case !d.named(f, name) || RangeOf(f).Last < latest:
		case !RangeOf(f).Has(d.At):
			latest = RangeOf(f).Last
			text = fmt.Sprintf("unknown field in %s; %s", d.At, RangeOf(f).UnavailableReason(d.At))
		case d.v1:
			text = fmt.Sprintf("unknown field in %s; %s has it", APIVersionV1, APIVersion)
		default:
			text = fmt.Sprintf("unknown field in %s; %s has it", APIVersion, APIVersionV1)
		}
	}
	if t, ok := into.Addr().Interface().(movedFields); ok {
		if where := t.Moved(name); where != "" {
			return text + "; " + where
		}
	}
	names := d.fieldNames(t)
	if text != "unknown field" {
		return text
	}
	if news, ok := version.Announced(name); ok {
		return text + "; " + news
	}
	text += (&version.Dialect{Fork: d.fork}).PerhapsNewer()
	if len(names) == 0 {
		return text + "; there are none"
	}
	return text + "; there are " + strings.Join(names, ", ") + DidYouMean(name, names)
}

// Find returns the index of the struct's field with that name, or -1. The exact
// name goes before the same one in another case.
func (d *Decoder) Find(t reflect.Type, name string) int {
	folded := -1
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !d.named(f, name) || !d.Has(f):
		case FieldName(f) == name:
			return i
		case folded < 0:
			folded = i
		}
	}
	return folded
}

func (d *Decoder) named(f reflect.StructField, name string) bool {
	known := FieldName(f)
	return known == name || d.AnyCase && strings.EqualFold(known, name)
}

// Has reports whether the release has a field. A v1 tag says that only llm-d.ai/v1
// has it, or all but that.
func (d *Decoder) Has(f reflect.StructField) bool {
	of := f.Tag.Get("v1")
	return RangeOf(f).Has(d.At) && (of == "" || (of == "only") == d.v1)
}

// RangeOf returns the releases that have a field, by its tag versions.
func RangeOf(f reflect.StructField) version.Range {
	return version.ParseRange(f.Tag.Get("versions"))
}

func (d *Decoder) fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if f := t.Field(i); d.Has(f) {
			names = append(names, FieldName(f))
		}
	}
	slices.Sort(names)
	return names
}

// ReadsParameters reports whether a release has any of the parameters.
func ReadsParameters(parameters any, at version.Release) bool {
	d := Decoder{At: at}
	return len(d.fieldNames(reflect.TypeOf(parameters).Elem())) > 0
}

// FieldName is a field's name in a document.
func FieldName(f reflect.StructField) string {
	if name := f.Tag.Get("name"); name != "" {
		return name
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// list fills a list. As in encoding/json, its elements begin as those of the
// default.
func (d *Decoder) list(n Node, into reflect.Value, path *field.Path) {
	if n.Kind != listNode {
		d.invalid(n, path, "must be a list")
		return
	}
	list := reflect.MakeSlice(into.Type(), len(n.items), len(n.items))
	reflect.Copy(list, into)
	for i, item := range n.items {
		d.Value(item, list.Index(i), path.Index(i))
	}
	into.Set(list)
}

// entries fills a map from strings.
func (d *Decoder) entries(n Node, into reflect.Value, path *field.Path) {
	if n.Kind != ObjectNode {
		d.invalid(n, path, "must be an object")
		return
	}
	entries := reflect.MakeMap(into.Type())
	for _, m := range n.Fields {
		value := reflect.New(into.Type().Elem()).Elem()
		d.Value(m.value, value, path.Key(m.name))
		entries.SetMapIndex(reflect.ValueOf(m.name), value)
	}
	into.Set(entries)
}

func (d *Decoder) basic(n Node, into reflect.Value, path *field.Path) {
	switch into.Kind() {
	case reflect.String:
		if n.Kind != stringNode {
			d.invalid(n, path, "must be a string")
			return
		}
		into.SetString(n.text)
	case reflect.Bool:
		if n.Kind != booleanNode {
			d.invalid(n, path, "must be true or false")
			return
		}
		into.SetBool(n.text == "true")
	case reflect.Int, reflect.Int64:
		v, err := strconv.ParseInt(n.text, 10, 64)
		if n.Kind != numberNode || err != nil {
			d.invalid(n, path, "must be a whole number")
			return
		}
		into.SetInt(v)
	case reflect.Float64:
		v, err := strconv.ParseFloat(n.text, 64)
		if n.Kind != numberNode || err != nil {
			d.invalid(n, path, "must be a number")
			return
		}
		into.SetFloat(v)
	default:
		panic(fmt.Sprintf("epp: decode into %s", into.Type()))
	}
}

func (d *Decoder) invalid(n Node, path *field.Path, detail string) {
	d.faults = append(d.faults, decodingFault{err: field.Invalid(path, n.plain(), detail)})
}

// DidYouMean suggests the name that is nearest, if one is near.
func DidYouMean(name string, known []string) string {
	slices.Sort(known)
	nearest := spelling.Slip(name, known)
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}
