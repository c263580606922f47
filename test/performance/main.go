// SPDX-License-Identifier: Apache-2.0

// Performance measures the operator with a real API server: a generator creates
// SimulationRuns, the manager reconciles them as a separate process, and a fake executor
// replaces the Job controller, the pods and their workers. It prints a table, and fails
// if a value is out of its range.
//
//	KUBEBUILDER_ASSETS=$(hack/kube-assets.sh) go run ./test/performance
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// settings say what is measured.
type settings struct {
	runs, finished int
	idle           time.Duration
	ranges         string
	profiles       string
}

// profile is the file of a heap profile; empty where none is wanted.
func (s settings) profile(name string) string {
	if s.profiles == "" {
		return ""
	}
	return filepath.Join(s.profiles, name+".heap")
}

func main() {
	log.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "performance: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	var s settings
	flags := flag.NewFlagSet("performance", flag.ContinueOnError)
	flags.IntVar(&s.runs, "runs", 1000, "SimulationRuns that are created at once")
	flags.IntVar(&s.finished, "finished", 10000, "SimulationRuns that are there and finished while the manager idles; with 0 that is left out")
	flags.DurationVar(&s.idle, "idle", time.Minute, "how long it idles")
	flags.StringVar(&s.ranges, "ranges", "test/performance/ranges.yaml", "`file` of the ranges of all figures; none where it is empty")
	flags.StringVar(&s.profiles, "profiles", "", "`folder` for heap profiles of the manager at its peaks; none where it is empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	p, err := start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	figures, err := measure(ctx, p, s)
	if err != nil {
		return err
	}
	return report(out, figures, s.ranges)
}

// measure takes all figures.
func measure(ctx context.Context, p *platform, s settings) ([]figure, error) {
	burst, err := measureBurst(ctx, p, s)
	if err != nil {
		return nil, fmt.Errorf("burst: %w", err)
	}
	if s.finished == 0 {
		return burst, nil
	}
	idle, err := measureIdle(ctx, p, s)
	if err != nil {
		return nil, fmt.Errorf("idle: %w", err)
	}
	return append(burst, idle...), nil
}
