// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// catalogue returns the built-in catalogue with what a resolved scenario adds
// to it.
func (b *Builder) catalogue(sources []v1alpha1.CatalogueSource, path *field.Path) (*latency.Catalogue, field.ErrorList) {
	lists, errs := b.Entries(sources, path)
	return latency.Builtin().With(lists...), errs
}

// Entries reads resolved sources.
func (b *Builder) Entries(sources []v1alpha1.CatalogueSource, path *field.Path) ([]latency.Entries, field.ErrorList) {
	lists := make([]latency.Entries, len(sources))
	var errs field.ErrorList
	for i, s := range sources {
		var es field.ErrorList
		lists[i], es = parseCached(b, *s.Inline, path.Index(i).Child("inline"), latency.ParseEntries)
		errs = append(errs, es...)
	}
	return lists, errs
}
