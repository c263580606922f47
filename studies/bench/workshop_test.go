// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/reference"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

func readManifest(t *testing.T, path string) *manifest.Set {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	set, err := manifest.Read(file, path)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return set
}

// TestTheManifestIsR: a user's R and the engine's have the same mean TTFT under one seed.
func TestTheManifestIsR(t *testing.T) {
	w, size := &workshop{folder: t.TempDir()}, sizeOfR{2000, 4}
	path, err := w.write(manifestOfR, size, "r")
	if err != nil {
		t.Fatal(err)
	}
	set := readManifest(t, path)
	compiled, errs, err := compile.Run(context.Background(), set.Runs[0], nil)
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	done, err := execute.RunLocally(context.Background(), compiled.Plan, compiled.Traces, execute.Options{Parallelism: 1})
	if err != nil {
		t.Fatal(err)
	}
	row := done.Rows()[0]
	got, _ := row.Metrics.Get("ttft.mean")
	direct, err := simulation.Run(context.Background(), reference.R(size.Requests, size.Replicas, row.Seed))
	if err != nil {
		t.Fatal(err)
	}
	// The manifest has the rates of clients with nine digits.
	if want := direct.Cells[0].TTFT.Mean() / 1e9; math.Abs(got/want-1) > 1e-6 {
		t.Errorf("the manifest's mean TTFT is %v s, the engine's %v s", got, want)
	}
}

// TestTheWorkloadOfThePeer: shares add up to 1, and the rate is 25 requests/s a replica.
func TestTheWorkloadOfThePeer(t *testing.T) {
	w := &workshop{folder: t.TempDir()}
	p, err := w.peerOfR(sizeOfR{100, 64})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.path("inference-sim-100-64.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		AggregateRate float64 `json:"aggregate_rate"`
		Clients       []struct {
			RateFraction float64 `json:"rate_fraction"`
		} `json:"clients"`
	}
	if err := yaml.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, c := range spec.Clients {
		sum += c.RateFraction
	}
	if len(spec.Clients) != 80 || math.Abs(sum-1) > 1e-9 || spec.AggregateRate != 1600 || p.units != 100 {
		t.Errorf("%d clients with shares of %v, %v requests/s, %d requests", len(spec.Clients), sum, spec.AggregateRate, p.units)
	}
}

// TestTrials: the sweep has as many points as its name says.
func TestTrials(t *testing.T) {
	w := &workshop{folder: t.TempDir(), root: "../.."}
	path, err := w.trials()
	if err != nil {
		t.Fatal(err)
	}
	set := readManifest(t, path)
	compiled, errs, err := compile.Sweep(context.Background(), set.Sweeps[0], nil)
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	all, err := study.New(compiled.Plan)
	if err != nil {
		t.Fatal(err)
	}
	if trials := len(all.Round().Trials); trials != manyTrials {
		t.Errorf("%d trials, want %d", trials, manyTrials)
	}
}
