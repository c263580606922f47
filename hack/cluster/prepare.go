// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// network names the pods' network in CNI's files, bridge is what it hangs on.
const (
	network = "windtunnel"
	bridge  = "cni0"
)

// settings are those of the kernel that the cluster changes.
var settings = []string{
	"kernel/keys/root_maxbytes", "kernel/keys/root_maxkeys", "kernel/panic", "kernel/panic_on_oops",
	"net/bridge/bridge-nf-call-iptables", "net/ipv4/ip_forward", "vm/overcommit_memory", "vm/panic_on_oom",
}

// prepare makes everything that the programs find when they start. What is
// there from an earlier up stays as it is.
func (c *cluster) prepare(ctx context.Context) error {
	if _, err := os.Stat(c.path("prepared")); err == nil {
		return errors.Join(c.makeCgroups(), c.makeBridge(ctx), filterBridge(ctx))
	}
	if _, err := net.InterfaceByName(bridge); err == nil {
		return fmt.Errorf("there is a bridge %s already, which is not of the cluster in %s: is another one up?", bridge, c.dir)
	}
	for _, dir := range []string{"bin", "cni", "ipam", "kubelet", "logs", "pids", "pki", "pods", "run"} {
		if err := os.MkdirAll(c.path(dir), 0o755); err != nil {
			return err
		}
	}
	steps := []func() error{
		c.recordSettings,
		func() error { return c.buildPause(ctx) },
		func() error { return c.buildPolicies(ctx) },
		c.writeIdentities,
		c.writeConfigs,
		c.makeCgroups,
		func() error { return c.makeBridge(ctx) },
		func() error { return filterBridge(ctx) },
		func() error { return os.WriteFile(c.path("prepared"), nil, 0o644) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// recordSettings keeps what down restores. The first record counts: a second up
// after a broken one would see what the first one changed.
func (c *cluster) recordSettings() error {
	file := c.path("settings")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	var record strings.Builder
	for _, name := range settings {
		value, err := os.ReadFile(filepath.Join("/proc/sys", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // of a module that is not loaded
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&record, "%s %s\n", name, strings.TrimSpace(string(value)))
	}
	return os.WriteFile(file, []byte(record.String()), 0o644)
}

// writeIdentities makes the certificates and kubeconfigs of all who talk to each
// other.
func (c *cluster) writeIdentities() error {
	pki := c.path("pki")
	etcdCA, err := newAuthority(pki, "etcd-ca")
	if err != nil {
		return err
	}
	// The API server is etcd's only client and uses the same certificate.
	if err := etcdCA.issue(pki, identity{file: "etcd", name: "etcd", hosts: []string{"127.0.0.1"}}); err != nil {
		return err
	}
	// It signs for the API server where it passes requests on to other servers of its API.
	proxyCA, err := newAuthority(pki, "front-proxy-ca")
	if err != nil {
		return err
	}
	if err := proxyCA.issue(pki, identity{file: "front-proxy", name: frontProxy}); err != nil {
		return err
	}
	ca, err := newAuthority(pki, "ca")
	if err != nil {
		return err
	}
	identities := []identity{
		{file: "kube-apiserver", name: "kube-apiserver", hosts: []string{
			nodeIP, apiIP, "127.0.0.1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
		}},
		{file: "kubelet-server", name: "kubelet", hosts: []string{nodeIP, nodeName}},
	}
	for user, id := range map[string]identity{
		"admin":              {name: "admin", groups: []string{"system:masters"}},
		"controller-manager": {name: "system:kube-controller-manager"},
		"scheduler":          {name: "system:kube-scheduler"},
		"kube-proxy":         {name: "system:kube-proxy"},
		"kubelet":            {name: "system:node:" + nodeName, groups: []string{"system:nodes"}},
	} {
		id.file = user
		identities = append(identities, id)
		if err := c.write(user+".kubeconfig", kubeconfig(apiServer, pki, user)); err != nil {
			return err
		}
	}
	for _, id := range identities {
		if err := ca.issue(pki, id); err != nil {
			return err
		}
	}
	if err := writeServiceAccountKeys(pki); err != nil {
		return err
	}
	return c.write("kubeconfig", kubeconfig(apiServer, pki, "admin"))
}

func (c *cluster) write(name, content string) error {
	return os.WriteFile(c.path(name), []byte(content), 0o600)
}

// makeCgroups makes the cgroup below which the kubelet puts all pods, so that
// they can be found and ended without it. Version 1 has one hierarchy for each
// controller.
func (c *cluster) makeCgroups() error {
	for _, hierarchy := range cgroupHierarchies() {
		if err := os.MkdirAll(filepath.Join(hierarchy, cgroupRoot), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// cgroupHierarchies are the folders in which cgroups of this machine are made.
func cgroupHierarchies() []string {
	const root = "/sys/fs/cgroup"
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		return []string{root}
	}
	hierarchies, _ := filepath.Glob(filepath.Join(root, "*", "cgroup.procs"))
	for i, procs := range hierarchies {
		hierarchies[i] = filepath.Dir(procs)
	}
	return hierarchies
}

// makeBridge makes the network of the pods. The node's address is on it, because
// that must not be a loopback address and must be there before the first pod.
func (c *cluster) makeBridge(ctx context.Context) error {
	if _, err := net.InterfaceByName(bridge); err == nil {
		return nil
	}
	for _, args := range [][]string{
		{"link", "add", bridge, "type", "bridge"},
		{"address", "add", nodeIP + "/24", "dev", bridge},
		{"link", "set", bridge, "up"},
	} {
		if err := output(exec.CommandContext(ctx, "ip", args...)); err != nil {
			return err
		}
	}
	return nil
}

// waitUntilUsable waits until a pod can be made: the node is ready and the
// default namespace has its service account. It links the clients, too.
func (c *cluster) waitUntilUsable(ctx context.Context, a assets) error {
	for _, client := range []string{filepath.Join(a.kube, "kubectl"), filepath.Join(a.runtime, "ctr")} {
		err := os.Symlink(client, c.path("bin", filepath.Base(client)))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for _, step := range []struct {
		program string // whose log says why it takes so long
		args    []string
	}{
		{"kubelet", []string{"wait", "--for=condition=Ready", "node/" + nodeName, "--timeout=1s"}},
		{"kube-controller-manager", []string{"get", "serviceaccount/default", "--namespace=default"}},
	} {
		err := poll(ctx, func(ctx context.Context) error { return c.kubectl(ctx, a, step.args...) })
		if err != nil {
			return c.withLog(step.program, err)
		}
	}
	return nil
}

func (c *cluster) kubectl(ctx context.Context, a assets, args ...string) error {
	args = append([]string{"--kubeconfig", c.kubeconfig()}, args...)
	return output(exec.CommandContext(ctx, filepath.Join(a.kube, "kubectl"), args...))
}

// loadImages loads image archives into the node.
func (c *cluster) loadImages(ctx context.Context, archives []string) error {
	a, err := c.buildAssets(ctx)
	if err != nil {
		return err
	}
	for _, archive := range archives {
		began := time.Now()
		if err := c.ctr(ctx, a, "images", "import", archive); err != nil {
			return err
		}
		c.say("loaded %s (%.1f s)", archive, time.Since(began).Seconds())
	}
	return nil
}
