// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

// TestMain lets the program of the tests be the child of its fences.
func TestMain(m *testing.M) {
	fence.Serve(parquetfile.Codec{})
	m.Run()
}
