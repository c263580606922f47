// SPDX-License-Identifier: Apache-2.0

package study

import "fmt"

// Grouped writes a number with a space between thousands.
func Grouped[T int | int64](n T) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}
