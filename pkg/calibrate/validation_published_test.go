// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"compress/gzip"
	"encoding/csv"
	"strconv"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// published returns the errors of LLMServingSim 2.0 on a run, from the output
// that was published beside it: a CSV with times in ns.
func (v *validation) published(run string) Figures {
	v.t.Helper()
	folder := map[string]string{pro: "RTXPRO6000_Llama-3.1-8B", rtx4090: "RTX4090_Llama-3.1-8B"}[run]
	f := testfile.Open(v.t, testdata.File(v.t, "traces", "llmservingsim-vllm-measured", folder, "sim.csv.gz"))
	text, err := gzip.NewReader(f)
	if err != nil {
		v.t.Fatal(err)
	}
	rows, err := csv.NewReader(text).ReadAll()
	if err != nil {
		v.t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	var all []Times
	for _, row := range rows[1:] {
		seconds := func(name string) float64 {
			ns, err := strconv.ParseFloat(row[column[name]], 64)
			if err != nil {
				v.t.Fatal(err)
			}
			return ns / 1e9
		}
		all = append(all, Times{TTFT: seconds("TTFT"), TPOT: seconds("TPOT"), E2E: seconds("latency")})
	}
	return Errors(FiguresOf(all), FiguresOf(v.runs[run].Measured()))
}
