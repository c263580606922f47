// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yamlv3 "go.yaml.in/yaml/v3"
)

// YAML 1.1, which Python reads, takes 1e+06 and 1e6 for texts, and yes and 1:30 for none.
func TestNoVersionOfYAMLReadsOtherValues(t *testing.T) {
	for want, value := range map[string]any{
		"1000000.0": 1e6, "1.0e+20": 1e20, "1.5e-07": 1.5e-7, "0.00001": 1e-5, "0.0": 0.0, "2.0": 2.0, "-1.25": -1.25,
		".inf": math.Inf(1), "-.inf": math.Inf(-1),
		"7": 7, "8": int64(8), "9": json.Number("9"), "9.5": json.Number("9.5"), "1000.0": json.Number("1e3"),
		"true": true, "null": nil,
		"text": "text", "two words (or more)": "two words (or more)", `"yes"`: "yes", `"1e3"`: "1e3", `"1:30"`: "1:30",
		`"0.2.1"`: "0.2.1", `"a: b"`: "a: b", `"a #b"`: "a #b", `""`: "", `"N"`: "N", `"two\nlines"`: "two\nlines", `"</script>"`: "</script>",
	} {
		r := &Report{Version: Version, Results: Results{Profiling: []any{value}}}
		text := mustEncode(t, r)
		if _, got, _ := strings.Cut(text, "    - "); got != want+"\n" {
			t.Errorf("%v is written as %swant %s", value, got, want)
		}
		var back any
		if err := yamlv3.Unmarshal([]byte(text), &back); err != nil {
			t.Errorf("%v: %v", value, err)
		}
	}
}

func TestAValueThatIsNoNumberIsNotWritten(t *testing.T) {
	r := &Report{Results: Results{Profiling: map[string]any{"a": math.NaN()}}}
	if raw, err := r.Encode(); err == nil || raw != nil {
		t.Errorf("written: %s (%v)", raw, err)
	}
}

func TestLawsGoThroughWhatIsKnown(t *testing.T) {
	r := mustRead(t, measured(t))
	input, err := r.InputLengths()
	if err != nil {
		t.Fatal(err)
	}
	output, err := r.OutputLengths()
	if err != nil {
		t.Fatal(err)
	}
	got := []float64{input.At(0), input.At(0.25), input.At(0.5), input.At(1), output.At(0), output.At(0.5), output.At(0.9), output.At(1)}
	want := []float64{200, 905, 1610, 3000, 160 - 40*3.0902, 160, 160 + 40*1.2816, 160 + 40*3.0902}
	if diff := cmp.Diff(want, got, approximately); diff != "" {
		t.Errorf("lengths (−want +got):\n%s", diff)
	}
	r.Scenario.Load.Standardized.OutputSeqLen = nil
	if _, err := r.OutputLengths(); err == nil {
		t.Error("lengths of answers come from nowhere")
	}
}
