// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// sources returns the objects that spec.reuseFrom names, and errors for those
// that are not there yet.
func (o *observer) sources(ctx context.Context, s subject) ([]subject, field.ErrorList, error) {
	kinds := []subjects{runs}
	if s.kind() == v1alpha1.PolicySweepKind {
		kinds = []subjects{sweeps, runs}
	}
	var found []subject
	var errs field.ErrorList
	for i, name := range s.reuseFrom() {
		before := len(found)
		for _, kind := range kinds {
			object := kind.object()
			err := o.cache.Get(ctx, client.ObjectKey{Namespace: s.object().GetNamespace(), Name: name}, object)
			switch {
			case apierrors.IsNotFound(err):
			case err != nil:
				return nil, nil, fmt.Errorf("read %s %s: %w", kind.kind, name, err)
			default:
				found = append(found, kind.wrap(object))
			}
		}
		if len(found) == before {
			e := field.NotFound(field.NewPath("spec", "reuseFrom").Index(i), name)
			e.Detail = fmt.Sprintf("there is no %s of this name in namespace %s", kindNames(kinds), s.object().GetNamespace())
			errs = append(errs, e)
		}
	}
	return found, errs, nil
}

func kindNames(kinds []subjects) string {
	words := kinds[0].kind
	for _, kind := range kinds[1:] {
		words += " or " + kind.kind
	}
	return words
}
