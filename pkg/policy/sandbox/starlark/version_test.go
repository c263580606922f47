// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// The version of the language is that of the module.
func TestVersion(t *testing.T) {
	text := testfile.Read(t, "../../../../go.mod")
	if !strings.Contains(string(text), "go.starlark.net v0.0.0-"+Version) {
		t.Errorf("go.mod has another version of go.starlark.net than %s: results of programs have a key with the version, so set it", Version)
	}
}
