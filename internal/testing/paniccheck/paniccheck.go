// SPDX-License-Identifier: Apache-2.0

// Package paniccheck checks that functions panic.
package paniccheck

import "testing"

// Want fails the test with a message unless the calling function panics, and recovers from the panic. Call it with defer.
func Want(t testing.TB, format string, args ...any) {
	t.Helper()
	if recover() == nil {
		t.Errorf(format, args...)
	}
}
