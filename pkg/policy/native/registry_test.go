// SPDX-License-Identifier: Apache-2.0

package native

import "testing"

// A scorer without a subject would be missing from the ratio of prefix to load weights.
func TestEachScorerHasASubject(t *testing.T) {
	for _, name := range Scorers() {
		switch s := SubjectOf(name); s {
		case PrefixSubject, LoadSubject, OtherSubject:
		default:
			t.Errorf("scorer %s has the subject %q, want one of %s, %s and %s", name, s, PrefixSubject, LoadSubject, OtherSubject)
		}
	}
	if got := SubjectOf("none-such"); got != "" {
		t.Errorf("a scorer that does not exist has the subject %q", got)
	}
}
