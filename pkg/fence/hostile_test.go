// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package fence_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/hostile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/policy"
)

// hostileLimits are so small that a program that reaches them does so in seconds.
var hostileLimits = fence.Limits{MemoryBytes: 96 << 20, CPU: 2 * time.Second, Wall: 20 * time.Second, Cores: 1}

// Each program that means harm is a fault with a name, or does none, within the limits of its
// process; and the next simulation is as if nothing had been.
func TestHostilePrograms(t *testing.T) {
	f := &fence.Fence{Limits: hostileLimits}
	good := bundled(t, starlarkText)
	want, err := simulate(t, good, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	peak := watchChildren(t)
	for _, program := range hostile.Programs() {
		t.Run(program.Name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, err := simulate(t, bundled(t, program.Routing), f, 0)
			took := time.Since(start)
			kind := hostile.Harmless
			if fault := (*policy.Fault)(nil); errors.As(err, &fault) {
				kind = fault.Kind
			} else if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s after %v: %.200v", kind, took.Round(time.Millisecond), err)
			if !slices.Contains(program.Faults, kind) {
				t.Errorf("%s: %v, want one of %v", kind, err, program.Faults)
			}
			if most := f.Limits.Wall + 5*time.Second; took > most {
				t.Errorf("it took %v, more than %v", took, most)
			}
			got, err := simulate(t, good, f, 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(experimenttest.EncodeRows(t, want), experimenttest.EncodeRows(t, got)); diff != "" {
				t.Errorf("the next simulation (-want +got):\n%s", diff)
			}
		})
	}
	t.Cleanup(func() {
		if most := int64(250); peak() > most {
			t.Errorf("a process had %d MiB of memory, more than %d", peak(), most)
		}
		t.Logf("no process had more than %d MiB", peak())
	})
}

// watchChildren looks at the memory of the children of this process until the test ends. It
// returns what says the most of one, in MiB. What the kernel says of children that have ended
// counts the memory of their parent, from before they became a program of their own.
func watchChildren(t *testing.T) func() int64 {
	var most atomic.Int64
	go func() {
		for t.Context().Err() == nil {
			time.Sleep(5 * time.Millisecond)
			names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, name := range names {
				most.Store(max(most.Load(), highWater(filepath.Dir(name))))
			}
		}
	}()
	return most.Load
}

// highWater is the most memory that a process has had, in MiB; 0 where it is no child of this
// one. The name comes first: before a child has it, its memory is that of its parent.
func highWater(process string) int64 {
	name, _ := os.ReadFile(filepath.Join(process, "cmdline")) // it may be gone
	if !strings.HasPrefix(string(name), "windtunnel: fenced") {
		return 0
	}
	status, _ := os.ReadFile(filepath.Join(process, "status"))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if !strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid())) || len(strings.Fields(rest)) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kilobytes >> 10
}
