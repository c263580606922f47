// SPDX-License-Identifier: Apache-2.0

package figure

import "strconv"

// Count prints a whole number with a comma before each three digits, such as 5,000.
func Count(n int64) string {
	text := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(text) - 3; i > first; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
