// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// ErrNotPossible says that no edit of the text gives the configuration that is
// wanted.
var ErrNotPossible = errors.New("cannot be written into the configuration")

// A Rewritten is a configuration before and after the changes.
type Rewritten struct {
	source files.Source
	file   string
	// Text is the EndpointPickerConfig alone, and Before what it was.
	Text, Before string
	version      string
}

// Rewrite changes the one configuration that a file holds, which may be bare or
// in a ConfigMap, Helm values or a stream, so that its version of the EPP makes
// exactly the wanted one of it. Changes that make no difference are passed over.
// An error is ErrNotPossible, and names the change that could not be made.
func Rewrite(file []byte, want *config.Config, changes []Change) (*Rewritten, error) {
	source, err := onlyConfig(file)
	if err != nil {
		return nil, err
	}
	r := &Rewritten{source: source, file: string(file), Before: string(source.Text), version: want.Version()}
	goal, err := asObject(want)
	if err != nil {
		return nil, err
	}
	var first error
	for f := smallest; f <= complete; f++ {
		text, err := rewrite(r.Before, want, goal, changes, f)
		if err == nil {
			r.Text = text
			return r, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// onlyConfig finds a file's configuration. A file without any is for the loader to
// judge.
func onlyConfig(file []byte) (files.Source, error) {
	sources, err := files.Find(file)
	switch {
	case err != nil || len(sources) == 0:
		return files.Source{Text: file, Line: 1, Column: 1, InPlace: true}, nil
	case len(sources) > 1:
		return files.Source{}, fmt.Errorf("%w: the file holds %d", ErrNotPossible, len(sources))
	}
	return sources[0], nil
}

// rewrite makes the changes one after the other and checks what came of them.
func rewrite(text string, want *config.Config, goal object, changes []Change, f form) (string, error) {
	for i := range changes {
		change := &changes[i]
		have, err := view(text, want.Version())
		if err != nil {
			return "", notPossible(change, err.Error())
		}
		if f >= withProfiles && i == 0 {
			e := editor{Buffer: edit.New(text), current: have, want: goal, form: f, names: pluginNames}
			if text, err = e.spellOut(); err != nil {
				return "", notPossible(change, err.Error())
			}
		}
		if same(at(have, change.Path), at(goal, change.Path)) {
			continue
		}
		e := editor{Buffer: edit.New(text), current: have, want: goal, form: f, names: pluginNames}
		if text, err = e.make(change); err != nil {
			return "", notPossible(change, err.Error())
		}
	}
	return text, check(text, want, goal, changes)
}

// check loads a text and compares it with what is wanted.
func check(text string, want *config.Config, goal object, changes []Change) error {
	config, err := load(text, want.Version())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotPossible, err)
	}
	if config.Same(want) {
		return nil
	}
	have, err := asObject(config)
	if err != nil {
		return err
	}
	for i := range changes {
		if path := changes[i].Path; !same(at(have, path), at(goal, path)) {
			return notPossible(&changes[i], fmt.Sprintf("the EPP would see %v", at(have, path)))
		}
	}
	return fmt.Errorf("%w: %s would be another one than was simulated", ErrNotPossible, difference(have, goal, ""))
}

func notPossible(change *Change, why string) error {
	return fmt.Errorf("%w: %s: %s", ErrNotPossible, change, why)
}

// view is a text as the EPP sees it.
func view(text, version string) (object, error) {
	config, err := load(text, version)
	if err != nil {
		return nil, err
	}
	return asObject(config)
}

func load(text, version string) (*config.Config, error) {
	config, errs := epp.Load([]byte(text), version, nil)
	if len(errs) > 0 {
		return nil, fmt.Errorf("the EPP would refuse it: %s", reason(errs))
	}
	return config, nil
}

func reason(errs field.ErrorList) string { return strings.TrimPrefix(errs[0].Error(), "<nil>: ") }

func asObject(config *config.Config) (object, error) {
	raw, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var o object
	err = d.Decode(&o)
	return o, err
}

// difference is the path of a place in which two views differ.
func difference(have, want any, path string) string {
	switch w := want.(type) {
	case object:
		h, ok := have.(object)
		if !ok {
			return path
		}
		for _, key := range ordered(w, h) {
			if !same(h[key], w[key]) {
				return difference(h[key], w[key], strings.TrimPrefix(path+"."+key, "."))
			}
		}
	case list:
		h, ok := have.(list)
		if !ok || len(h) != len(w) {
			return path
		}
		for i := range w {
			if !same(h[i], w[i]) {
				return difference(h[i], w[i], fmt.Sprintf("%s[%d]", path, i))
			}
		}
	}
	return path
}
