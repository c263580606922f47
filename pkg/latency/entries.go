// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// Entries are what a catalogue consists of.
type Entries struct {
	Models       []Model       `json:"models,omitempty"`
	Accelerators []Accelerator `json:"accelerators,omitempty"`
}

// ParseEntries reads YAML, one document or several, with lists `models` and
// `accelerators` whose keys are those of Model and Accelerator. Unknown keys,
// keys that are given twice, figures that make no sense and names that are
// taken by another entry here are faults; where there are several documents,
// their number is part of the path.
func ParseEntries(raw []byte, path *field.Path) (Entries, field.ErrorList) {
	var all Entries
	var errs field.ErrorList
	documents := splitDocuments(raw)
	taken := map[string]bool{}
	for n, document := range documents {
		at := path
		if len(documents) > 1 {
			at = path.Index(n)
		}
		entries, es := parseDocument(document, at)
		if len(es) == 0 {
			es = entries.validate(taken, at)
		}
		errs = append(errs, es...)
		all.Models = append(all.Models, entries.Models...)
		all.Accelerators = append(all.Accelerators, entries.Accelerators...)
	}
	if len(errs) == 0 && len(all.Models) == 0 && len(all.Accelerators) == 0 {
		errs = append(errs, field.Required(path, "there are neither models nor accelerators"))
	}
	return all, errs
}

// splitDocuments cuts YAML at lines of three dashes and leaves out documents
// of blank lines and comments only.
func splitDocuments(raw []byte) [][]byte {
	var documents [][]byte
	var document []byte
	content := false
	end := func() {
		if content {
			documents = append(documents, document)
		}
		document, content = nil, false
	}
	for line := range bytes.Lines(raw) {
		text := strings.TrimSpace(string(line))
		if bytes.HasPrefix(line, []byte("---")) && text == "---" {
			end()
			continue
		}
		content = content || text != "" && !strings.HasPrefix(text, "#")
		document = append(document, line...)
	}
	end()
	return documents
}

func parseDocument(raw []byte, path *field.Path) (Entries, field.ErrorList) {
	text, err := yaml.YAMLToJSONStrict(raw)
	if err != nil {
		return Entries{}, field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	var lists struct {
		Models       []json.RawMessage `json:"models"`
		Accelerators []json.RawMessage `json:"accelerators"`
	}
	if errs := decodeStrict(text, &lists, path); len(errs) > 0 {
		return Entries{}, errs
	}
	entries := Entries{Models: make([]Model, len(lists.Models)), Accelerators: make([]Accelerator, len(lists.Accelerators))}
	var errs field.ErrorList
	for n, entry := range lists.Models {
		errs = append(errs, decodeStrict(entry, &entries.Models[n], path.Child("models").Index(n))...)
	}
	for n, entry := range lists.Accelerators {
		errs = append(errs, decodeStrict(entry, &entries.Accelerators[n], path.Child("accelerators").Index(n))...)
	}
	return entries, errs
}

// decodeStrict reads one JSON value; a key that the target does not have, and
// a value of another type, are faults at or under the path.
func decodeStrict(raw []byte, target any, path *field.Path) field.ErrorList {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(target)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		at := path
		if wrong.Field != "" {
			at = path.Child(wrong.Field)
		}
		return field.ErrorList{field.TypeInvalid(at, wrong.Value, "must be "+describeKind(wrong.Type))}
	}
	return field.ErrorList{field.Invalid(path, field.OmitValueType{}, strings.TrimPrefix(err.Error(), "json: "))}
}

func describeKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "a text"
}

// validate reports faults of each entry, and names that are taken already.
func (e Entries) validate(taken map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	claim := func(name string, at *field.Path) {
		if taken[name] {
			errs = append(errs, field.Duplicate(at, name))
		}
		taken[name] = true
	}
	for n, m := range e.Models {
		at := path.Child("models").Index(n)
		errs = append(errs, m.Validate(at)...)
		claim(m.Name, at.Child("name"))
		for k, alias := range m.Aliases {
			claim(alias, at.Child("aliases").Index(k))
		}
	}
	for n, a := range e.Accelerators {
		at := path.Child("accelerators").Index(n)
		errs = append(errs, a.Validate(at)...)
		claim(a.Name, at.Child("name"))
	}
	return errs
}
