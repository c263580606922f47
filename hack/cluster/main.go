// SPDX-License-Identifier: Apache-2.0

// Cluster runs a Kubernetes cluster with one node on this machine for the end-to-end
// tests: etcd, the control plane, kubelet, kube-proxy and containerd as plain
// processes, built from Go modules. It writes into one folder; a short list has the
// exceptions. docs/cluster.md describes its use.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sort"
	"strings"
	"syscall"
)

const usage = `usage: cluster COMMAND

Runs a Kubernetes of one node on this machine, as root.

  check                 whether this machine lets us run containers; exit status 3 if not
  up                    build what is missing, start what is not running, wait until it serves
  load-image FILE...    load image archives into the node
  status                what runs, and whether it serves
  env                   print KUBECONFIG and PATH for a shell: eval "$(cluster env)"
  logs [PROGRAM]        print the end of a program's log, or of all
  stop PROGRAM          stop one program (SIGTERM); kill PROGRAM does it with SIGKILL
  start PROGRAM         start it again and wait until it serves
  restart PROGRAM       stop and start
  down                  stop everything and remove every trace of it

PROGRAM is one of: %s

environment
  WINDTUNNEL_CLUSTER_DIR  the state folder (default %s)
  POLICIES=off            enforce no NetworkPolicies, which not every kernel can
  CLUSTER=existing        use the cluster that KUBECONFIG names (kind, or any) and
                          never change it: up looks whether it serves, down leaves it
  LOAD_IMAGE              then the command that loads an archive into its nodes, such
                          as "kind load image-archive"
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err == nil:
	case errors.As(err, new(usageError)):
		fmt.Fprintf(os.Stderr, "cluster: %v (see cluster help)\n", err)
		os.Exit(2)
	case errors.As(err, new(unsupportedHostError)):
		fmt.Fprintf(os.Stderr, "cluster: %v\n", err)
		os.Exit(3)
	default:
		fmt.Fprintf(os.Stderr, "cluster: %v\n", err)
		os.Exit(1)
	}
}

// usageError is a fault in the command line, not in what it asks for.
type usageError struct{ error }

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return usageError{errors.New("a command is required")}
	}
	dir := os.Getenv("WINDTUNNEL_CLUSTER_DIR")
	if dir == "" {
		dir = defaultDir
	}
	c := newCluster(dir, os.Stderr)
	command, rest := args[0], args[1:]
	switch command {
	case "help", "-h", "-help", "--help":
		_, err := fmt.Fprintf(out, usage, strings.Join(programNames, " "), defaultDir)
		return err
	case "env":
		return c.env(out)
	}
	if err := checkArguments(command, rest); err != nil {
		return err
	}
	switch kind := os.Getenv("CLUSTER"); kind {
	case "", "local":
	case "existing":
		return existing{c}.run(ctx, command, rest)
	default:
		return usageError{fmt.Errorf("CLUSTER=%s: must be local or existing", kind)}
	}
	if err := check(); err != nil || command == "check" {
		return err
	}
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	return errors.Join(c.run(ctx, command, rest, out), unlock())
}

// run is a command on a cluster of our own.
func (c *cluster) run(ctx context.Context, command string, rest []string, out io.Writer) error {
	switch command {
	case "up":
		return c.up(ctx)
	case "down":
		return c.down(ctx)
	case "status":
		return c.status(ctx, out)
	case "logs":
		return c.logs(out, rest)
	case "load-image":
		return c.loadImages(ctx, rest)
	default:
		return c.operate(ctx, command, rest[0])
	}
}

// checkArguments refuses a command line before anything is touched.
func checkArguments(command string, rest []string) error {
	switch command {
	case "check", "up", "down", "status":
		if len(rest) > 0 {
			return usageError{fmt.Errorf("%s takes no argument, got %q", command, rest[0])}
		}
		return nil
	case "load-image":
		if len(rest) == 0 {
			return usageError{errors.New("load-image takes the archives to load")}
		}
		return nil
	case "logs":
		if len(rest) == 0 {
			return nil
		}
	case "start", "stop", "kill", "restart":
	default:
		return usageError{fmt.Errorf("unknown command %q", command)}
	}
	if len(rest) != 1 {
		return usageError{fmt.Errorf("%s takes one program", command)}
	}
	known := sort.SearchStrings(programNames, rest[0])
	if known == len(programNames) || programNames[known] != rest[0] {
		return usageError{fmt.Errorf("unknown program %q: it must be one of %s", rest[0], strings.Join(programNames, ", "))}
	}
	return nil
}
