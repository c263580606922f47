// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	_ "embed" // the manifests
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/reference"
	"windtunnel.dev/windtunnel/pkg/workload"
)

//go:embed r.yaml.tmpl
var manifestOfR string

//go:embed inference-sim.yaml.tmpl
var peerWorkload string

// workshop is a folder with binaries and manifests, and where they come from.
type workshop struct {
	folder string
	// root is the checkout of Windtunnel, and peer that of inference-sim or empty.
	root, peer string
}

// newWorkshop builds the binaries as releases are built.
func newWorkshop(folder, peer string) (*workshop, error) {
	root, err := output("", "go", "list", "-m", "-f", "{{.Dir}}", "windtunnel.dev/windtunnel")
	if err != nil {
		return nil, err
	}
	w := &workshop{folder: folder, root: root, peer: peer}
	if err := w.build(w.root, "windtunnel", "./cmd/windtunnel"); err != nil {
		return nil, err
	}
	if peer == "" {
		return w, nil
	}
	return w, w.build(peer, "inference-sim", ".")
}

func (w *workshop) build(from, name, what string) error {
	_, err := output(from, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", w.path(name), what)
	return err
}

func (w *workshop) path(name string) string { return filepath.Join(w.folder, name) }

// output runs a command in a folder and returns what it prints.
func output(folder string, args ...string) (string, error) {
	command := exec.Command(args[0], args[1:]...)
	command.Dir = folder
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// commands are what the page shows of the command, in order.
func (w *workshop) commands() ([]program, error) {
	ten := filepath.Join(w.root, "hack", "instructions", "ten.yaml")
	trials, err := w.trials()
	if err != nil {
		return nil, err
	}
	all := []program{
		{name: versionCommand, args: []string{w.path("windtunnel"), "--version"}},
		{name: tenCommand, units: 10, args: []string{w.path("windtunnel"), "run", "-f", ten}},
		{name: trialsCommand, units: manyTrials, args: []string{w.path("windtunnel"), "sweep", "-f", trials}},
	}
	for _, size := range []sizeOfR{{50_000, 16}, million} {
		p, err := w.r(size)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

const manyTrials = 10_000

// million is the largest of the commands' R.
var million = sizeOfR{1_000_000, 16}

// onR names the command on R.
func onR(size sizeOfR) string { return "run, " + size.String() }

// The commands that targets name.
const (
	versionCommand = "windtunnel --version"
	tenCommand     = "run, 10 requests"
	trialsCommand  = "sweep, 10 000 trials of 50 requests"
)

// trials writes the sweep that hack/instructions.sh counts, with more trials.
func (w *workshop) trials() (string, error) {
	text, err := os.ReadFile(filepath.Join(w.root, "hack", "instructions", "trials.yaml"))
	if err != nil {
		return "", err
	}
	var sweep v1alpha1.PolicySweep
	if err := yaml.UnmarshalStrict(text, &sweep); err != nil {
		return "", err
	}
	sweep.Spec.Parameters[0].Range = &v1alpha1.Range{Min: "0.002", Max: "20", Step: "0.002"}
	sweep.Spec.Search.MaxTrials = manyTrials
	text, err = yaml.Marshal(sweep)
	if err != nil {
		return "", err
	}
	return w.path("trials.yaml"), os.WriteFile(w.path("trials.yaml"), text, 0o644)
}

// r is the command on R.
func (w *workshop) r(size sizeOfR) (program, error) {
	path, err := w.write(manifestOfR, size, "r")
	return w.onR(path, size), err
}

func (w *workshop) onR(path string, size sizeOfR) program {
	return program{name: onR(size), units: size.Requests, args: []string{w.path("windtunnel"), "run", "-f", path}}
}

// peerOfR is inference-sim at its fastest setting on the workload of R.
func (w *workshop) peerOfR(size sizeOfR) (program, error) {
	path, err := w.write(peerWorkload, size, "inference-sim")
	return program{
		name: "inference-sim", units: size.Requests, folder: w.peer,
		args: []string{
			w.path("inference-sim"), "run", "--model", "meta-llama/llama-3.1-8b-instruct", "--hardware", "H100", "--tp", "1",
			"--num-instances", fmt.Sprint(size.Replicas), "--total-kv-blocks", "26000",
			"--routing-policy", "weighted", "--routing-scorers", "prefix-affinity:3,queue-depth:2,kv-utilization:2",
			"--workload-spec", path, "--timeout", "-1", "--lazy-generation", "--cache-signal-delay", "0",
		},
	}, err
}

// write fills a template in with the clients of R.
func (w *workshop) write(text string, size sizeOfR, name string) (string, error) {
	path := w.path(fmt.Sprintf("%s-%d-%d.yaml", name, size.Requests, size.Replicas))
	var out bytes.Buffer
	if err := template.Must(template.New(name).Parse(text)).Execute(&out, size); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, out.Bytes(), 0o644)
}

// sizeOfR is what the templates know of R.
type sizeOfR struct{ Requests, Replicas int }

func (s sizeOfR) String() string { return fmt.Sprintf("R(%d,%d)", s.Requests, s.Replicas) }

// Clients are those of R.
func (s sizeOfR) Clients() []workload.Client { return reference.Clients(s.Replicas) }

// RatePerSecond is that of all clients together.
func (s sizeOfR) RatePerSecond() float64 { return reference.RatePerReplica * float64(s.Replicas) }

// Share is a client's of the rate.
func (s sizeOfR) Share(c workload.Client) float64 {
	return c.Arrivals.RatePerSecond / s.RatePerSecond()
}
