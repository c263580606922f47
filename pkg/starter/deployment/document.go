// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// A document is one object of a file, or Helm values.
type document struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	file string
	text []byte
}

// name is that of the object in errors and notes.
func (d *document) name() string { return strings.TrimSpace(d.Kind + " " + d.Metadata.Name) }

// at leads to the object, or to the beginning of values.
func (d *document) at() *field.Path {
	if d.Kind == "" {
		return nil
	}
	return field.NewPath(d.name())
}

// decode reads the object into a value of its type. Fields that the type does not have are passed
// over, as an API server of another version has others.
func (d *document) decode(into any) *field.Error {
	if err := yaml.Unmarshal(d.text, into); err != nil {
		return field.Invalid(d.atOrFile(), field.OmitValueType{}, strings.TrimPrefix(err.Error(), "error unmarshaling JSON: while decoding JSON: "))
	}
	return nil
}

func (d *document) atOrFile() *field.Path {
	if d.Kind == "" {
		return field.NewPath(d.file)
	}
	return d.at()
}

// documents cuts a file into its documents, and lists of objects into their items.
func documents(f File) ([]*document, error) {
	var all []*document
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(f.Text))); ; {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		more, err := newDocuments(f.Name, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		all = append(all, more...)
	}
}

func newDocuments(file string, text []byte) ([]*document, error) {
	var all any
	if err := yaml.Unmarshal(text, &all); err != nil || all == nil {
		return nil, err
	}
	root, ok := all.(map[string]any)
	if !ok {
		return nil, errors.New("must be objects of Kubernetes or Helm values")
	}
	d := &document{file: file, text: text}
	if err := yaml.Unmarshal(text, d); err != nil {
		return nil, err
	}
	items, isList := root["items"].([]any)
	if !isList || !strings.HasSuffix(d.Kind, "List") {
		return []*document{d}, nil
	}
	var found []*document
	for _, item := range items {
		one, err := yaml.Marshal(item)
		if err != nil {
			return nil, err
		}
		more, err := newDocuments(file, one)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}
