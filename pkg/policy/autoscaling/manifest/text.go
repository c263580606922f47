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
	// PodAutoscaler is that of AIBrix.
	PodAutoscaler Kind = "PodAutoscaler"
	// ConfigMap is that of llm-d's workload-variant-autoscaler.
	ConfigMap Kind = "ConfigMap"
)

// apiVersion is the version of the kind that is read.
func (k Kind) apiVersion() string {
	switch k {
	case HorizontalPodAutoscaler:
		return "autoscaling/v2"
	case ScaledObject:
		return "keda.sh/v1alpha1"
	case PodAutoscaler:
		return "autoscaling.aibrix.ai/v1alpha1"
	default:
		return "v1"
	}
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
	if version == kind.apiVersion() || isFirstHPA(t) {
		return nil
	}
	detail := "must be " + kind.apiVersion()
	if strings.HasPrefix(version, "autoscaling/") {
		detail += convertHPA
	}
	return field.ErrorList{field.Invalid(path.Child("apiVersion"), version, detail)}
}

const convertHPA = "; convert the object, as `kubectl get hpa NAME -o yaml` of a current cluster does"

// isFirstHPA reports whether an object is a HorizontalPodAutoscaler of autoscaling/v1, which clusters take.
func isFirstHPA(t tree) bool {
	return t["kind"] == string(HorizontalPodAutoscaler) && t["apiVersion"] == "autoscaling/v1"
}

// documents divides a text at the lines that begin with three hyphens.
func documents(raw []byte) [][]byte {
	var all [][]byte
	for _, s := range spans(raw) {
		all = append(all, raw[s.start:s.end])
	}
	return all
}

// Locate returns where the one object of a kind stands in a text that [Read] reads: the
// first byte of the document, and the byte after the last one.
func Locate(kind Kind, raw []byte) (start, end int, ok bool) {
	for _, s := range spans(raw) {
		if t, err := parse(raw[s.start:s.end]); err == nil && t["kind"] == string(kind) {
			return s.start, s.end, true
		}
	}
	return 0, 0, false
}

// Kinds are those of the objects of a text, in its order; nil where the text is something
// else than objects.
func Kinds(raw []byte) []string {
	var all []string
	for _, document := range documents(raw) {
		t, err := parse(document)
		kind, _ := t["kind"].(string)
		switch {
		case err != nil || t != nil && kind == "":
			return nil
		case t != nil:
			all = append(all, kind)
		}
	}
	return all
}

// A span is a part of a text.
type span struct{ start, end int }

// spans are where the documents of a text stand.
func spans(raw []byte) []span {
	var all []span
	start := 0
	for at := 0; at < len(raw); {
		end := at + 1 + bytes.IndexByte(raw[at:], '\n')
		if end == at {
			end = len(raw)
		}
		if line := bytes.TrimRight(raw[at:end], "\r\n"); bytes.Equal(line, []byte("---")) || bytes.HasPrefix(line, []byte("--- ")) {
			all = append(all, span{start, at})
			start = at + len("---")
		}
		at = end
	}
	return append(all, span{start, len(raw)})
}

// parse reads one document; nil where it is empty. The text that a plan keeps, which each simulation
// reads several times, needs no parser of YAML: it comes out as it went in, so no key occurs twice.
func parse(document []byte) (tree, error) {
	if bytes.HasPrefix(document, []byte("{")) {
		if t, err := decode(document); err == nil && bytes.Equal(canonical(t), document) {
			return t, nil
		}
	}
	asJSON, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, err
	}
	return decode(asJSON)
}

// canonical writes an object the one way that equal objects share.
func canonical(t tree) []byte {
	raw, err := json.Marshal(t)
	if err != nil {
		panic(fmt.Sprintf("manifest: marshal an object: %v", err))
	}
	return raw
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
