// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// decode parses a document. The object of an empty document is nil, as is that
// of a document that is none, which fatal is about. strict are fields that
// stand there twice.
func (d document) decode() (object map[string]any, strict, fatal field.ErrorList) {
	raw, strict, fatal := d.toJSON()
	switch {
	case len(fatal) > 0 || bytes.Equal(raw, []byte("null")):
		return nil, nil, fatal
	case raw[0] != '{':
		return nil, nil, field.ErrorList{wholeFault("a document must be an object with apiVersion and kind")}
	}
	u := &unstructured.Unstructured{}
	err := decodeStrictly(raw, u)
	if strictErr, ok := runtime.AsStrictDecodingError(err); ok {
		return u.Object, append(strict, strictFaults(strictErr.Errors())...), nil
	}
	if err != nil && !runtime.IsMissingKind(err) {
		return nil, nil, field.ErrorList{syntaxFault(err)}
	}
	return u.Object, strict, nil
}

// isValue reports whether a document is YAML or JSON at all.
func (d document) isValue() bool {
	_, _, fatal := d.toJSON()
	return len(fatal) == 0
}

// toJSON converts a document. Of keys that stand in YAML twice the last one
// wins, as on a server.
func (d document) toJSON() (raw []byte, strict, fatal field.ErrorList) {
	if d.json {
		return d.text, nil, nil
	}
	raw, strictErr := yaml.YAMLToJSONStrict(d.text)
	if strictErr == nil {
		return raw, nil, nil
	}
	raw, err := yaml.YAMLToJSON(d.text)
	if err != nil {
		if errs := notFinite(d.node()); len(errs) > 0 {
			return nil, nil, errs
		}
		return nil, nil, field.ErrorList{syntaxFault(err)}
	}
	for _, path := range duplicateKeys(d.node()) {
		strict = append(strict, duplicateFault(path))
	}
	if len(strict) == 0 {
		strict = field.ErrorList{syntaxFault(strictErr)}
	}
	return raw, strict, nil
}

// decodeStrictly is the decoding step of an API server.
func decodeStrictly(raw []byte, into runtime.Object) error {
	// An empty scheme is enough, because into is always given.
	scheme := runtime.NewScheme()
	options := json.SerializerOptions{Strict: true}
	_, _, err := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, options).Decode(raw, nil, into)
	return err
}
