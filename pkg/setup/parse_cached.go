// SPDX-License-Identifier: Apache-2.0

package setup

import "k8s.io/apimachinery/pkg/util/validation/field"

// parseKey is the key under which a text read as a T is remembered.
type parseKey[T any] string

// parseCached returns what parse makes of a text. Faults are not remembered.
func parseCached[T any](b *Builder, text string, path *field.Path, parse func([]byte, *field.Path) (T, field.ErrorList)) (T, field.ErrorList) {
	key := parseKey[T](text)
	if known, ok := b.parsed.Load(key); ok {
		return known.(T), nil
	}
	value, errs := parse([]byte(text), path)
	if len(errs) == 0 {
		b.parsed.Store(key, value)
	}
	return value, errs
}
