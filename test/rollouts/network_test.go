// SPDX-License-Identifier: Apache-2.0

package rollouts_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const probeImage = "windtunnel-probe:dev"

// Of the pods, only Flagger's reach its webhooks, which authenticate no client. All reach what asks for a token.
func TestWhoReachesTheManager(t *testing.T) {
	if os.Getenv("CLUSTER") == "existing" || os.Getenv("POLICIES") == "off" {
		t.Skip("this cluster may not enforce policies")
	}
	loadProbe(t)
	address, err := kubectl(nil, "-n", systemNamespace, "get", "pods", "-l", "app.kubernetes.io/component=manager",
		"--field-selector=status.phase=Running", "-o", "jsonpath={.items[-1:].status.podIP}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kubectl([]byte("{apiVersion: v1, kind: Namespace, metadata: {name: flagger-system}}"), "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	hooks, verdicts := address+":8088", address+":8444"
	for name, tc := range map[string]struct {
		namespace   namespace
		labels      string
		hooks, both string
	}{
		"flagger":  {namespace: "flagger-system", labels: "{app.kubernetes.io/name: flagger}", hooks: "reached", both: "reached"},
		"beside":   {namespace: "flagger-system", labels: "{app: other}", hooks: "timeout", both: "reached"},
		"disguise": {namespace: newNamespace(t), labels: "{app.kubernetes.io/name: flagger}", hooks: "timeout", both: "reached"},
	} {
		t.Run(name, func(t *testing.T) {
			told := tc.namespace.dial(t, name, tc.labels, hooks, verdicts)
			for at, want := range map[string]string{hooks: tc.hooks, verdicts: tc.both} {
				if !strings.HasSuffix(told[at], want) {
					t.Errorf("%s is %q, want %s", at, told[at], want)
				}
			}
		})
	}
}

// loadProbe builds the program of the probing pods and loads it into the node.
func loadProbe(t *testing.T) {
	t.Helper()
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	binary, archive := filepath.Join(t.TempDir(), "probe"), filepath.Join(t.TempDir(), "image.tar")
	for _, args := range [][]string{
		{"env", "CGO_ENABLED=0", "go", "build", "-C", repository, "-trimpath", "-o", binary, "./test/e2e/probe"},
		{"go", "run", "-C", filepath.Join(repository, "hack", "image"), ".", "-binary", binary, "-entrypoint", "/probe", "-tag", probeImage, "-output", archive},
		{filepath.Join(repository, "bin", "cluster"), "load-image", archive},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}

// dial has a pod with labels connect to addresses, and returns what came of each.
func (ns namespace) dial(t *testing.T, name, labels string, addresses ...string) map[string]string {
	t.Helper()
	ns.apply(t, fmt.Appendf(nil, `apiVersion: v1
kind: Pod
metadata: {name: %s, labels: %s}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
  - {name: probe, image: %q, imagePullPolicy: Never, args: [dial, "%s"]}
`, name, labels, probeImage, strings.Join(addresses, `", "`)), nil)
	t.Cleanup(func() { _, _ = kubectl(nil, "-n", string(ns), "delete", "pod", name) })
	ns.until(t, "pod/"+name, "{.status.phase}", "Succeeded")
	out, err := kubectl(nil, "-n", string(ns), "logs", name)
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for line := range strings.Lines(out) {
		address, outcome, _ := strings.Cut(strings.TrimSpace(line), " ")
		told[address] = outcome
	}
	return told
}
