// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// down stops everything and removes every trace, whatever state it is in. It
// goes on after an error, and tells them all.
func (c *cluster) down(ctx context.Context) error {
	if _, err := os.Stat(c.dir); errors.Is(err, fs.ErrNotExist) {
		c.say("there is no cluster in %s", c.dir)
		return nil
	}
	var errs []error
	// Who starts things goes before who runs them. Nothing is worth waiting for.
	for _, name := range []string{"kubelet", "kube-proxy", "kube-controller-manager", "kube-scheduler", "network-policies"} {
		errs = append(errs, c.stop(ctx, name, 5*time.Second))
	}
	errs = append(errs, c.endPods(ctx))
	for _, name := range []string{"containerd", "kube-apiserver", "etcd"} {
		errs = append(errs, c.stop(ctx, name, 2*time.Second))
	}
	errs = append(errs,
		c.unmountAll(),
		removeCgroups(ctx),
		c.removeNetwork(ctx),
		c.restoreSettings(),
		c.removeOutside(),
	)
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the cluster is not gone: %w", err)
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return err
	}
	c.say("down")
	return os.Remove(c.dir + ".lock")
}

// endPods kills the processes of all pods, which are those in the cluster's
// cgroups, and the shims above them.
func (c *cluster) endPods(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return poll(ctx, func(context.Context) error {
		shims, err := c.shims()
		if err != nil {
			return err
		}
		pids := slices.Concat(shims, podProcesses())
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
		}
		if len(pids) > 0 {
			return fmt.Errorf("processes of pods are still there: %v", pids)
		}
		return nil
	})
}

// shims are the processes that containerd starts for pods: they outlive it. An
// argument of theirs is the address of the containerd that they belong to.
func (c *cluster) shims() ([]int, error) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, line := range lines {
		content, err := os.ReadFile(line)
		if err != nil {
			continue // it has ended since
		}
		args := strings.Split(string(content), "\x00")
		if filepath.Base(args[0]) != "containerd-shim-runc-v2" || !slices.Contains(args, c.path("run", "containerd.sock")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		if err != nil {
			return nil, err
		}
		if _, err := startTime(pid); err == nil { // no zombie
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// podProcesses are the processes in the cluster's cgroups.
func podProcesses() []int {
	found := map[int]bool{}
	eachCgroup(func(cgroup string) {
		content, err := os.ReadFile(filepath.Join(cgroup, "cgroup.procs"))
		if err != nil {
			return // it has gone since
		}
		for _, field := range strings.Fields(string(content)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				continue
			}
			if _, err := startTime(pid); err == nil {
				found[pid] = true
			}
		}
	})
	var pids []int
	for pid := range found {
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	return pids
}

// eachCgroup visits the cluster's cgroups, parents first.
func eachCgroup(visit func(cgroup string)) {
	for _, hierarchy := range cgroupHierarchies() {
		//nolint:errcheck // a cgroup that has gone since is none
		filepath.WalkDir(filepath.Join(hierarchy, cgroupRoot), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				visit(path)
			}
			return nil
		})
	}
}

// removeCgroups removes them, children first. A cgroup may be busy for a moment
// after its last process has ended.
func removeCgroups(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return poll(ctx, func(context.Context) error {
		var cgroups []string
		eachCgroup(func(cgroup string) { cgroups = append(cgroups, cgroup) })
		slices.Reverse(cgroups)
		var errs []error
		for _, cgroup := range cgroups {
			errs = append(errs, syscall.Rmdir(cgroup))
		}
		return errors.Join(errs...)
	})
}

// unmountAll unmounts what is mounted below the folder, the latest first.
func (c *cluster) unmountAll() error {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	defer file.Close()
	var points []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if point := mountPoint(lines.Text()); strings.HasPrefix(point, c.dir+"/") {
			points = append(points, point)
		}
	}
	slices.Reverse(points)
	var errs []error
	for _, point := range points {
		if err := syscall.Unmount(point, syscall.MNT_DETACH); err != nil {
			errs = append(errs, fmt.Errorf("unmount %s: %w", point, err))
		}
	}
	return errors.Join(errs...)
}

// mountPoint is the fifth field of a line of mountinfo, in which a blank is \040.
func mountPoint(line string) string {
	fields := strings.Fields(line)
	if len(fields) < 5 {
		return ""
	}
	return strings.ReplaceAll(fields[4], `\040`, " ")
}

// removeNetwork removes kube-proxy's tables, that of network policies, and the bridge. The interfaces of
// pods have gone with their network namespaces.
func (c *cluster) removeNetwork(ctx context.Context) error {
	var errs []error
	for _, table := range [][]string{{"ip", "kube-proxy"}, {"ip6", "kube-proxy"}, {"ip", policyTable}} {
		if output(exec.CommandContext(ctx, "nft", append([]string{"list", "table"}, table...)...)) == nil {
			errs = append(errs, output(exec.CommandContext(ctx, "nft", append([]string{"delete", "table"}, table...)...)))
		}
	}
	if _, err := net.InterfaceByName(bridge); err == nil {
		errs = append(errs, output(exec.CommandContext(ctx, "ip", "link", "delete", bridge)))
	}
	return errors.Join(errs...)
}

// restoreSettings gives the kernel's settings their values from before.
func (c *cluster) restoreSettings() error {
	content, err := os.ReadFile(c.path("settings"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var errs []error
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		errs = append(errs, os.WriteFile(filepath.Join("/proc/sys", name), []byte(value), 0o644))
	}
	return errors.Join(append(errs, err)...)
}

// removeOutside removes the few things whose place outside the folder is fixed:
// the kubelet's links to logs of containers, its socket for devices, the sockets
// of shims, and what CNI remembers of pods. A folder goes where nothing else is in
// it.
func (c *cluster) removeOutside() error {
	const (
		links   = "/var/log/containers"
		shims   = "/run/containerd/s"
		devices = "/var/lib/kubelet/device-plugins"
		results = "/var/lib/cni/results"
	)
	return errors.Join(
		removeEach(filepath.Join(links, "*.log"), func(link string) bool {
			target, err := os.Readlink(link)
			return err == nil && strings.HasPrefix(target, c.dir+"/")
		}),
		removeEach(filepath.Join(shims, "*"), hasNoListener),
		removeEach(filepath.Join(devices, "kubelet.sock"), hasNoListener),
		removeEach(filepath.Join(results, "cni-loopback-*-lo"), func(loopback string) bool {
			pod := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(loopback), "cni-loopback-"), "-lo")
			_, err := os.Stat(filepath.Join(results, network+"-"+pod+"-eth0"))
			return err == nil
		}),
		removeEach(filepath.Join(results, network+"-*-eth0"), func(string) bool { return true }),
		removeEmpty(links, shims, filepath.Dir(shims), devices, filepath.Dir(devices), results, filepath.Dir(results)),
	)
}

// hasNoListener tells a socket that was left behind from one in use.
func hasNoListener(socket string) bool {
	connection, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return true
	}
	return connection.Close() != nil
}

// removeEach removes the files of a pattern that are ours.
func removeEach(pattern string, ours func(file string) bool) error {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	var errs []error
	for _, file := range files {
		if ours(file) {
			errs = append(errs, os.Remove(file))
		}
	}
	return errors.Join(errs...)
}

// removeEmpty removes folders in which there is nothing any more.
func removeEmpty(dirs ...string) error {
	var errs []error
	for _, dir := range dirs {
		err := syscall.Rmdir(dir)
		if err != nil && !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.EEXIST) {
			errs = append(errs, fmt.Errorf("remove %s: %w", dir, err))
		}
	}
	return errors.Join(errs...)
}
