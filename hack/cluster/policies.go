// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	policyTable = "windtunnel-policies"
	// bridgeSetting is there where the kernel has br_netfilter.
	bridgeSetting = "/proc/sys/net/bridge/bridge-nf-call-iptables"
)

// policies says whether NetworkPolicies are enforced. That takes a kernel whose
// packet filter can ask a program.
func policies() bool { return os.Getenv("POLICIES") != "off" }

// networkPolicies decides which connections pods may begin.
func (c *cluster) networkPolicies() program {
	const health = "127.0.0.1:10260"
	return program{
		name:   "network-policies",
		binary: c.path("network-policies"),
		args: []string{
			"-kubeconfig=" + c.kubeconfig(), "-node=" + nodeName, "-node-ip=" + nodeIP, "-pods=" + podRange,
			"-bridge=" + bridge, "-table=" + policyTable, "-queue=244", "-health=" + health,
		},
		ready: answers("http://" + health + "/healthz"),
	}
}

// buildPolicies builds it.
func (c *cluster) buildPolicies(ctx context.Context) error {
	if !policies() {
		return nil
	}
	root, err := repository(ctx)
	if err != nil {
		return err
	}
	c.say("building network-policies (a minute when the Go cache is cold)")
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(root, "hack", "kube", "policies"),
		"-trimpath", "-ldflags=-s -w", "-o", c.path("network-policies"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	return output(build)
}

// filterBridge has packets between two ports of the bridge pass the packet filter.
func filterBridge(ctx context.Context) error {
	if !policies() {
		return nil
	}
	if _, err := os.Stat(bridgeSetting); err != nil {
		if err := output(exec.CommandContext(ctx, "modprobe", "br_netfilter")); err != nil {
			return fmt.Errorf("network policies need br_netfilter (POLICIES=off goes without them): %w", err)
		}
	}
	return os.WriteFile(bridgeSetting, []byte("1"), 0o644)
}
