// SPDX-License-Identifier: Apache-2.0

package setup

import "k8s.io/apimachinery/pkg/util/validation/field"

// textOf is the key under which a text read as a T is remembered.
type textOf[T any] string

// readOnce returns what parse makes of a text. Faults are not remembered.
func readOnce[T any](b *Builder, text string, path *field.Path, parse func([]byte, *field.Path) (T, field.ErrorList)) (T, field.ErrorList) {
	key := textOf[T](text)
	if known, ok := b.read.Load(key); ok {
		return known.(T), nil
	}
	value, errs := parse([]byte(text), path)
	if len(errs) == 0 {
		b.read.Store(key, value)
	}
	return value, errs
}
