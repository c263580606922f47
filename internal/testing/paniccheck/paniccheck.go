// SPDX-License-Identifier: Apache-2.0

// Package paniccheck checks that functions panic.
package paniccheck

import "testing"

// Want is deferred where a function must panic. It ends the panic, and reports a text where there is none.
func Want(t testing.TB, format string, args ...any) {
	t.Helper()
	if recover() == nil {
		t.Errorf(format, args...)
	}
}
