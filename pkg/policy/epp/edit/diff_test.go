// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
	after := "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl2"
	want := "--- f\n+++ f\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -9,4 +9,4 @@\n i\n j\n k\n-l\n+l2\n\\ No newline at end of file\n"
	if diff := cmp.Diff(want, Diff("f", before, after)); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
	if Diff("f", before, before) != "" {
		t.Error("a text differs from itself")
	}
}
