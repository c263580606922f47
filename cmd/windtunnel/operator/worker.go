// SPDX-License-Identifier: Apache-2.0

// Package operator has the verbs that run in the pods of the operator: worker and propose.
package operator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/worker"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

// workerOptions are the flags of worker; the Job's pod template sets them.
type workerOptions struct {
	plan        string
	round       string
	inputs      string
	shards      int
	termination string
	parallelism int
	interval    time.Duration
	live        worker.Live
}

// NewWorkerCommand is the verb worker.
func NewWorkerCommand() *cobra.Command { return NewLiveWorkerCommand(nil) }

// NewLiveWorkerCommand is the verb worker that plays its one simulation live.
func NewLiveWorkerCommand(live worker.Live) *cobra.Command {
	o := workerOptions{live: live}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Simulate one shard of a plan in a Job's pod",
		Long: `Simulate one shard of a plan inside a Job's pod, write the results as ConfigMaps
and report their digests in the pod's termination message. The operator sets
the flags; the shard's index comes from the Job in JOB_COMPLETION_INDEX.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.plan, "plan", "/etc/windtunnel/plan", "folder of the plan")
	f.StringVar(&o.round, "round", "/etc/windtunnel/round", "folder of the round: the simulations of the plan to run")
	f.StringVar(&o.inputs, "inputs", "/etc/windtunnel/inputs", "folder of the plan's inputs")
	f.IntVar(&o.shards, "shards", 1, "number of shards of the Job")
	f.StringVar(&o.termination, "termination-log", "/dev/termination-log", "file of the termination message")
	cli.ParallelismFlag(f, &o.parallelism, "simulations")
	f.DurationVar(&o.interval, "progress-interval", worker.ProgressInterval, "interval between checks whether to report progress")
	return cmd
}

func (o workerOptions) run(ctx context.Context) error {
	if o.interval <= 0 {
		return fmt.Errorf("%w: --progress-interval %s: must be more than 0", worker.ErrBadInput, o.interval)
	}
	index, err := strconv.Atoi(os.Getenv("JOB_COMPLETION_INDEX"))
	if err != nil {
		return fmt.Errorf("%w: JOB_COMPLETION_INDEX: %w", worker.ErrBadInput, err)
	}
	creator, err := podCluster()
	if err != nil {
		return err
	}
	ticker := time.NewTicker(o.interval)
	defer ticker.Stop()
	report, err := worker.Run(ctx, worker.Options{
		PlanFolder:   o.plan,
		RoundFolder:  o.round,
		InputsFolder: o.inputs,
		Index:        index,
		Shards:       o.shards,
		Parallelism:  o.parallelism,
		Live:         o.live,
		Fence:        fence.New(o.parallelism),
		// A negative number only asks: it is GOMEMLIMIT, or no bound.
		MemoryBytes: debug.SetMemoryLimit(-1),
		Parquet:     parquetfile.Codec{},
		Ticks:       ticker.C,
	}, creator)
	return reportTo(o.termination, report, err)
}

// podCluster is the API server that a pod writes its results to.
func podCluster() (worker.Cluster, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return worker.Cluster{}, fmt.Errorf("find the API server: %w", err)
	}
	config.QPS, config.Burst = 20, 30
	c, err := worker.NewCluster(config)
	if err != nil {
		return worker.Cluster{}, fmt.Errorf("find the API server: %w", err)
	}
	return c, nil
}

// reportTo writes a report as a pod's termination message, and returns the error that the
// pod ends with.
func reportTo(path string, report store.Report, err error) error {
	raw, encodeErr := report.Encode()
	if err == nil {
		err = encodeErr
	}
	if encodeErr == nil {
		if writeErr := os.WriteFile(filepath.Clean(path), raw, 0o644); writeErr != nil && err == nil {
			err = fmt.Errorf("write termination message: %w", writeErr)
		}
	}
	return err
}
