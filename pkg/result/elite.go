// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is a kind of behaviour of which a candidate is the best: the bin of each
// feature, counted from 1.
type Kind []int

// text prints a kind, such as 3·1.
func (k Kind) text() string {
	parts := make([]string, len(k))
	for i, bin := range k {
		parts[i] = strconv.Itoa(bin)
	}
	return strings.Join(parts, "·")
}

// kinds are the texts of the candidates' kinds, if any has one.
func (l *Leaderboard) kinds() (texts []string, found bool) {
	for i := range l.Candidates {
		kind := l.Candidates[i].Elite
		texts = append(texts, kind.text())
		found = found || kind != nil
	}
	return texts, found
}

// eliteNote says what stands in the column of kinds.
func (l *Leaderboard) eliteNote() string {
	return fmt.Sprintf("Best of its kind: by the first objective, of all candidates in the same bins of %s.", strings.Join(l.Features, ", "))
}
