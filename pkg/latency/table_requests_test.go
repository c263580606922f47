// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// requestTimes are the medians, in ms, of measured requests of 128 output
// tokens: the first token's and the others' time by prompt tokens, alone, and
// the others' time by batch with prompts of 512 tokens.
type requestTimes struct{ prompt, token, batch map[int]float64 }

func readRequestTimes(t *testing.T, path, model, hardware string, tp int) requestTimes {
	t.Helper()
	file := testfile.Open(t, path)
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for n, name := range rows[0] {
		column[name] = n
	}
	number := func(row []string, name string) float64 {
		v, err := strconv.ParseFloat(row[column[name]], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	prompts, tokens, batches := map[int][]float64{}, map[int][]float64{}, map[int][]float64{}
	for _, row := range rows[1:] {
		if row[column["model"]] != model || row[column["hardware"]] != hardware ||
			number(row, "tensor_parallel") != float64(tp) || number(row, "token_size") != 128 {
			continue
		}
		prompt, batch := int(number(row, "prompt_size")), int(number(row, "batch_size"))
		if batch == 1 {
			prompts[prompt] = append(prompts[prompt], number(row, "prompt_time"))
			tokens[prompt] = append(tokens[prompt], number(row, "token_time"))
		}
		if prompt == 512 {
			batches[batch] = append(batches[batch], number(row, "token_time"))
		}
	}
	return requestTimes{medians(prompts), medians(tokens), medians(batches)}
}

func medians(all map[int][]float64) map[int]float64 {
	result := map[int]float64{}
	for key, list := range all {
		slices.Sort(list)
		result[key] = (list[(len(list)-1)/2] + list[len(list)/2]) / 2
	}
	return result
}

// table makes step times of request times. Each sequence of a batch is taken
// to add as much for its context beyond 512 tokens as one alone.
func (r requestTimes) table() Table {
	var t Table
	t.Prefill.ContextTokens = []int{0}
	for _, prompt := range slices.Sorted(maps.Keys(r.prompt)) {
		t.Prefill.NewTokens = append(t.Prefill.NewTokens, prompt)
		t.Prefill.Microseconds = append(t.Prefill.Microseconds, []float64{r.prompt[prompt] * 1e3})
	}
	for _, prompt := range t.Prefill.NewTokens {
		if prompt >= 512 {
			t.Decode.ContextTokens = append(t.Decode.ContextTokens, prompt)
		}
	}
	for _, batch := range slices.Sorted(maps.Keys(r.batch)) {
		var row []float64
		for _, context := range t.Decode.ContextTokens {
			more := float64(batch) * max(0, r.token[context]-r.token[512])
			row = append(row, (r.batch[batch]+more)*1e3)
		}
		t.Decode.Sequences = append(t.Decode.Sequences, batch)
		t.Decode.Microseconds = append(t.Decode.Microseconds, row)
	}
	return t
}

// Published medians in ms: a token of batches of 1, 8 and 32 with prompts of
// 512, and prompts of 512, 2048 and 8192.
func TestTableFromMeasuredRequests(t *testing.T) {
	tests := []struct {
		hardware       string
		tp             int
		token, prompts [3]float64
	}{
		{"a100-80gb", 2, [3]float64{54.9, 61.7, 72.2}, [3]float64{196.9, 688.1, 2990.2}},
		{"a100-80gb", 4, [3]float64{45.0, 45.8, 52.3}, [3]float64{127.0, 403.3, 2278.5}},
		{"a100-80gb", 8, [3]float64{44.9, 46.5, 53.0}, [3]float64{94.3, 274.2, 1549.8}},
		{"h100-80gb", 2, [3]float64{37.0, 40.4, 52.3}, [3]float64{83.8, 310.3, 1339.8}},
		{"h100-80gb", 4, [3]float64{29.7, 31.4, 36.9}, [3]float64{59.6, 200.7, 953.6}},
		{"h100-80gb", 8, [3]float64{29.8, 32.5, 38.6}, [3]float64{53.4, 136.8, 844.9}},
	}
	path := testdata.File(t, "traces", "splitwise-sim", "perf_model.csv")
	for _, tc := range tests {
		t.Run(fmt.Sprintf("%d %s", tc.tp, tc.hardware), func(t *testing.T) {
			timer := readRequestTimes(t, path, "llama2-70b", tc.hardware, tc.tp).table().Timer()
			for n, batch := range []int{1, 8, 32} {
				compareMilliseconds(t, timer, step(decodes(batch, 512)...), tc.token[n])
			}
			for n, prompt := range []int{512, 2048, 8192} {
				compareMilliseconds(t, timer, step(sequence{tokens: prompt}), tc.prompts[n])
			}
			if timer.Extrapolated() != 0 {
				t.Errorf("%d steps outside", timer.Extrapolated())
			}
		})
	}
}

func compareMilliseconds(t *testing.T, timer StepTimer, s Step, want float64) {
	t.Helper()
	if got := microseconds(timer.StepTime(s)) / 1e3; math.Abs(got-want) > 0.0501 {
		t.Errorf("%d new tokens, %d decodes: %.2f ms, want %.1f", s.PrefillTokens, s.DecodeTokens, got, want)
	}
}

func TestTableFromSmallFileOfRequests(t *testing.T) {
	timer := readRequestTimes(t, "testdata/request-times.csv", "small", "some-gpu", 1).table().Timer()
	compareMilliseconds(t, timer, step(sequence{tokens: 512}), 80)
	compareMilliseconds(t, timer, step(sequence{tokens: 768}), 120)
	compareMilliseconds(t, timer, step(decodes(1, 512)...), 10.2)
	compareMilliseconds(t, timer, step(decodes(8, 512)...), 12.2)
	compareMilliseconds(t, timer, step(decodes(8, 1024)...), 12.2+8*0.2)
}
