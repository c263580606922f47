// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Beside reads what lies next to a document by its name: another key of its ConfigMap, or
// another file of its folder. Errors are at path.
type Beside func(name string, path *field.Path) ([]byte, field.ErrorList)

// place puts the modules that lie next to the document into it.
func (b *Bundle) place(sibling Beside, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	all := b.Components()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if w := all[name].WASM; w != nil && w.ModuleFrom != "" {
			errs = append(errs, w.place(sibling, path.Child(string(name), "wasm"))...)
		}
	}
	return errs
}

func (w *WASM) place(sibling Beside, path *field.Path) field.ErrorList {
	at := path.Child("moduleFrom")
	switch {
	case w.Module != "":
		return field.ErrorList{field.Forbidden(at, "cannot be set together with module")}
	case sibling == nil:
		return field.ErrorList{field.Forbidden(at, "only a document in a ConfigMap or a file has files next to it: state module")}
	}
	module, errs := sibling(w.ModuleFrom, at)
	if len(errs) > 0 {
		return errs
	}
	if len(module) == 0 {
		return field.ErrorList{field.Invalid(at, w.ModuleFrom, "is empty")}
	}
	w.Module, w.ModuleFrom = Base64(base64.StdEncoding.EncodeToString(module)), ""
	return nil
}
