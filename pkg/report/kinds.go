// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
)

// kindText prints a kind, such as 3·1.
func kindText(k result.Kind) string {
	parts := make([]string, len(k))
	for i, bin := range k {
		parts[i] = strconv.Itoa(bin)
	}
	return strings.Join(parts, "·")
}

// kinds are the texts of the candidates' kinds, if any has one.
func (l board) kinds() (texts []string, found bool) {
	for i := range l.Candidates {
		kind := l.Candidates[i].Elite
		texts = append(texts, kindText(kind))
		found = found || kind != nil
	}
	return texts, found
}

// eliteNote says what stands in the column of kinds.
func (l board) eliteNote() string {
	return fmt.Sprintf("Best of its kind is the best candidate by the first objective in the same bins of %s.", strings.Join(l.Features, ", "))
}
