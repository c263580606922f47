// SPDX-License-Identifier: Apache-2.0

package route

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// metadata is what counts of an object's metadata.
type metadata struct {
	Name              string    `json:"name"`
	Namespace         string    `json:"namespace"`
	CreationTimestamp time.Time `json:"creationTimestamp"`
}

// document is an object as JSON, with what says which it is.
type document struct {
	Kind     string          `json:"kind"`
	Metadata metadata        `json:"metadata"`
	Spec     json.RawMessage `json:"spec"`
	Items    []any           `json:"items"`
}

// find returns the documents of a kind in a text, the oldest first. Other objects are passed over;
// those of a list are as if they stood alone.
func find(text []byte, kind string, at *field.Path) ([]document, field.ErrorList) {
	var all []document
	var kinds []string
	for documents := yamlv3.NewDecoder(bytes.NewReader(text)); ; {
		var value any
		err := documents.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = add(&all, &kinds, value, kind)
		}
		if err != nil {
			return nil, field.ErrorList{field.Invalid(at, "", "is not YAML: "+err.Error())}
		}
	}
	if len(all) == 0 {
		return nil, field.ErrorList{field.Invalid(at, strings.Join(kinds, ", "), fmt.Sprintf("has no %s; it has objects of kind %s", kind, spelling.Quote(kinds)))}
	}
	slices.SortStableFunc(all, func(a, b document) int { return a.Metadata.CreationTimestamp.Compare(b.Metadata.CreationTimestamp) })
	return all, nil
}

func add(all *[]document, kinds *[]string, value any, kind string) error {
	raw, err := json.Marshal(value)
	if err != nil || value == nil {
		return err
	}
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	for _, item := range d.Items {
		if err := add(all, kinds, item, kind); err != nil {
			return err
		}
	}
	if d.Kind == kind {
		*all = append(*all, d)
	} else if !slices.Contains(*kinds, d.Kind) {
		*kinds = append(*kinds, d.Kind)
	}
	return nil
}

// decode reads the spec of a document. Fields that the type does not have are errors.
func (d *document) decode(spec any, at *field.Path) field.ErrorList {
	strict, err := kjson.UnmarshalStrict(d.Spec, spec)
	if err != nil {
		return field.ErrorList{field.Invalid(at.Child("spec"), d.Metadata.Name, err.Error())}
	}
	var errs field.ErrorList
	for _, fault := range strict {
		errs = append(errs, field.Invalid(at.Child("spec"), d.Metadata.Name, fault.Error()))
	}
	return errs
}

// uniqueName is a name, with a number where it is taken.
func uniqueName(name string, taken func(name string) bool) string {
	free := name
	for i := 1; taken(free); i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}
