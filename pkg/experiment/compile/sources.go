// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"context"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// MaxSourceBytes bounds a text that becomes a part of the plan. It is what the
// schema lets an inline one have.
const MaxSourceBytes = 64 << 10

// source is a text of a scenario and where it stands: exactly one is set.
type source struct {
	inline *string
	ref    *v1alpha1.ConfigMapKeyReference
	file   *string
}

// text reads a source and pins what came from outside the object. The second
// value is the path of the field that names it.
func (c *compiler) text(s source, path *field.Path) ([]byte, *field.Path, field.ErrorList) {
	if s.inline != nil {
		return []byte(*s.inline), path.Child("inline"), nil
	}
	at := path.Child("file")
	if s.ref != nil {
		at = path.Child("configMapRef")
	}
	raw, errs := c.named(s, MaxSourceBytes, at)
	return raw, at, errs
}

// named reads a source from outside the object, of a bounded size, and pins it.
func (c *compiler) named(s source, most int, at *field.Path) ([]byte, field.ErrorList) {
	var raw []byte
	var name string
	var errs field.ErrorList
	if s.ref != nil {
		name = experiment.ConfigMapInput(s.ref.Name, s.ref.Key)
		raw, errs = c.configMapKey(s.ref, at)
	} else {
		name = "File/" + *s.file
		raw, errs = c.file(*s.file, at)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if len(raw) > most {
		return nil, field.ErrorList{field.TooLong(at, "", most)}
	}
	c.pin(name, experiment.Digest(raw))
	return raw, nil
}

// sibling reads what lies next to a source by its name, of a bounded size; nil if
// nothing does.
func (c *compiler) sibling(s source, most int) func(name string, at *field.Path) ([]byte, field.ErrorList) {
	switch {
	case s.ref != nil:
		return func(name string, at *field.Path) ([]byte, field.ErrorList) {
			return c.named(source{ref: &v1alpha1.ConfigMapKeyReference{Name: s.ref.Name, Key: name}}, most, at)
		}
	case s.file != nil:
		return func(name string, at *field.Path) ([]byte, field.ErrorList) {
			if name != filepath.Base(name) || !filepath.IsLocal(name) {
				return nil, field.ErrorList{field.Invalid(at, name, "must be the name of a file in the folder of the document")}
			}
			file := filepath.Join(filepath.Dir(*s.file), name)
			return c.named(source{file: &file}, most, at)
		}
	}
	return nil
}

// catalogue reads the scenario's own models and accelerators and leaves them in
// place as texts of one spelling: equal entries make equal keys, whatever file
// they came from.
func (c *compiler) catalogue(sources []v1alpha1.CatalogueSource, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range sources {
		s := &sources[i]
		raw, at, es := c.text(source{s.Inline, s.ConfigMapRef, s.File}, path.Index(i))
		if len(es) > 0 {
			errs = append(errs, es...)
			continue
		}
		entries, es := parseEntries(s.Model, raw, at)
		errs = append(errs, es...)
		*s = v1alpha1.CatalogueSource{Inline: canonical(entries)}
	}
	return errs
}

// OwnEntries returns what a scenario's catalogue adds to the built-in one, a
// list a source; a later one counts. Errors are as those of Run, with
// paths beneath the given one.
func OwnEntries(ctx context.Context, in *v1alpha1.Scenario, inputs Inputs, path *field.Path) ([]latency.Entries, field.ErrorList, error) {
	c := newCompiler(ctx, inputs)
	sources := slices.Clone(in.Catalogue)
	errs := c.catalogue(sources, path.Child("catalogue"))
	if c.err != nil || len(errs) > 0 {
		return nil, errs, c.err
	}
	lists, errs := c.plan.Builder.Entries(sources, path.Child("catalogue"))
	return lists, errs, nil
}

// parseEntries reads a catalogue's file, or a model's config.json where its
// name is given.
func parseEntries(model string, raw []byte, path *field.Path) (latency.Entries, field.ErrorList) {
	if model == "" {
		return latency.ParseEntries(raw, path)
	}
	m, errs := latency.ParseHuggingFace(model, raw, path)
	return latency.Entries{Models: []latency.Model{m}}, errs
}

// tables reads the measured step times of the pools that have some. What cannot
// be read is left unread.
func (c *compiler) tables(pools []v1alpha1.Pool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range pools {
		t := pools[i].Latency.Table
		if t == nil {
			continue
		}
		raw, at, es := c.text(source{t.Inline, t.ConfigMapRef, t.File}, path.Index(i).Child("latency", "table"))
		var table latency.Table
		if len(es) == 0 {
			table, es = latency.ParseTable(raw, at)
		}
		*t = v1alpha1.TableSource{}
		if len(es) == 0 {
			t.Inline = canonical(table)
		}
		errs = append(errs, es...)
	}
	return errs
}

// canonical writes a value as the text of a source.
func canonical(v any) *string {
	text := string(setup.TreeJSON(v))
	return &text
}
