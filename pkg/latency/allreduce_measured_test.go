// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// readAllReduce reads what collectives inside CUDA graphs took, by number of
// GPUs. The files count elements of 2 bytes and milliseconds.
func readAllReduce(t *testing.T, path string) map[int][]AllReduceTime {
	t.Helper()
	var in io.Reader = testfile.Open(t, path)
	if strings.HasSuffix(path, ".gz") {
		var err error
		if in, err = gzip.NewReader(in); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	points := map[int][]AllReduceTime{}
	for _, row := range rows[1:] {
		gpus, err1 := strconv.Atoi(row[6])
		elements, err2 := strconv.ParseInt(row[7], 10, 64)
		ms, err3 := strconv.ParseFloat(row[8], 64)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatalf("%v: %v, %v, %v", row, err1, err2, err3)
		}
		if row[9] == "vllm_graph" {
			points[gpus] = append(points[gpus], AllReduceTime{2 * elements, ms * 1e3})
		}
	}
	return points
}

func TestReadMeasuredCollectives(t *testing.T) {
	measured := readAllReduce(t, testdata.File(t, "traces", "aiconfigurator-ops", "h100_sxm", "custom_allreduce_perf.vllm-0.24.0.csv.gz"))
	for _, gpus := range []int{2, 4, 8} {
		points := measured[gpus]
		c := DefaultRoofline(mustAccelerator(t, "h100-sxm"))
		c.AllReduce = points
		if errs := c.Validate(nil); len(errs) > 0 || len(points) < 10 {
			t.Fatalf("%d GPUs, %d points: %v", gpus, len(points), errs.ToAggregate())
		}
		curve := newReduceCurve(points, 1, 2)
		for _, p := range points {
			if got := curve.of(p.Bytes/2) / 1e3; math.Abs(got-p.Microseconds) > 1e-9 {
				t.Errorf("%d GPUs, %d bytes: %f µs, want %f", gpus, p.Bytes, got, p.Microseconds)
			}
		}
	}
}

func TestReadSmallFileOfCollectives(t *testing.T) {
	points := readAllReduce(t, "testdata/allreduce.csv")[2]
	curve := newReduceCurve(points, 64, 8192) // Llama-3.1-8B
	for tokens, micros := range map[int64]float64{0: 4, 16: 5, 136: 8.75, 256: 12.5, 496: 20} {
		if got := curve.of(tokens) / 1e3; math.Abs(got-64*micros) > 1e-9 {
			t.Errorf("%d tokens: %f µs, want 64 times %f", tokens, got, micros)
		}
	}
}
