// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxBytes bounds a report.
const MaxBytes = 16 << 20

// Read reads a report of version 0.2 or 0.2.*. The errors name the fields and the lines.
func Read(raw []byte) (*Report, field.ErrorList) {
	if len(raw) > MaxBytes {
		return nil, wrong("has %d bytes; a report has at most %d", len(raw), MaxBytes)
	}
	root, faults := parse(raw)
	if len(faults) > 0 {
		return nil, faults
	}
	// The fields of another version are others: nothing else is worth saying of it.
	if fault := checkVersion(root); fault != nil {
		return nil, field.ErrorList{fault}
	}
	d := &decoder{types: map[reflect.Type]structType{}}
	r := &Report{}
	d.decode(root, reflect.ValueOf(r).Elem(), "", nil)
	if len(d.faults) > 0 {
		return nil, d.faults
	}
	return r, nil
}

// wrong says what is wrong with the whole document.
func wrong(format string, args ...any) field.ErrorList {
	return field.ErrorList{field.Invalid(field.NewPath("report"), field.OmitValueType{}, fmt.Sprintf(format, args...))}
}

// parse returns the mapping that the only document of a file is.
func parse(raw []byte) (*yamlv3.Node, field.ErrorList) {
	documents := yamlv3.NewDecoder(bytes.NewReader(raw))
	var root, next yamlv3.Node
	err := documents.Decode(&root)
	switch {
	case errors.Is(err, io.EOF):
		return nil, wrong("is empty")
	case err != nil:
		return nil, wrong("is not YAML: %s", cut(strings.TrimPrefix(err.Error(), "yaml: ")))
	}
	if err := documents.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, wrong("must be one YAML document: more follows the first one")
	}
	if root.Kind != yamlv3.DocumentNode || len(root.Content) != 1 || root.Content[0].Kind != yamlv3.MappingNode {
		return nil, wrong("must be an object with version, run, scenario and results")
	}
	return root.Content[0], nil
}

// readable are the versions whose fields the types have.
var readable = regexp.MustCompile(`^0\.2(\.[0-9]{1,4})?$`)

// checkVersion looks at the version, which the schema leaves open.
func checkVersion(root *yamlv3.Node) *field.Error {
	path := field.NewPath("version")
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "version" {
			continue
		}
		value := root.Content[i+1]
		if value.Kind != yamlv3.ScalarNode || !readable.MatchString(value.Value) {
			return field.NotSupported(path, cut(value.Value), []string{"0.2", "0.2.*"})
		}
		// Without quotes, 0.2 is a number.
		value.Tag = "!!str"
		return nil
	}
	return field.Required(path, "the version of a Benchmark Report, 0.2 or 0.2.*")
}

// topLevel are the fields of a report at the beginning of a line, and kinds those of an
// object of Kubernetes.
var (
	topLevel = regexp.MustCompile(`(?m)^"?(run|results|scenario)"?[ \t]*:`)
	kinds    = regexp.MustCompile(`(?m)^"?(kind|apiVersion)"?[ \t]*:`)
)

// Looks reports whether a text looks like a benchmark report in YAML, right or wrong.
func Looks(raw []byte) bool { return topLevel.Match(raw) && !kinds.Match(raw) }
