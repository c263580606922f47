// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

func TestCommandLine(t *testing.T) {
	for args, want := range map[string]string{
		"":                "a command is required",
		"fly":             `unknown command "fly"`,
		"up fast":         `up takes no argument, got "fast"`,
		"load-image":      "load-image takes the archives",
		"restart":         "restart takes one program",
		"restart dockerd": `unknown program "dockerd"`,
	} {
		t.Run(args, func(t *testing.T) {
			err := run(t.Context(), strings.Fields(args), io.Discard)
			if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want a fault of usage with %q", err, want)
			}
		})
	}
}

// A cluster of somebody else's is used only by name, and never touched.
func TestExistingCluster(t *testing.T) {
	t.Setenv("CLUSTER", "existing")
	t.Setenv("WINDTUNNEL_CLUSTER_DIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBECONFIG", "")
	if err := run(t.Context(), []string{"up"}, io.Discard); err == nil || !strings.Contains(err.Error(), "wants KUBECONFIG") {
		t.Errorf("up without a KUBECONFIG gives %v", err)
	}
	t.Setenv("KUBECONFIG", "somewhere")
	if err := run(t.Context(), []string{"down"}, io.Discard); err != nil {
		t.Errorf("down gives %v", err)
	}
	if err := run(t.Context(), []string{"stop", "etcd"}, io.Discard); err == nil {
		t.Error("a program of somebody else's cluster was stopped")
	}
}

func TestProgramsAreThoseThatHaveANameAndStartInOrder(t *testing.T) {
	c := newCluster("/somewhere", io.Discard)
	var names []string
	for _, p := range c.programs(assets{"/kube", "/runtime"}) {
		names = append(names, p.name)
		if p.ready == nil {
			t.Errorf("%s: nobody knows when it serves", p.name)
		}
	}
	if names[0] != "etcd" || names[1] != "kube-apiserver" {
		t.Errorf("they start in the order %q", names)
	}
	slices.Sort(names)
	if !slices.Equal(names, programNames) {
		t.Errorf("programs are %q, and the help names %q", names, programNames)
	}
}

func TestConfigsAreWhole(t *testing.T) {
	c := newCluster(t.TempDir(), io.Discard)
	if err := os.Mkdir(c.path("cni"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.writeConfigs(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"containerd.toml", "cni/10-bridge.conflist", "kubelet.yaml", "kube-proxy.yaml"} {
		content := testfile.Read(t, c.path(name))
		if bytes.Contains(content, []byte("${")) {
			t.Errorf("%s has a value that nobody filled in:\n%s", name, content)
		}
		if filepath.Ext(name) != ".toml" {
			if err := yaml.Unmarshal(content, new(map[string]any)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestTail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	testfile.Write(t, file, []byte("a\nb\nc\n"))
	for lines, want := range map[int]string{1: "c", 2: "b\nc", 9: "a\nb\nc"} {
		if got := tail(file, lines); got != want {
			t.Errorf("the last %d lines are %q, want %q", lines, got, want)
		}
	}
}

func TestMountPoint(t *testing.T) {
	for line, want := range map[string]string{
		`36 35 98:0 / /var/lib/x/mount rw,noatime master:1 - ext4 /dev/root rw`: "/var/lib/x/mount",
		`36 35 98:0 / /var/lib/x/a\040b rw - tmpfs tmpfs rw`:                    "/var/lib/x/a b",
		``: "",
	} {
		if got := mountPoint(line); got != want {
			t.Errorf("the mount point of %q is %q, want %q", line, got, want)
		}
	}
}
