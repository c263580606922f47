// SPDX-License-Identifier: Apache-2.0

// Package e2e_test tests the operator on a real cluster. It installs the manifests
// and the shipped image with kubectl, and checks the output of kubectl and windtunnel.
// hack/e2e.sh starts the cluster; without it the package skips its tests.
package e2e_test

import (
	"fmt"
	"os"
	"testing"
)

const (
	root            = "../.."
	systemNamespace = "windtunnel-system"
	manager         = "deployment/windtunnel-manager"
)

func TestMain(m *testing.M) {
	if os.Getenv("WINDTUNNEL_E2E") == "" {
		fmt.Println("test/e2e needs a cluster: make e2e brings one")
		os.Exit(0)
	}
	if err := install(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		describeSystem()
		os.Exit(1)
	}
	code := m.Run()
	if code != 0 {
		describeSystem()
	}
	os.Exit(code)
}

// install installs the operator as docs/install.md says, and waits until it is
// ready.
func install() error {
	if _, err := command("kubectl", "apply", "--server-side", "-k", root+"/config/default"); err != nil {
		return err
	}
	// A cluster that was kept has pods of the image before, which has the same name.
	if _, err := command("kubectl", "-n", systemNamespace, "rollout", "restart", manager); err != nil {
		return err
	}
	_, err := command("kubectl", "-n", systemNamespace, "rollout", "status", manager, "--timeout=3m")
	return err
}

// describeSystem shows what became of the manager.
func describeSystem() {
	for _, args := range [][]string{
		{"get", "nodes,pods", "-A", "-o", "wide"},
		{"-n", systemNamespace, "describe", "pods"},
		{"-n", systemNamespace, "logs", manager, "--tail=60"},
		{"-n", systemNamespace, "logs", manager, "--tail=60", "--previous"},
	} {
		out, err := command("kubectl", args...)
		fmt.Fprintf(os.Stderr, "$ kubectl %v\n%s\n", args, out)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
