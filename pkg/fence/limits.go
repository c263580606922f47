// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Limits bound a child.
type Limits struct {
	// MemoryBytes are what a program may take in addition to what the simulation needs without it.
	MemoryBytes int64
	// MostBytes bounds both together; 0 does not.
	MostBytes int64
	// CPU is the time that all threads of the child take together, and Wall what the clock
	// says.
	CPU, Wall time.Duration
	// Cores is how many threads of the child run at once; at least 1.
	Cores int
}

const (
	programBytes = 1 << 30
	// cpuLimit is above the time of any simulation of the documentation, and of those of a
	// program that stays within its steps. It does not depend on what else the machine does;
	// wallLimit is for a machine so busy that a child gets half a core.
	cpuLimit  = 10 * time.Minute
	wallLimit = 2 * cpuLimit
)

// defaultLimits are those of a number of children that run at once. They share the memory that
// Go's runtime may use in this process, if something bounds that, with the process.
func defaultLimits(parallelism int) Limits {
	parallelism = max(parallelism, 1)
	l := Limits{MemoryBytes: programBytes, CPU: cpuLimit, Wall: wallLimit, Cores: max(runtime.GOMAXPROCS(0)/parallelism, 1)}
	if most := debug.SetMemoryLimit(-1); most < math.MaxInt64 {
		l.MostBytes = most / int64(parallelism+1)
	}
	return l
}

// of returns the limits with those that the bundles of a simulation state in their place. A
// candidate of a search has less time, unless its bundle states more.
func (l Limits) of(p *experiment.Plan, of experiment.Case) (Limits, error) {
	stated, err := execute.ProgramLimits(p, of)
	if err != nil {
		return l, err
	}
	if p.Evolving() != nil {
		l = l.ofCandidates()
	}
	if stated.CPUSeconds > 0 {
		l.CPU = time.Duration(min(stated.CPUSeconds, maxSeconds)) * time.Second
		l.Wall = wallOf(l.CPU)
	}
	if stated.MemoryMiB > 0 {
		l.MemoryBytes = int64(min(stated.MemoryMiB, maxMiB)) << 20
	}
	return l, nil
}

// maxSeconds and maxMiB keep limits within the numbers that carry them.
const (
	maxSeconds = 1 << 31
	maxMiB     = 1 << 40
)

// ofCandidates returns the limits of candidates of a search.
func (l Limits) ofCandidates() Limits {
	l.CPU = min(l.CPU, bundle.CandidateCPU)
	l.Wall = min(l.Wall, wallOf(l.CPU))
	return l
}

// wallOf is what the clock may say of a child with so much CPU time, on a machine so busy that
// it gets half a core, and has to wait for that.
func wallOf(cpu time.Duration) time.Duration { return 2*cpu + 30*time.Second }

// bytes is what a child with a number of simulations at once may take.
func (l *Limits) bytes(p *experiment.Plan, traces trace.Set, simulations int) int64 {
	n := l.MemoryBytes + int64(simulations)*study.OwnProcessBytes(p)
	for _, t := range traces { // in any order
		n += 2 * t.Bytes() // while it is read, a slice grows into another one
	}
	if l.MostBytes > 0 {
		n = min(n, l.MostBytes)
	}
	return n
}

// mebibytes names a limit.
func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// threadBytes are what Go's runtime maps in addition to the memory that it manages.
const threadBytes = 40 << 20

// heap is how much of its memory the garbage collector of a child may use before it works
// harder.
func heap(bytes int64) int64 { return max(bytes-threadBytes, bytes/2) / 10 * 9 }
