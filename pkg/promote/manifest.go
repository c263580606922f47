// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// RewriteManifest changes the one object of the wanted kind that a file holds, so that the
// object means exactly the wanted one. Other objects of the file stay as they are. An error
// is ErrNotPossible, and names the change that could not be made.
func RewriteManifest(file []byte, want *manifest.Manifest, changes []Change) (string, error) {
	start, end, ok := manifest.Locate(want.Kind, file)
	set := setField
	switch {
	case want.Kind == manifest.ConfigMap && ok:
		set = setInEntry
	case want.Kind == manifest.ConfigMap:
		start, end, set = 0, len(file), setInBareEntry
	case !ok:
		return "", fmt.Errorf("%w: the text holds no %s", ErrNotPossible, want.Kind)
	}
	text := string(file[start:end])
	for i := range changes {
		var err error
		if text, err = set(text, &changes[i]); err != nil {
			return "", notPossible(&changes[i], err.Error())
		}
	}
	after := string(file[:start]) + text + string(file[end:])
	have, errs := manifest.Read(want.Kind, []byte(after), nil)
	if len(errs) > 0 {
		return "", fmt.Errorf("%w: a cluster would refuse it: %s", ErrNotPossible, reason(errs))
	}
	if have.Canonical() != want.Canonical() {
		return "", fmt.Errorf("%w: the %s would be another one than was simulated", ErrNotPossible, want.Kind)
	}
	return after, nil
}

// setField returns a document with one change, which a document that has the value already
// does not need.
func setField(text string, c *Change) (string, error) {
	document, err := decoded(text)
	if err != nil {
		return "", err
	}
	if same(at(document, c.Path), c.Value) {
		return text, nil
	}
	e := editor{Buffer: edit.New(text), names: []string{"name"}}
	return e.make(c)
}

// setInEntry returns a ConfigMap with one change in the text of an entry.
func setInEntry(text string, c *Change) (string, error) {
	at := edit.New(text).Root
	for _, step := range c.Path[:2] {
		if at == nil {
			return "", errNotInPlace
		}
		at = member(at, step.Name)
	}
	if at == nil {
		return "", errNotInPlace
	}
	entry := files.TextOf([]byte(text), resolved(at))
	inner, err := setInBareEntry(string(entry.Text), c)
	if err != nil {
		return "", err
	}
	after, ok := edit.Embed([]byte(text), &entry, inner)
	if !ok {
		return "", errNotInPlace
	}
	return string(after), nil
}

// setInBareEntry returns the text of an entry with one change, whose path begins at the
// ConfigMap.
func setInBareEntry(text string, c *Change) (string, error) {
	return setField(text, &Change{Path: c.Path[2:], Value: c.Value})
}

// decoded is a document whose numbers keep their digits.
func decoded(text string) (object, error) {
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var o object
	err = d.Decode(&o)
	return o, err
}
