// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"compress/gzip"
	"encoding/csv"
	"slices"
	"strconv"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// ops are measured kernels of one GPU in bf16: matrix products by m, n, k,
// attention by heads, batch and context, and all-reduces by GPUs. All times are
// in milliseconds.
type ops struct {
	gemms  map[[3]int]float64
	m      []int
	nk     []int
	decode map[attentionKey]float64
	chunk  map[attentionKey]float64
	reduce map[int][]AllReduceTime
}

type attentionKey struct{ heads, kvHeads, batch, tokens int }

// readOps reads a folder of tables, or skips the test where there is none.
func readOps(t *testing.T, gpu, version string) *ops {
	t.Helper()
	file := func(table string) string {
		return testdata.File(t, "traces", "aiconfigurator-ops", gpu, table+"_perf.vllm-"+version+".csv.gz")
	}
	o := &ops{gemms: map[[3]int]float64{}, decode: map[attentionKey]float64{}, chunk: map[attentionKey]float64{}}
	for _, r := range readTable(t, file("gemm")) {
		if r["gemm_dtype"] == "bfloat16" {
			m, n, k := r.whole(t, "m"), r.whole(t, "n"), r.whole(t, "k")
			o.gemms[[3]int{m, n, k}] = r.number(t, "latency")
			o.m, o.nk = append(o.m, m), append(o.nk, n)
		}
	}
	o.m, o.nk = sortedUnique(o.m), sortedUnique(o.nk)
	attention := func(rows []record, to map[attentionKey]float64, tokens func(record) int) {
		for _, r := range rows {
			window := r["window_size"]
			if r["kv_cache_dtype"] == "bfloat16" && r["head_dim"] == "128" && (window == "" || window == "0") && r["kernel_source"] != "vllm_flash_attn_fa4" {
				to[attentionKey{r.whole(t, "num_heads"), r.whole(t, "num_key_value_heads"), r.whole(t, "batch_size"), tokens(r)}] = r.number(t, "latency")
			}
		}
	}
	attention(readTable(t, file("generation_attention")), o.decode, func(r record) int { return r.whole(t, "step") + 1 })
	attention(readTable(t, file("context_attention")), o.chunk, func(r record) int { return r.whole(t, "isl") })
	o.reduce = readAllReduce(t, file("custom_allreduce"))
	return o
}

// record is a line of a table by the names of its columns.
type record map[string]string

func readTable(t *testing.T, path string) []record {
	t.Helper()
	file := testfile.Open(t, path)
	in, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]record, len(rows)-1)
	for i, row := range rows[1:] {
		all[i] = record{}
		for c, name := range rows[0] {
			all[i][name] = row[c]
		}
	}
	return all
}

func (r record) number(t *testing.T, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("%s: %v", column, err)
	}
	return v
}

func (r record) whole(t *testing.T, column string) int { return int(r.number(t, column)) }

func sortedUnique(values []int) []int {
	slices.Sort(values)
	return slices.Compact(values)
}

// gemm interpolates the time of a product, linear along each axis; beyond the
// widest matrix it grows with the width.
func (o *ops) gemm(m, n, k int) float64 {
	if widest := o.nk[len(o.nk)-1]; n > widest {
		return o.gemm(m, widest, k) * float64(n) / float64(widest)
	}
	return interpolate(o.m, m, func(m int) float64 {
		return interpolate(o.nk, n, func(n int) float64 {
			return interpolate(o.nk, k, func(k int) float64 { return o.gemms[[3]int{m, n, k}] })
		})
	})
}

// interpolate interpolates between the two points of an axis around a value.
func interpolate(axis []int, v int, at func(int) float64) float64 {
	right, found := slices.BinarySearch(axis, v)
	if found {
		return at(v)
	}
	left := axis[right-1]
	share := float64(v-left) / float64(axis[right]-left)
	return at(left)*(1-share) + at(axis[right])*share
}

// layers returns what the kernels of all layers take but for attention, and the
// LM head for the sampled tokens.
func (o *ops) layers(i Instance, tokens, sampled int) float64 {
	m, tp := i.Model, i.TensorParallelism
	width := m.AttentionHeads * m.HeadDim / tp
	layer := o.gemm(tokens, width+2*m.KVHeads*m.HeadDim/tp, m.HiddenSize) + o.gemm(tokens, m.HiddenSize, width) +
		o.gemm(tokens, 2*m.IntermediateSize/tp, m.HiddenSize) + o.gemm(tokens, m.HiddenSize, m.IntermediateSize/tp)
	if tp > 1 {
		curve := newReduceCurve(o.reduce[tp], 2, float64(2*m.HiddenSize))
		layer += curve.of(int64(tokens)) / 1e6
	}
	return float64(m.Layers)*layer + o.gemm(sampled, m.VocabularySize/tp, m.HiddenSize)
}

// decodeStep returns what the kernels of a step of decodes take, and prefillStep
// those of a prompt; false where a table lacks the attention.
func (o *ops) decodeStep(i Instance, batch, context int) (float64, bool) {
	attention, ok := o.decode[i.attentionKey(batch, context)]
	return o.layers(i, batch, batch) + float64(i.Model.Layers)*attention, ok
}

func (o *ops) prefillStep(i Instance, tokens int) (float64, bool) {
	attention, ok := o.chunk[i.attentionKey(1, tokens)]
	return o.layers(i, tokens, 1) + float64(i.Model.Layers)*attention, ok
}

func (i Instance) attentionKey(batch, tokens int) attentionKey {
	return attentionKey{i.Model.AttentionHeads / i.TensorParallelism, i.Model.KVHeads / i.TensorParallelism, batch, tokens}
}
