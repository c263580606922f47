// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"windtunnel.dev/windtunnel/studies/study"
)

// commands are what was measured of whole processes.
type commands struct {
	// Ours is the command's table.
	Ours *study.Table
	// Peer is the table of the pairs with inference-sim, of whose checkout Version is the commit;
	// both are empty without one.
	Peer    *study.Table
	Version string
	pairs   []pair
	costs   map[string]cost
}

func newCommands() *commands {
	return &commands{
		Ours:  &study.Table{Titles: []string{"command", "CPU", "a request or trial", "wall", "peak memory"}},
		Peer:  &study.Table{Titles: []string{"workload", "Windtunnel", "inference-sim", "times as fast", "peak memory of both"}},
		costs: map[string]cost{},
	}
}

// pair is R as both simulators take it.
type pair struct {
	sizeOfR
	ours, peer cost
}

// times is how many times the CPU time of Windtunnel the peer's is.
func (p pair) times() float64 { return p.peer.CPU.Seconds() / p.ours.CPU.Seconds() }

// peerReplicas are the sizes of R at which both are measured.
var peerReplicas = []int{4, 16, 64}

const peerRequests = 50_000

// measureCommands builds the binaries and measures the commands, and the pairs where a checkout
// of the peer is given.
func (o options) measureCommands(progress io.Writer) (*commands, error) {
	folder, err := os.MkdirTemp("", "windtunnel-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	w, err := newWorkshop(folder, o.peer)
	if err != nil {
		return nil, err
	}
	all, err := w.commands()
	if err != nil {
		return nil, err
	}
	c := newCommands()
	for _, p := range all {
		fmt.Fprintf(progress, "bench: %s\n", p.name)
		costs, err := inTurn(o.repeat, p)
		if err != nil {
			return nil, err
		}
		c.add(p, costs[0])
	}
	if o.peer == "" {
		fmt.Fprintln(progress, "bench: inference-sim is not measured: -peer names no checkout")
		return c, nil
	}
	return c, c.measurePeer(w, o.repeat, progress)
}

func (c *commands) add(p program, took cost) {
	each := ""
	if p.units > 0 {
		each = (took.CPU / time.Duration(p.units)).Round(10 * time.Nanosecond).String()
	}
	c.Ours.Add("`"+p.name+"`", milliseconds(took), each, seconds(took.Wall), megabytes(took.PeakBytes))
	c.costs[p.name] = took
}

func milliseconds(c cost) string { return study.Grouped(c.CPU.Milliseconds()) + " ms" }

func megabytes(bytes int64) string { return fmt.Sprintf("%.0f MB", float64(bytes)/1e6) }

func (c *commands) measurePeer(w *workshop, repeat int, progress io.Writer) error {
	version, err := output(w.peer, "git", "log", "-1", "--format=%h of %cs")
	if err != nil {
		return err
	}
	c.Version = version
	for _, replicas := range peerReplicas {
		size := sizeOfR{peerRequests, replicas}
		fmt.Fprintf(progress, "bench: %v by Windtunnel and by inference-sim\n", size)
		ours, err := w.r(size)
		if err != nil {
			return err
		}
		peer, err := w.peerOfR(size)
		if err != nil {
			return err
		}
		costs, err := inTurn(repeat, ours, peer)
		if err != nil {
			return err
		}
		c.addPair(pair{sizeOfR: size, ours: costs[0], peer: costs[1]})
	}
	return nil
}

func (c *commands) addPair(p pair) {
	rate := func(took cost) string {
		return study.Grouped(int(float64(p.Requests)/took.CPU.Seconds())) + " requests per CPU second"
	}
	c.pairs = append(c.pairs, p)
	c.Peer.Add(p.String(), rate(p.ours), rate(p.peer), fmt.Sprintf("%.0f", p.times()), megabytes(p.ours.PeakBytes)+" / "+megabytes(p.peer.PeakBytes))
}
