// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// script stands for the binary of each platform: the tests are about how it is packed.
const script = "#!/bin/sh\necho \"$0 $*\"\n"

// packed is a folder with the files of a release.
func packed(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "binary")
	if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"-version", "v1.2.3", "-uri", "https://releases.example.com/v1.2.3/", "-output", filepath.Join(folder, "dist")}
	for _, p := range platforms {
		args = append(args, p+"="+file)
	}
	if err := run(args, io.Discard); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "dist")
}

// tool runs a program of krew.
func tool(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"tool"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// krew's own check takes the manifest, and refuses it where one of its rules is broken.
func TestKrewTakesTheManifest(t *testing.T) {
	if testing.Short() {
		t.Skip("krew has to be linked, which is slow: run without -short")
	}
	raw, err := os.ReadFile(filepath.Join(packed(t), "windtunnel.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ old, new, want string }{
		"as it is":                   {"", "", "no overlapping spec.platform[].selector"},
		"another apiVersion":         {"/v1alpha2", "/v1alpha3", "not supported in this version of krew"},
		"another kind":               {"kind: Plugin", "kind: Plug", "only \"Plugin\" is supported"},
		"another name":               {"name: windtunnel", "name: wind-tunnel", "should be named"},
		"no version":                 {"version: v1.2.3", "version: ''", "should have a version"},
		"a version without v":        {"version: v1.2.3", "version: 1.2.3", "failed to parse plugin version"},
		"no short description":       {"shortDescription: Compare LLM-serving policies by simulation", "shortDescription: ''", "should have a short description"},
		"no address":                 {"uri: https://releases.example.com/v1.2.3/kubectl-windtunnel-linux-amd64.tar.gz", "uri: ''", "`uri` has to be set"},
		"a digest that is too short": {"sha256: ", "sha256: ab #", "is not valid, must match pattern"},
		"no binary":                  {"bin: kubectl-windtunnel", "bin: ''", "`bin` has to be set"},
		"an unknown key":             {"os: darwin", "platform: darwin", "not supported"},
		"a platform twice":           {"arch: arm64", "arch: amd64", "overlapping selectors"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.old != "" && !strings.Contains(string(raw), tc.old) {
				t.Fatalf("the manifest has no %q:\n%s", tc.old, raw)
			}
			file := filepath.Join(t.TempDir(), "windtunnel.yaml")
			if err := os.WriteFile(file, []byte(strings.Replace(string(raw), tc.old, tc.new, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := tool(t, nil, "validate-krew-manifest", "-skip-install", "-manifest", file)
			if (err != nil) != (tc.old != "") || !strings.Contains(out, tc.want) {
				t.Errorf("%v, want %q in\n%s", err, tc.want, out)
			}
		})
	}
}

// krew installs the archive of this platform offline, and the plugin runs under its name.
func TestKrewInstallsThePlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("krew has to be linked, which is slow: run without -short")
	}
	on := runtime.GOOS + "-" + runtime.GOARCH
	dist, root := packed(t), t.TempDir()
	out, err := tool(t, []string{"KREW_ROOT=" + root}, "krew", "install",
		"--manifest", filepath.Join(dist, "windtunnel.yaml"), "--archive", filepath.Join(dist, "kubectl-windtunnel-"+on+".tar.gz"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	printed, err := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "kubectl-windtunnel"), "top").Output()
	if err != nil || !strings.HasSuffix(string(printed), "/bin/kubectl-windtunnel top\n") {
		t.Errorf("the plugin prints %q, %v", printed, err)
	}
	licences, err := filepath.Glob(filepath.Join(root, "store", "windtunnel", "v1.2.3", "LICENSE"))
	if err != nil || len(licences) != 1 {
		t.Errorf("the licences are %v, %v", licences, err)
	}
}

func TestOneReleaseOneManifest(t *testing.T) {
	one, other := packed(t), packed(t)
	for _, name := range []string{"windtunnel.yaml", "kubectl-windtunnel-linux-arm64.tar.gz"} {
		a, err := os.ReadFile(filepath.Join(one, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(other, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestBadInputIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "binary")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	good := []string{"-version", "v1.2.3", "-uri", "https://x"}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a version of Git": {[]string{"-version", "v1.2.3-4-gabc_dirty", "-uri", "https://x", "linux/amd64=" + file}, "must be vMAJOR.MINOR.PATCH"},
		"no https":         {[]string{"-version", "v1.2.3", "-uri", "http://x", "linux/amd64=" + file}, "must be an https address"},
		"no binary":        {good, "no binary"},
		"another platform": {append(good, "plan9/amd64="+file), "must be OS/ARCH=FILE"},
		"a platform twice": {append(good, "linux/amd64="+file, "linux/amd64="+file), "there twice"},
		"a file not there": {append(good, "linux/amd64=/nowhere"), "/nowhere"},
	} {
		output := filepath.Join(t.TempDir(), "dist")
		err := run(append([]string{"-output", output}, tc.args...), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if _, err := os.Stat(output); err == nil {
			t.Errorf("%s: something was written", name)
		}
	}
}
