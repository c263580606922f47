// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// needed are the programs that come from the distribution, with the packages of
// Debian that have them.
var needed = []struct{ binary, pkg string }{
	{"runc", "runc"},
	{"nft", "nftables"},
	{"ip", "iproute2"},
	{"conntrack", "conntrack"},
	{filepath.Join(cniBinaries, "bridge"), "containernetworking-plugins"},
}

// installPackages installs what is missing, where there is apt-get.
func (c *cluster) installPackages(ctx context.Context) error {
	var missing []string
	for _, n := range needed {
		if _, err := exec.LookPath(n.binary); err != nil {
			missing = append(missing, n.pkg)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("this machine lacks %s, and has no apt-get to install it with", strings.Join(missing, ", "))
	}
	c.say("installing the packages %s", strings.Join(missing, " "))
	apt := func(args ...string) error {
		command := exec.CommandContext(ctx, "apt-get", args...)
		command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		return output(command)
	}
	install := append([]string{"install", "-y", "-q", "--no-install-recommends"}, missing...)
	if apt(install...) == nil {
		return nil
	}
	// The lists of packages may be missing or old.
	if err := apt("update", "-q"); err != nil {
		return err
	}
	return apt(install...)
}

// buildAssets builds the binaries that are missing, and links the clients where
// a user finds them.
func (c *cluster) buildAssets(ctx context.Context) (assets, error) {
	root, err := repository(ctx)
	if err != nil {
		return assets{}, err
	}
	kube, err := c.kubeAssets(ctx, root, "etcd", "kube-apiserver", "kube-controller-manager",
		"kube-proxy", "kube-scheduler", "kubectl", "kubelet")
	if err != nil {
		return assets{}, err
	}
	runtime, err := c.kubeAssets(ctx, root, "containerd", "containerd-shim-runc-v2", "ctr")
	return assets{kube, runtime}, err
}

func (c *cluster) kubeAssets(ctx context.Context, root string, names ...string) (string, error) {
	command := exec.CommandContext(ctx, filepath.Join(root, "hack", "kube-assets.sh"), names...)
	// Assets of the user's own are for tests of the API: they have no node.
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "KUBEBUILDER_ASSETS=")
	})
	var stdout bytes.Buffer
	command.Stdout, command.Stderr = &stdout, c.log
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("hack/kube-assets.sh: %w", err)
	}
	return strings.TrimSpace(stdout.String()), nil
}

// buildPause makes the image that holds the namespaces of a pod.
func (c *cluster) buildPause(ctx context.Context) error {
	root, err := repository(ctx)
	if err != nil {
		return err
	}
	binary := c.path("pause")
	build := exec.CommandContext(ctx, "go", "build", "-C", root, "-trimpath", "-o", binary, "./hack/cluster/pause")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if err := output(build); err != nil {
		return err
	}
	return output(exec.CommandContext(ctx, "go", "run", "-C", filepath.Join(root, "hack", "image"), ".",
		"-binary", binary, "-entrypoint", "/pause", "-tag", pauseImage, "-output", c.path("pause.tar")))
}

// repository is the folder of the module that this command belongs to.
func repository(ctx context.Context) (string, error) {
	found, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(found)))
	if _, err := os.Stat(filepath.Join(root, "hack", "kube-assets.sh")); err != nil {
		return "", errors.New("must run inside the repository: hack/kube-assets.sh builds the binaries")
	}
	return root, nil
}
