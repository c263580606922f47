// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// existing is a cluster that another tool runs: it is used, and never changed
// or torn down.
type existing struct{ *cluster }

func (e existing) run(ctx context.Context, command string, rest []string) error {
	if os.Getenv("KUBECONFIG") == "" {
		return errors.New("CLUSTER=existing wants KUBECONFIG: no cluster is used by accident")
	}
	switch command {
	case "check", "up", "status":
		return e.asked(exec.CommandContext(ctx, "kubectl", "get", "--raw", "/readyz"))
	case "down":
		e.say("CLUSTER=existing: the cluster stays as it is")
		return nil
	case "load-image":
		load := strings.Fields(os.Getenv("LOAD_IMAGE"))
		if len(load) == 0 {
			e.say("LOAD_IMAGE is not set: the nodes must have the image, or be able to pull it")
			return nil
		}
		return e.asked(exec.CommandContext(ctx, load[0], append(load[1:], rest...)...))
	default:
		return fmt.Errorf("CLUSTER=existing: %s is for a cluster of our own", command)
	}
}

func (e existing) asked(command *exec.Cmd) error {
	command.Stdout, command.Stderr = e.log, e.log
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(command.Args, " "), err)
	}
	return nil
}
