// SPDX-License-Identifier: Apache-2.0

package spelling

import (
	"strconv"
	"strings"
)

// Quote lists words for a message.
func Quote(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return strings.Join(quoted, ", ")
}
