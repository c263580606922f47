// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// outputFormat is the value of -o.
type outputFormat string

const (
	outputTable outputFormat = "table"
	outputJSON  outputFormat = "json"
	outputYAML  outputFormat = "yaml"
)

// String, Set and Type make outputFormat a flag.
func (f *outputFormat) String() string { return string(*f) }

func (f *outputFormat) Set(value string) error {
	switch v := outputFormat(value); v {
	case outputTable, outputJSON, outputYAML:
		*f = v
		return nil
	}
	return fmt.Errorf("must be table, json or yaml")
}

func (f *outputFormat) Type() string { return "format" }

// identity is how outputs name the object that they are about.
type identity struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   identityMetadata `json:"metadata"`
}

type identityMetadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

func identify(typ metav1.TypeMeta, object metav1.ObjectMeta) identity {
	return identity{
		APIVersion: typ.APIVersion,
		Kind:       typ.Kind,
		Metadata:   identityMetadata{Name: object.Name, Namespace: object.Namespace},
	}
}

// write prints v as JSON or YAML, one document an object.
func (f outputFormat) write(w io.Writer, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if f == outputYAML {
		if raw, err = yaml.JSONToYAML(raw); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "---\n%s", raw)
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", raw)
	return err
}
