// SPDX-License-Identifier: Apache-2.0

package local

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// memoryEstimateFactor is how many times the memory that there is an estimate must be for
// work not to be started: of many replicas that idle, half of the estimate is taken.
const memoryEstimateFactor = 2

// memoryBound is how much memory there is, and who says so.
type memoryBound struct {
	bytes int64
	by    string
}

// CheckMemory warns of work that may take more memory than there is, and refuses
// work that surely does: a Go program without memory ends in the middle, with the
// exit code of bad input.
func (o *Options) CheckMemory(stderr io.Writer, label string, plan *experiment.Plan) error {
	bound, known := availableMemory()
	if !known {
		return nil
	}
	progress, err := study.New(plan)
	if err != nil {
		return err
	}
	most, least := study.PeakBytes(plan, progress, o.Parallelism), study.FirstPeakBytes(plan, progress, o.Parallelism)
	if most <= bound.bytes {
		return nil
	}
	words := fmt.Sprintf("about %s of memory, but %s are available (%s): reduce --parallelism (%d), the points, the seeds or the replicas, or set GOMEMLIMIT to the available memory",
		mebibytes(most), mebibytes(bound.bytes), bound.by, o.Parallelism)
	if least/memoryEstimateFactor > bound.bytes {
		return fmt.Errorf("%s: not started: it would take %s", label, words)
	}
	fmt.Fprintf(stderr, "windtunnel: warning: %s may take %s\n", label, words)
	return nil
}

func mebibytes(n int64) string {
	return fmt.Sprintf("%d MiB", int64(math.Ceil(float64(n)/(1<<20))))
}

// availableMemory is what GOMEMLIMIT says, or else the least of what the machine has
// left and what its cgroup may take. It is false if it is not known.
func availableMemory() (memoryBound, bool) {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 { // a negative number only asks
		return memoryBound{limit, "GOMEMLIMIT"}, true
	}
	least := memoryBound{bytes: math.MaxInt64}
	if available, ok := availableBytes("/proc/meminfo"); ok {
		least = memoryBound{available, "available on this machine"}
	}
	if limit, ok := cgroupBytes("/sys/fs/cgroup", "/proc/self/cgroup"); ok && limit < least.bytes {
		least = memoryBound{limit, "the limit of the cgroup"}
	}
	return least, least.bytes != math.MaxInt64
}

// availableBytes reads what a machine has left, swap included.
func availableBytes(meminfo string) (int64, bool) {
	raw, err := os.ReadFile(meminfo)
	if err != nil {
		return 0, false
	}
	total, found := int64(0), false
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || fields[0] != "MemAvailable:" && fields[0] != "SwapFree:" {
			continue
		}
		kibibytes, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0, false
		}
		total, found = total+kibibytes<<10, found || fields[0] == "MemAvailable:"
	}
	return total, found
}

// cgroupBytes reads the limit of a process's cgroup: of version 2 the least up to
// the root, of version 1 that of the root, which in a container is its own.
func cgroupBytes(root, ofProcess string) (int64, bool) {
	files := []string{filepath.Join(root, "memory", "memory.limit_in_bytes")}
	if raw, err := os.ReadFile(ofProcess); err == nil {
		for line := range strings.Lines(string(raw)) {
			path, is := strings.CutPrefix(strings.TrimSpace(line), "0::")
			for is && path != "/" && path != "." {
				files = append(files, filepath.Join(root, path, "memory.max"))
				path = filepath.Dir(path)
			}
		}
	}
	files = append(files, filepath.Join(root, "memory.max"))
	least := int64(math.MaxInt64)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64); err == nil {
			least = min(least, limit)
		}
	}
	const unlimited = 1 << 60 // what version 1 writes is no less
	return least, least < unlimited
}
