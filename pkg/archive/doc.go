// SPDX-License-Identifier: Apache-2.0

// Package archive reads results where they are kept: in the ConfigMaps of a cluster, and in
// files that verbs printed. It checks digests and versions, and makes reports of what it
// reads. It simulates nothing.
package archive

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Fault marks an error as one that a user can mend, such as the name of an object that is not there.
type Fault struct{ error }

// NewFault marks an error.
func NewFault(err error) Fault { return Fault{err} }

// Unwrap returns the error itself.
func (f Fault) Unwrap() error { return f.error }

// NotFound says which object is not there, if that is the error.
func NotFound(err error, kind, namespace, name string) error {
	if err == nil {
		return nil
	}
	if apierrors.IsNotFound(err) {
		return Fault{fmt.Errorf("there is no %s %s in namespace %s", kind, name, namespace)}
	}
	return fmt.Errorf("read %s %s/%s: %w", kind, namespace, name, err)
}
