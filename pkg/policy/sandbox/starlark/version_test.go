// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"os"
	"strings"
	"testing"
)

// The version of the language is that of the module.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile("../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "go.starlark.net v0.0.0-"+Version) {
		t.Errorf("go.mod has another version of go.starlark.net than %s: results of programs have a key with the version, so set it", Version)
	}
}
