// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTwoCheckoutsGiveOneImage runs make image in two copies of the project that lie
// in folders of other names.
func TestTwoCheckoutsGiveOneImage(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the binary is linked twice")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not on the PATH, and it is make image that is tested")
	}
	var made []string
	for _, folder := range []string{"here", "a-folder-of-another-name"} {
		checkout := filepath.Join(t.TempDir(), folder)
		copyProject(t, checkout)
		cmd := exec.Command("make", "-s", "-C", checkout, "image", "VERSION=v0.0.0-test")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSpace(string(out))
		for _, file := range []string{"windtunnel-image.tar", "windtunnel-sbom.json"} {
			raw, err := os.ReadFile(filepath.Join(checkout, "dist", file))
			if err != nil {
				t.Fatal(err)
			}
			id += fmt.Sprintf("\n%s %x", file, sha256.Sum256(raw))
		}
		made = append(made, id)
	}
	if made[0] != made[1] {
		t.Errorf("one checkout gives\n%s\nand the other\n%s", made[0], made[1])
	}
	t.Log(made[0])
}

// copyProject copies the project as it is, without what is built and without git.
func copyProject(t *testing.T, to string) {
	t.Helper()
	const root = "../.."
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		from, there := filepath.Join(root, entry.Name()), filepath.Join(to, entry.Name())
		switch name := entry.Name(); {
		case name == ".git" || name == "dist" || name == "bin":
		case entry.IsDir():
			if err := os.CopyFS(there, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
		default:
			if err := os.MkdirAll(to, 0o755); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(there, raw, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
