// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/starlark"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/template"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm"
)

// Read reads a document in YAML or JSON without further files. Errors have the paths of its
// fields under path.
func Read(raw []byte, path *field.Path) (*Bundle, field.ErrorList) { return ReadBeside(raw, nil, path) }

// ReadBeside reads a document with the files that it names.
func ReadBeside(raw []byte, sibling Beside, path *field.Path) (*Bundle, field.ErrorList) {
	asJSON := raw
	if !json.Valid(raw) { // the reader of YAML takes JSON, too, and a second for a large module
		var err error
		if asJSON, err = yaml.YAMLToJSONStrict(raw); err != nil {
			return nil, field.ErrorList{field.Invalid(path, field.OmitValueType{}, withLine(raw, err).Error())}
		}
	}
	b := &Bundle{}
	strict, err := kjson.UnmarshalStrict(asJSON, b)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	var errs field.ErrorList
	for _, err := range strict {
		errs = append(errs, strictFault(err, path))
	}
	if len(errs) == 0 {
		// Of fields that have the right names.
		if errs = b.place(sibling, path); len(errs) == 0 {
			errs = append(b.check(path), zeroLimits(asJSON, path.Child("limits"))...)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	b.limit()
	return b, nil
}

// nonFinite is how YAML writes numbers that JSON does not have.
var nonFinite = regexp.MustCompile(`(?i)[-+]?\.(nan|inf)\b`)

// withLine names the line of a number that JSON does not have: the reader of YAML names it for
// all other faults.
func withLine(raw []byte, err error) error {
	if !strings.Contains(err.Error(), "unsupported value") {
		return err
	}
	at := nonFinite.FindIndex(raw)
	if at == nil {
		return err
	}
	return fmt.Errorf("yaml: line %d: %s is no finite number", 1+bytes.Count(raw[:at[0]], []byte("\n")), raw[at[0]:at[1]])
}

// Canonical writes what counts of the bundle the one way that equal bundles share: where it
// comes from does not count, and the versions of languages do.
func (b *Bundle) Canonical() string {
	own := *b
	own.Metadata, own.Generation, own.Parent, own.Mutations = Metadata{}, 0, "", nil
	for _, c := range []**Component{&own.Admission, &own.Priority, &own.Routing, &own.Scheduler, &own.Autoscale} {
		if *c != nil {
			*c = (*c).canonical()
		}
	}
	raw, err := json.Marshal(own)
	if err != nil {
		panic(fmt.Sprintf("bundle: marshal %s: %v", b.Metadata.Name, err))
	}
	return string(raw)
}

// canonical is the component with the version of its language, or of its template with all
// numbers.
func (c *Component) canonical() *Component {
	own := *c
	if own.Starlark != nil {
		program := *own.Starlark
		program.Version = starlark.Version
		own.Starlark = &program
	}
	if own.WASM != nil {
		program := *own.WASM
		program.Version = wasm.Version
		own.WASM = &program
	}
	if own.Parameterized != nil {
		t, stated := template.Find(own.Parameterized.Template), own.Parameterized.Parameters
		own.Parameterized = &Parameterized{Template: t.Name, Version: t.Version(), Parameters: t.Complete(stated)}
	}
	return &own
}

// ID names the bundle among others: 12 digits of the digest of what counts of it.
func (b *Bundle) ID() string { return IDOf(b.Canonical()) }

// IDOf is the ID of the bundle that is this text in canonical form.
func IDOf(canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	return hex.EncodeToString(sum[:6])

}

func (b *Bundle) check(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if b.APIVersion != APIVersion {
		errs = append(errs, field.NotSupported(path.Child("apiVersion"), b.APIVersion, []string{APIVersion}))
	}
	if b.Kind != Kind {
		errs = append(errs, field.NotSupported(path.Child("kind"), b.Kind, []string{Kind}))
	}
	all := b.Components()
	if b.Limits != nil && !b.Foreign() {
		errs = append(errs, field.Forbidden(path.Child("limits"), "only a bundle with starlark or wasm has limits"))
	}
	if len(all) == 0 && len(errs) == 0 {
		errs = append(errs, field.Required(path, "must have at least one of admission, priority, routing, scheduler and autoscale"))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		errs = append(errs, all[name].check(name, path.Child(string(name)))...)
	}
	return errs
}

func (c *Component) check(name sandbox.Component, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if forms := c.forms(); len(forms) != 1 {
		errs = append(errs, field.Invalid(path, strings.Join(forms, ", "), "must have exactly one of builtIn, parameterized, decisionTree, starlark and wasm"))
	}
	switch {
	case len(c.Signals) == 0:
	case !c.Program() || name != sandbox.Routing:
		errs = append(errs, field.Forbidden(path.Child("signals"), "only a program of the routing has signals"))
	case c.Parameterized != nil:
		errs = append(errs, field.Forbidden(path.Child("signals"), "the template has its own signals"))
	}
	if c.Parameterized != nil {
		errs = append(errs, c.Parameterized.check(name, path.Child("parameterized"))...)
	}
	if b := c.BuiltIn; b != nil {
		errs = append(errs, b.check(name, path.Child("builtIn"))...)
	}
	if c.DecisionTree != nil && c.DecisionTree.Root == nil {
		errs = append(errs, field.Required(path.Child("decisionTree", "root"), "state the first node of the tree"))
	}
	if s := c.Starlark; s != nil {
		if s.Version != "" && s.Version != starlark.Version {
			errs = append(errs, field.NotSupported(path.Child("starlark", "version"), s.Version, []string{starlark.Version}))
		}
		if s.Source == "" {
			errs = append(errs, field.Required(path.Child("starlark", "source"), "state the program"))
		}
		if n := len(s.Source); n > sandbox.DefaultLimits.SourceBytes {
			errs = append(errs, field.TooLong(path.Child("starlark", "source"), "", sandbox.DefaultLimits.SourceBytes))
		}
	}
	if c.WASM != nil {
		errs = append(errs, c.WASM.check(path.Child("wasm"))...)
	}
	return errs
}

func (p *Parameterized) check(name sandbox.Component, path *field.Path) field.ErrorList {
	t := template.Find(p.Template)
	if t == nil || t.Component != name {
		var names []string
		for _, t := range template.Of(name) {
			names = append(names, t.Name)
		}
		return field.ErrorList{field.NotSupported(path.Child("template"), p.Template, names)}
	}
	var errs field.ErrorList
	if p.Version != "" && p.Version != t.Version() {
		errs = append(errs, field.NotSupported(path.Child("version"), p.Version, []string{t.Version()}))
	}
	return append(errs, t.Check(p.Parameters, path.Child("parameters"))...)
}

func (w *WASM) check(path *field.Path) field.ErrorList {
	if w.Version != "" && w.Version != wasm.Version {
		return field.ErrorList{field.NotSupported(path.Child("version"), w.Version, []string{wasm.Version})}
	}
	path = path.Child("module")
	module, err := base64.StdEncoding.DecodeString(string(w.Module))
	switch {
	case w.Module == "":
		return field.ErrorList{field.Required(path, "state the module in base64, or moduleFrom")}
	case err != nil:
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, "must be base64: "+err.Error())}
	case len(module) > sandbox.DefaultLimits.ModuleBytes:
		return field.ErrorList{field.TooLong(path, "", sandbox.DefaultLimits.ModuleBytes)}
	}
	return nil
}

func (c *Component) forms() []string {
	var forms []string
	for _, form := range []struct {
		name string
		is   bool
	}{{"builtIn", c.BuiltIn != nil}, {"parameterized", c.Parameterized != nil}, {"decisionTree", c.DecisionTree != nil}, {"starlark", c.Starlark != nil}, {"wasm", c.WASM != nil}} {
		if form.is {
			forms = append(forms, form.name)
		}
	}
	return forms
}

func (b *BuiltIn) check(name sandbox.Component, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if b.Policy == "" {
		errs = append(errs, field.Required(path.Child("policy"), "state the name of the policy"))
	}
	only := func(has bool, child string, of sandbox.Component) {
		if has && name != of {
			errs = append(errs, field.Forbidden(path.Child(child), fmt.Sprintf("only the %s has it", of)))
		}
	}
	only(len(b.Scorers) > 0, "scorers", sandbox.Routing)
	only(b.Weights != "", "weights", sandbox.Routing)
	only(b.Victim != "", "victim", sandbox.Scheduler)
	if b.Weights != "" && b.Weights != AsGiven && b.Weights != Normalized {
		errs = append(errs, field.NotSupported(path.Child("weights"), b.Weights, []string{AsGiven, Normalized}))
	}
	return errs
}

// Load reads the component's program for a layout. Code that has a fault is no error: the
// fault is that of the simulation which makes the program. Unless runs is true, code is
// not read at all, and no simulation can make the program.
func (c *Component) Load(l *sandbox.Layout, runs bool, path *field.Path) (sandbox.Code, field.ErrorList) {
	if root, at := c.tree(path); root != nil {
		code, errs := tree.Load(root, l, at)
		if len(errs) > 0 {
			return nil, errs
		}
		return code, nil
	}
	if !runs {
		return sandbox.Unread{}, nil
	}
	code, fault := c.read(l)
	if fault != nil {
		return sandbox.Faulty{Fault: fault}, nil
	}
	return code, nil
}

// tree is the decision tree of a component that has or makes one, and its path; nil for code.
func (c *Component) tree(path *field.Path) (*tree.Node, *field.Path) {
	switch {
	case c.DecisionTree != nil:
		return c.DecisionTree.Root, path.Child("decisionTree", "root")
	case c.Parameterized != nil:
		return template.Find(c.Parameterized.Template).Tree(c.Parameterized.Parameters), path.Child("parameterized", "template")
	}
	return nil, nil
}

// read reads code. That which was checked is base64.
func (c *Component) read(l *sandbox.Layout) (sandbox.Code, *policy.Fault) {
	if c.WASM != nil {
		module, _ := base64.StdEncoding.DecodeString(string(c.WASM.Module))
		return wasm.Load(module, l, c.WASM.Parameters, c.Limits())
	}
	return starlark.Load(c.Starlark.Source, l, c.Starlark.Parameters, c.Limits())
}
