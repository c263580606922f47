// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// The version is that of the module.
func TestVersion(t *testing.T) {
	text := testfile.Read(t, "../../../../go.mod")
	if !strings.Contains(string(text), "github.com/tetratelabs/wazero v"+Version+"\n") {
		t.Errorf("go.mod has another version of wazero than %s: results of programs have a key with the version, so set it", Version)
	}
}
