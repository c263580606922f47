// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be its own child, as the program is.
func TestMain(m *testing.M) {
	if done, err := child(os.Getenv(childCase), os.Stdout); done {
		exit(err)
	}
	os.Exit(m.Run())
}

func TestACaseIsMeasuredInAChild(t *testing.T) {
	r, err := measureCase(reference50k(4), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case r.Requests != 50_000:
		t.Errorf("%d requests", r.Requests)
	case r.CPU <= 0 || r.Wall <= 0 || r.Allocations == 0 || r.PeakBytes < 1e6 || r.PeakBytes > 4e9:
		t.Errorf("measured %+v", r.measurement)
	}
}

func TestFaultsOfTheCommandLine(t *testing.T) {
	for args, want := range map[string]string{
		"-repeat 0":         "-repeat 0: want at least 1",
		"-o x.md":           "-o needs -date",
		"-cases nothing":    `no case matches "nothing"`,
		"stray":             `unexpected argument "stray"`,
		"-cases (":          "missing closing )",
		"-o x -date d -z 1": "not defined: -z",
	} {
		if err := run(strings.Fields(args), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// results are of all cases, none of them measured.
func results(trace bool) []result {
	var all []result
	for _, c := range cases() {
		r := result{benchCase: c, measurement: measurement{
			Requests: int64(c.requests), CPU: time.Duration(c.requests) * time.Microsecond, Wall: time.Second,
			Allocations: 1, AllocatedBytes: 1, PeakBytes: 50e6, TTFTMs: 16.6, CachedShare: 0.8, Efficiency: 0.9,
		}}
		if c.requests == 0 && trace {
			r.Requests, r.CPU = 12_031, 500*time.Millisecond
		}
		all = append(all, r)
	}
	return all
}

// measured are the commands, each of which took a time and 10 MB, and a peer that took 200 times
// that.
func measured(took time.Duration) *commands {
	c := newCommands()
	took1 := cost{CPU: took, Wall: took, PeakBytes: 10e6}
	w := &workshop{folder: "folder"}
	for _, p := range []program{{name: versionCommand}, {name: tenCommand, units: 10}, {name: trialsCommand, units: manyTrials}, w.onR("m.yaml", million)} {
		c.add(p, took1)
	}
	c.Version = "abc of a day"
	for _, replicas := range peerReplicas {
		c.addPair(pair{sizeOfR: sizeOfR{peerRequests, replicas}, ours: took1, peer: cost{CPU: 200 * took, PeakBytes: 1e9}})
	}
	return c
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := writeTable(&out, results(false)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"R(50000,16)            1 000 000", "Mooncake               not measured: the trace is absent", "90 %"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestTargets(t *testing.T) {
	for _, target := range targets(results(true), measured(time.Millisecond)) {
		if !target.Met {
			t.Errorf("%+v is not met", target)
		}
	}
	if with, without := len(targets(results(true), measured(time.Millisecond))), len(targets(results(false), measured(time.Millisecond))); without != with-1 {
		t.Errorf("%d targets without the trace, %d with it", without, with)
	}
	slow := results(true)
	for i := range slow {
		slow[i].CPU *= 40
	}
	for _, target := range targets(slow, measured(time.Minute)) {
		absolute := strings.HasSuffix(target.Target, "of CPU time") || strings.Contains(target.Target, "CPU second")
		if absolute == target.Met {
			t.Errorf("40 times slower, %+v", target)
		}
	}
}

func TestPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	o := options{output: path, machine: "a machine", date: "a day", repeat: 3}
	if err := writePage(o, results(true), measured(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a machine, go", "| `run, 10 requests` | 1 ms | 100µs | 0.00 s | 10 MB |",
		"| R(50000,16) | 50 000 000 requests per CPU second | 250 000 requests per CPU second | 200 | 10 MB / 1000 MB |",
		", a day.\n", "| R(1000000,16) | 1 000 000 |", "| Mooncake | at most 1s of CPU time | 500ms | yes |"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestTheCommittedPageIsTheTemplates: figures change when they are measured, the
// text when the template does.
func TestTheCommittedPageIsTheTemplates(t *testing.T) {
	page, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(pageText, "\n## The workloads\n")
	if text == "" || !strings.HasSuffix(string(page), text) {
		t.Error("docs/performance.md does not end as page.md.tmpl does: run studies/bench with -o")
	}
}
