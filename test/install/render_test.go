// SPDX-License-Identifier: Apache-2.0

// Package install_test holds the ways to install against each other, against the
// pod security standards and, where there is one, against a real API server.
package install_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

const (
	root = "../.."
	// namespace is that of config/default.
	namespace = "windtunnel-system"
)

// chart is the folder of the chart as it is packed.
var chart string

func TestMain(m *testing.M) {
	code, err := withChart(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// withChart packs the chart, unpacks it, and runs the tests.
func withChart(m *testing.M) (code int, err error) {
	folder, err := os.MkdirTemp("", "windtunnel-chart-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "chart.tgz")
	for _, args := range [][]string{
		{"make", "-s", "-C", root, "chart", "VERSION=dev", "CHART=" + file},
		{"tar", "-xzf", file, "-C", folder},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	chart = filepath.Join(folder, "windtunnel")
	return m.Run(), nil
}

// tools are the paths of pinned tools, each built once.
var tools sync.Map

// tool builds a pinned tool of hack/tools and returns its path.
func tool(t *testing.T, name string) string {
	t.Helper()
	build, _ := tools.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		modfile, err := filepath.Abs(filepath.Join(root, "hack", "tools", "go.mod"))
		if err != nil {
			return "", err
		}
		out, err := exec.Command("go", "tool", "-modfile="+modfile, "-n", name).Output()
		return strings.TrimSpace(string(out)), err
	}))
	path, err := build.(func() (string, error))()
	if err != nil {
		t.Fatalf("build %s: %v", name, err)
	}
	return path
}

// output runs a command and returns what it prints.
func output(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// Neither Helm nor kubectl leaves anything at home.
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return output(t, tool(t, "helm"), args...)
}

// objects are manifests by kind, namespace and name.
type objects map[string]*unstructured.Unstructured

func key(kind, namespace, name string) string { return kind + " " + namespace + "/" + name }

// decode reads manifests.
func decode(t *testing.T, manifests string) objects {
	t.Helper()
	found := objects{}
	d := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifests), 4096)
	for {
		var o unstructured.Unstructured
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatalf("%v in:\n%.2000s", err, manifests)
		}
		if len(o.Object) == 0 {
			continue
		}
		k := key(o.GetKind(), o.GetNamespace(), o.GetName())
		if found[k] != nil {
			t.Errorf("%s is there twice", k)
		}
		found[k] = &o
	}
}

// kustomized are the manifests of a folder of config/.
func kustomized(t *testing.T, folder string) objects {
	t.Helper()
	out, err := output(t, tool(t, "kustomize"), "build", folder)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, out)
}

// overlay is config/default with components.
func overlay(t *testing.T, components ...string) objects {
	t.Helper()
	// A temporary folder may be a link elsewhere, which kustomize follows.
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	config, err := filepath.Abs(filepath.Join(root, "config"))
	if err != nil {
		t.Fatal(err)
	}
	if config, err = filepath.Rel(folder, config); err != nil {
		t.Fatal(err)
	}
	text := "resources:\n- " + config + "/default\ncomponents:\n"
	for _, c := range components {
		text += "- " + config + "/" + c + "\n"
	}
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return kustomized(t, folder)
}

// templated are the chart's manifests under values, as helm takes them.
func templated(t *testing.T, args ...string) objects {
	t.Helper()
	out, err := helm(t, append([]string{"template", "windtunnel", chart, "--namespace", namespace, "--kube-version", "1.34"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, out)
}

// as converts an object to its type.
func as[T any](t *testing.T, o *unstructured.Unstructured) *T {
	t.Helper()
	typed := new(T)
	if o == nil {
		t.Fatalf("there is no such object, want a %T", typed)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, typed, true); err != nil {
		t.Fatal(err)
	}
	return typed
}
