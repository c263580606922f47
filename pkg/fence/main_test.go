// SPDX-License-Identifier: Apache-2.0

package fence_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/fence"
)

// TestMain lets the program of the tests be the child of its fences.
func TestMain(m *testing.M) {
	fence.Serve(nil)
	m.Run()
}
