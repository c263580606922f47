// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/internal/testdata"
)

// collective is a row of the open tables: elements of 2 bytes and milliseconds.
type collective struct {
	GPUs         int     `parquet:"num_gpus"`
	Elements     int64   `parquet:"message_size"`
	Milliseconds float64 `parquet:"latency"`
	Backend      string  `parquet:"backend"`
}

// Each curve of the catalogue is within 5 % of each point of the table that it comes from,
// of 4 KiB to 256 MiB: 4 % of straight lines, and rounding.
func TestCurvesOfTheCatalogueMatchTheirTables(t *testing.T) {
	tables := map[string]string{"rtx-pro-6000": "rtx_pro_6000_server"}
	for _, name := range Builtin().AcceleratorNames() {
		for _, curve := range mustAccelerator(t, name).AllReduce {
			table := tables[name]
			if table == "" {
				table = strings.ReplaceAll(name, "-", "_")
			}
			release := strings.TrimPrefix(curve.Source, "vLLM ")
			rows, err := parquet.ReadFile[collective](testdata.File(t, "collectives", table+"_allreduce.vllm-"+release+".parquet"))
			if err != nil {
				t.Fatal(err)
			}
			if version, ok := curve.version(); !ok || name != "l40s" && !strings.HasPrefix(release, version.String()+".") {
				t.Errorf("%s: a curve of vLLM %s says %q", name, release, curve.EngineVersion)
			}
			of, points := newReduceCurve(curve.Points(), 1, 1), 0
			for _, r := range rows {
				bytes := 2 * r.Elements
				if r.Backend != "vllm_graph" || r.GPUs != curve.TensorParallelism || bytes < 4096 || bytes > 256<<20 {
					continue
				}
				points++
				if got, want := of.of(bytes)/1e3, r.Milliseconds*1e3; math.Abs(got/want-1) > 0.05 {
					t.Errorf("%s, %d GPUs, vLLM %s, %d bytes: %.1f µs, want %.1f", name, r.GPUs, release, bytes, got, want)
				}
			}
			if points < 15 {
				t.Errorf("%s, %d GPUs, vLLM %s: %d points", name, curve.TensorParallelism, release, points)
			}
		}
	}
}

// Of the curves of several releases the nearest one up to the engine's counts, and before
// the first, that one. One without a release suits every engine.
func TestCurveOfAnEngine(t *testing.T) {
	h100 := mustAccelerator(t, "h100-sxm")
	for engine, want := range map[EngineVersion]string{6: "0.14", 13: "0.14", 14: "0.14", 18: "0.14", 19: "0.19", 23: "0.19", 24: "0.24", 0: "0.24"} {
		if curve, ok := h100.AllReduceOf(4, engine); !ok || curve.EngineVersion != want {
			t.Errorf("vLLM %s: the curve of %s, want %s", engine, curve.EngineVersion, want)
		}
	}
	if curve, ok := h100.AllReduceOf(3, 15); ok {
		t.Errorf("of 3 GPUs: %+v", curve)
	}
	h100.AllReduce = append(h100.AllReduce, AllReduceCurve{TensorParallelism: 4, Source: "ours"})
	if curve, _ := h100.AllReduceOf(4, 15); curve.Source != "ours" {
		t.Errorf("the curve of %s, want ours", curve.Source)
	}
}
