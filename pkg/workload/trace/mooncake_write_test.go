// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

func generate(t testing.TB, n int, seed int64) string {
	t.Helper()
	var out bytes.Buffer
	if err := trace.WriteMooncake(&out, n, seed); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGeneratedTraceStatistics(t *testing.T) {
	for _, seed := range []int64{1, 2, 3} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := statistics(t, read(t, trace.Mooncake, generate(t, 5000, seed)))
			t.Logf("%+v", s)
			within := func(what string, got, least, greatest float64) {
				if !(got >= least && got <= greatest) {
					t.Errorf("%s is %v, want %v to %v", what, got, least, greatest)
				}
			}
			within("requests", float64(s.Requests), 5000, 5000)
			within("requests in a batch", float64(s.Requests)/float64(s.DistinctTimestamps), 9, 11)
			within("rate", s.RatePerSecond, 3, 3.7)
			within("mean prompt", s.Input.Mean, 3700, 4300)
			within("99th percentile of prompts", float64(s.Input.P99), 14_000, 32_768)
			within("longest prompt", float64(s.Input.Max), 28_000, 32_768)
			within("mean answer", s.Output.Mean, 180, 220)
			full := math.Floor(float64(s.ReusableTokens) / 512)
			blocks := float64(fullBlocks(read(t, trace.Mooncake, generate(t, 5000, seed))))
			within("share of full blocks reused", full/blocks, 0.30, 0.37)
		})
	}
}

func fullBlocks(recorded *trace.Trace) int {
	n := 0
	for _, r := range workloadtest.Take(recorded.Replay(asRecorded, 1), -1) {
		n += r.Prompt.Tokens() / trace.MooncakeBlockTokens
	}
	return n
}

func TestGeneratedTraceDependsOnSeed(t *testing.T) {
	long, short := generate(t, 300, 7), generate(t, 100, 7)
	if !strings.HasPrefix(long, short) {
		t.Error("the first 100 rows of 300 are not those of 100")
	}
	if generate(t, 100, 7) != short {
		t.Error("two traces of one seed differ")
	}
	if generate(t, 100, 8) == short {
		t.Error("traces of two seeds are equal")
	}
}

// Results name a trace by its digest, so the same bytes must come out on every
// machine. A change here changes what users' seeds mean.
func TestGeneratedTraceIsPortable(t *testing.T) {
	recorded := read(t, trace.Mooncake, generate(t, 1000, 1))
	if got, want := recorded.Digest(), "3cd43f41eb27d3cac21093c38e7b7cae100a89666859f5906f3e4e2a746c46c4"; got != want {
		t.Errorf("digest of 1000 requests of seed 1 is %s, want %s", got, want)
	}
}

func TestGeneratedTraceFormat(t *testing.T) {
	row := regexp.MustCompile(
		`^\{"timestamp": \d+, "input_length": \d+, "output_length": \d+, "hash_ids": \[\d+(, \d+)*\]\}$`)
	for i, line := range strings.Split(strings.TrimSuffix(generate(t, 100, 1), "\n"), "\n") {
		if !row.MatchString(line) {
			t.Errorf("row %d: %s", i+1, line)
		}
	}
}

func TestWriteMooncakeErrors(t *testing.T) {
	if err := trace.WriteMooncake(&bytes.Buffer{}, 0, 1); err == nil {
		t.Error("no error for no requests")
	}
	full := errors.New("disk full")
	for _, n := range []int{1, 1000} {
		if err := trace.WriteMooncake(failingWriter{full}, n, 1); !errors.Is(err, full) {
			t.Errorf("%d requests: error %v, want %v", n, err, full)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
