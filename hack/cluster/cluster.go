// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// defaultDir is on a disk, because the images and the pods' files are in it.
	defaultDir = "/var/lib/windtunnel-cluster"
	// startTimeout is for the slowest start on a busy machine, stopTimeout for
	// the API server, which ends its watches before it frees its port.
	startTimeout = 3 * time.Minute
	stopTimeout  = 60 * time.Second
)

// cluster is the folder with everything that a cluster of one node consists of.
type cluster struct {
	dir string
	log io.Writer
}

func newCluster(dir string, log io.Writer) *cluster { return &cluster{dir, log} }

func (c *cluster) path(elements ...string) string {
	return filepath.Join(append([]string{c.dir}, elements...)...)
}

func (c *cluster) pidFile(program string) string { return c.path("pids", program) }
func (c *cluster) logFile(program string) string { return c.path("logs", program+".log") }
func (c *cluster) kubeconfig() string            { return c.path("kubeconfig") }

func (c *cluster) say(format string, args ...any) {
	fmt.Fprintf(c.log, "cluster: "+format+"\n", args...)
}

// lock keeps two commands from working on one cluster at a time. The lock lies
// next to the folder, which down removes.
func (c *cluster) lock() (unlock func() error, err error) {
	file, err := os.OpenFile(c.dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another command is working on the cluster in %s", c.dir), file.Close())
	}
	return file.Close, nil
}

// up brings the cluster to where it serves, whatever is there already.
func (c *cluster) up(ctx context.Context) error {
	began := time.Now()
	if err := c.installPackages(ctx); err != nil {
		return err
	}
	assets, err := c.buildAssets(ctx)
	if err != nil {
		return err
	}
	built := time.Now()
	if err := c.prepare(ctx); err != nil {
		return err
	}
	for _, p := range c.programs(assets) {
		if err := c.start(ctx, p); err != nil {
			return err
		}
		if p.name == "containerd" {
			if err := c.loadImages(ctx, []string{c.path("pause.tar")}); err != nil {
				return err
			}
		}
	}
	if err := c.waitUntilUsable(ctx, assets); err != nil {
		return err
	}
	c.say("ready: binaries after %.0f s, the cluster %.0f s later", built.Sub(began).Seconds(), time.Since(built).Seconds())
	c.say(`export KUBECONFIG=%s`, c.kubeconfig())
	return nil
}

// start runs the program, if it does not run, and waits until it serves.
func (c *cluster) start(ctx context.Context, p program) error {
	proc, found, err := recorded(c.pidFile(p.name))
	if err != nil {
		return err
	}
	if !found || !proc.alive() {
		if proc, err = spawn(p, c.pidFile(p.name), c.logFile(p.name)); err != nil {
			return c.withLog(p.name, fmt.Errorf("start %s: %w", p.name, err))
		}
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var unready error
	waited := poll(ctx, func(ctx context.Context) error {
		if !proc.alive() {
			cancel()
			unready = errors.New("it ended")
			return unready
		}
		unready = p.ready(ctx)
		return unready
	})
	if waited != nil {
		return c.withLog(p.name, fmt.Errorf("%s does not serve after %.0f s: %w", p.name, time.Since(began).Seconds(), unready))
	}
	c.say("%s serves (%.1f s)", p.name, time.Since(began).Seconds())
	return nil
}

// stop ends the program with the patience that it deserves.
func (c *cluster) stop(ctx context.Context, name string, patience time.Duration) error {
	proc, found, err := recorded(c.pidFile(name))
	if err != nil || !found {
		return err
	}
	if err := proc.end(ctx, patience); err != nil {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	return os.Remove(c.pidFile(name))
}

// operate is start, stop, kill and restart of one program of a cluster that is up.
func (c *cluster) operate(ctx context.Context, command, name string) error {
	if _, err := os.Stat(c.kubeconfig()); err != nil {
		return fmt.Errorf("there is no cluster in %s: bring it up first", c.dir)
	}
	if command != "start" {
		patience := stopTimeout
		if command == "kill" {
			patience = 0
		}
		if err := c.stop(ctx, name, patience); err != nil {
			return err
		}
	}
	if command == "stop" || command == "kill" {
		return nil
	}
	assets, err := c.buildAssets(ctx)
	if err != nil {
		return err
	}
	for _, p := range c.programs(assets) {
		if p.name == name {
			return c.start(ctx, p)
		}
	}
	return fmt.Errorf("no program %s", name)
}

// status tells of each program whether it runs and serves; an error when the
// cluster is not whole.
func (c *cluster) status(ctx context.Context, out io.Writer) error {
	if _, err := os.Stat(c.kubeconfig()); err != nil {
		return fmt.Errorf("there is no cluster in %s", c.dir)
	}
	assets, err := c.buildAssets(ctx)
	if err != nil {
		return err
	}
	whole := true
	for _, p := range c.programs(assets) {
		proc, found, err := recorded(c.pidFile(p.name))
		if err != nil {
			return err
		}
		state := "stopped"
		if found && proc.alive() {
			state = fmt.Sprintf("pid %d, serves", proc.pid)
			if err := p.ready(ctx); err != nil {
				state = fmt.Sprintf("pid %d, does not serve: %v", proc.pid, err)
			}
		}
		whole = whole && found && proc.alive() && p.ready(ctx) == nil
		fmt.Fprintf(out, "%-24s %s\n", p.name, state)
	}
	if !whole {
		return errors.New("the cluster is not whole")
	}
	return nil
}

// env prints what a shell needs to talk to the cluster.
func (c *cluster) env(out io.Writer) error {
	_, err := fmt.Fprintf(out, "export KUBECONFIG=%s\nexport PATH=%s:$PATH\n", c.kubeconfig(), c.path("bin"))
	return err
}

func (c *cluster) logs(out io.Writer, names []string) error {
	if len(names) == 0 {
		names = programNames
	}
	for _, name := range names {
		fmt.Fprintf(out, "==> %s <==\n%s\n", c.logFile(name), tail(c.logFile(name), 40))
	}
	return nil
}

// withLog adds the end of the program's log to an error.
func (c *cluster) withLog(name string, err error) error {
	return fmt.Errorf("%w\nthe end of %s:\n%s", err, c.logFile(name), tail(c.logFile(name), 25))
}
