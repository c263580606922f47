// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"os"
	"strings"
	"testing"
)

// The version is that of the module.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile("../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "github.com/tetratelabs/wazero v"+Version+"\n") {
		t.Errorf("go.mod has another version of wazero than %s: results of programs have a key with the version, so set it", Version)
	}
}
