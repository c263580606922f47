// SPDX-License-Identifier: Apache-2.0

package propose

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/policy/mutate"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/search"
)

// The languages of a program that is proposed.
const (
	starlark = "starlark"
	wasm     = "wasm"
)

// maxNoteBytes bounds a note, maxDropped how many policies of an answer an entry says of why
// they cannot be used, and maxReasonBytes each of these reasons.
const (
	maxNoteBytes   = 200
	maxDropped     = 8
	maxReasonBytes = 512
)

// keep checks the policies of an answer. Programs are not read.
func keep(in *search.Inquiry, all []policy, entry *Entry) {
	for i := range all {
		if len(entry.Policies) == in.Count {
			entry.drop(fmt.Sprintf("%d more than the %d that were wanted", len(all)-i, in.Count))
			return
		}
		path := field.NewPath("policies").Index(i)
		kept, errs := all[i].kept(in, path)
		if len(errs) > 0 {
			entry.drop(errs.ToAggregate().Error())
			continue
		}
		entry.Policies = append(entry.Policies, *kept)
	}
}

// kept is the policy in canonical form, or what is wrong with it.
func (p *policy) kept(in *search.Inquiry, path *field.Path) (*Kept, field.ErrorList) {
	k := &Kept{Note: printable.Clip(p.Note, maxNoteBytes)}
	if p.Parent != "" {
		if k.Parent = indexOf(in, p.Parent); k.Parent < 0 {
			return nil, field.ErrorList{field.Invalid(path.Child("parent"), p.Parent, "must be the policy_id of a parent")}
		}
	}
	b, errs := p.document(in.Parents[k.Parent].Value, path)
	if len(errs) > 0 {
		return nil, errs
	}
	if k.Bundle = b.Canonical(); len(k.Bundle) > mutate.MaxBytes {
		return nil, field.ErrorList{field.TooLong(path, "", mutate.MaxBytes)}
	}
	return k, nil
}

// indexOf is the place of a parent; negative for an unknown ID.
func indexOf(in *search.Inquiry, id string) int {
	for i := range in.Parents {
		if bundle.IDOf(in.Parents[i].Value) == id {
			return i
		}
	}
	return -1
}

// bounded is a bundle that is stated, within the limits of its parent.
func (p *policy) bounded(parent string, path *field.Path) (*bundle.Bundle, field.ErrorList) {
	b, errs := bundle.Read(p.Bundle, path)
	if len(errs) > 0 {
		return nil, errs
	}
	var most bundle.Limits
	if from, _ := bundle.Read([]byte(parent), nil); from != nil && from.Limits != nil {
		most = *from.Limits
	}
	if errs := b.Bound(most, path); len(errs) > 0 {
		return nil, errs
	}
	return b, nil
}

// document is the bundle: the one that is stated, or that of the parent with a program in it.
func (p *policy) document(parent string, path *field.Path) (*bundle.Bundle, field.ErrorList) {
	switch {
	case len(p.Bundle) > 0 && p.Language == "":
		return p.bounded(parent, path.Child("bundle"))
	case len(p.Bundle) > 0 || p.Language == "":
		return nil, field.ErrorList{field.Invalid(path, field.OmitValueType{}, "must have either bundle, or language and policy")}
	}
	b, errs := bundle.Read([]byte(parent), path)
	if len(errs) > 0 {
		return nil, errs
	}
	name := sandbox.Component(p.Component)
	if name == "" {
		name = sandbox.Routing
	}
	c := b.Components()[name]
	if c == nil {
		return nil, field.ErrorList{field.Invalid(path.Child("component"), p.Component, "the parent has no such component")}
	}
	program := bundle.Component{}
	if name == sandbox.Routing && c.Program() {
		program.Signals = c.AllSignals()
	}
	switch p.Language {
	case starlark:
		program.Starlark = &bundle.Starlark{Source: p.Policy}
	case wasm:
		program.WASM = &bundle.WASM{Module: bundle.Base64(p.Policy)}
	default:
		return nil, field.ErrorList{field.NotSupported(path.Child("language"), p.Language, []string{starlark, wasm})}
	}
	*c = program
	raw, err := json.Marshal(b)
	if err != nil {
		return nil, field.ErrorList{field.InternalError(path, err)}
	}
	return bundle.Read(raw, path)
}

// drop says why a policy cannot be used, of the first ones.
func (e *Entry) drop(why string) {
	if len(e.Dropped) < maxDropped {
		e.Dropped = append(e.Dropped, printable.Clip(why, maxReasonBytes))
	}
}
