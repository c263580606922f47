// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/manifest"
)

// BulletList lists errors, one a line.
func BulletList(errs field.ErrorList) string {
	return PlacedList(errs, func(*field.Error) string { return "" })
}

// PlacedList is bulletList with the place of each error in its file.
func PlacedList(errs field.ErrorList, place func(*field.Error) string) string {
	var text string
	for i, e := range errs {
		if i > 0 {
			text += "\n"
		}
		text += "  - " + place(e) + e.Field + ": " + manifest.Message(e)
	}
	return text
}

// OneOf lists names in words: "a, b or c".
func OneOf[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// DidYouMean asks for the nearest of some names; "" if there are none.
func DidYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", near[0])
}

// ShellWord quotes a word where a shell would read it otherwise.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"$`\\|&;<>()*?[]#~{}!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
