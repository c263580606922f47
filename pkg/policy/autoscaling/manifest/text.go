// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// Kind is a kind of object that can be read.
type Kind string

// The kinds.
const (
	HorizontalPodAutoscaler Kind = "HorizontalPodAutoscaler"
	ScaledObject            Kind = "ScaledObject"
)

// apiVersion is the version of the kind that is read.
func (k Kind) apiVersion() string {
	if k == HorizontalPodAutoscaler {
		return "autoscaling/v2"
	}
	return "keda.sh/v1alpha1"
}

// tree is an object of JSON whose numbers keep their digits.
type tree = map[string]any

// find returns the one object of a kind in a text that may have several documents.
func find(kind Kind, raw []byte, path *field.Path) (tree, field.ErrorList) {
	invalid := func(format string, values ...any) (tree, field.ErrorList) {
		return nil, field.ErrorList{field.Invalid(path, field.OmitValueType{}, fmt.Sprintf(format, values...))}
	}
	var found []tree
	var others []string
	for i, document := range documents(raw) {
		t, err := parse(document)
		switch {
		case err != nil:
			return invalid("document %d is no YAML object: %v", i+1, err)
		case t == nil:
		case t["kind"] == string(kind):
			found = append(found, t)
		default:
			others = append(others, fmt.Sprint(t["kind"]))
		}
	}
	switch {
	case len(found) > 1:
		return invalid("has %d objects of kind %s, but a scaler needs one: remove the others", len(found), kind)
	case len(found) == 1:
		return found[0], checkVersion(kind, found[0], path)
	case len(others) > 0:
		return invalid("has no %s; it has %s", kind, spelling.Quote(others))
	default:
		return invalid("has no %s", kind)
	}
}

func checkVersion(kind Kind, t tree, path *field.Path) field.ErrorList {
	version, _ := t["apiVersion"].(string)
	if version == kind.apiVersion() {
		return nil
	}
	detail := "must be " + kind.apiVersion()
	if strings.HasPrefix(version, "autoscaling/") {
		detail += "; convert the object, as `kubectl get hpa NAME -o yaml` of a current cluster does"
	}
	return field.ErrorList{field.Invalid(path.Child("apiVersion"), version, detail)}
}

// documents divides a text at the lines that begin with three hyphens.
func documents(raw []byte) [][]byte {
	var all [][]byte
	start := 0
	for at := 0; at < len(raw); {
		end := at + 1 + bytes.IndexByte(raw[at:], '\n')
		if end == at {
			end = len(raw)
		}
		if line := bytes.TrimRight(raw[at:end], "\r\n"); bytes.Equal(line, []byte("---")) || bytes.HasPrefix(line, []byte("--- ")) {
			all = append(all, raw[start:at])
			start = at + len("---")
		}
		at = end
	}
	return append(all, raw[start:])
}

// parse reads one document; nil where it is empty.
func parse(document []byte) (tree, error) {
	asJSON, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, err
	}
	return decode(asJSON)
}

func decode(asJSON []byte) (tree, error) {
	d := json.NewDecoder(bytes.NewReader(asJSON))
	d.UseNumber()
	var t tree
	if err := d.Decode(&t); err != nil {
		return nil, err
	}
	return t, nil
}
