// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"windtunnel.dev/windtunnel/internal/clip"
	"windtunnel.dev/windtunnel/pkg/result"
)

// maxChange is how long a change is in a table, in bytes.
const maxChange = 72

// origins are the texts of how candidates came about, if a search made any.
func (l board) origins() (texts []string, found bool) {
	for i := range l.Candidates {
		from := l.Candidates[i].Origin
		texts = append(texts, originText(from))
		found = found || from != nil
	}
	return texts, found
}

// originText says what changed of the parent: the last change of several.
func originText(from *result.Origin) string {
	switch {
	case from == nil:
		return ""
	case from.Parent == "":
		return "the scenario's own"
	case len(from.Changes) == 0:
		return "from " + from.Parent
	}
	text := clip.Text(from.Changes[len(from.Changes)-1], maxChange)
	if more := len(from.Changes) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return fmt.Sprintf("from %s: %s", from.Parent, text)
}
