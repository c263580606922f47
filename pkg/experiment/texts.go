// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// texts remembers what the texts in a plan's scenario say. All of a sweep's
// points hold the same ones, and a long one takes as long to read as a short
// simulation to run. The zero value remembers nothing yet; it may be used
// concurrently.
type texts struct{ read sync.Map }

// textOf is the key under which a text read as a T is remembered.
type textOf[T any] string

// readOnce returns what parse makes of a text. Faults are not remembered.
func readOnce[T any](t *texts, text string, path *field.Path, parse func([]byte, *field.Path) (T, field.ErrorList)) (T, field.ErrorList) {
	key := textOf[T](text)
	if known, ok := t.read.Load(key); ok {
		return known.(T), nil
	}
	value, errs := parse([]byte(text), path)
	if len(errs) == 0 {
		t.read.Store(key, value)
	}
	return value, errs
}
