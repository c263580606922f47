// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// calibrateRun returns the path of a run like testdata/calibrate.yaml, in which
// texts are replaced in pairs and paths are absolute.
func calibrateRun(t *testing.T, replace ...string) string {
	t.Helper()
	raw := cmdtest.TextOf(t, "testdata/calibrate.yaml")
	data, err := filepath.Abs("../../pkg/calibrate/testdata")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(raw, "../../../pkg/calibrate/testdata", data)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			t.Fatalf("the run does not hold %q", replace[i])
		}
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	return cmdtest.TempFile(t, "run.yaml", text)
}

func TestCalibrateWritesErrorsEntryAndPlot(t *testing.T) {
	folder := t.TempDir()
	entry, plot := filepath.Join(folder, "entry.yaml"), filepath.Join(folder, "plot.svg")
	out := mustRun(t, "calibrate", "-f", "testdata/calibrate.yaml", "--generations", "2",
		"--holdout", calibrateRun(t, "accelerator: rtx-4090", "accelerator: l40s"), "--entry", entry, "--plot", plot)
	for _, want := range []string{
		"calibrate, first 100 requests (fitted, 100 requests)",
		"calibrate, other 40 requests (held back, 40 requests)",
		"run (held back, 140 requests)",
		"TTFT mean", "E2E p99", "TTFT predicted", "- name: rtx-4090",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not say %q:\n%s", want, out)
		}
	}
	raw := testfile.Read(t, entry)
	if entries, errs := latency.ParseEntries(raw, nil); len(errs) > 0 || len(entries.Accelerators) != 1 {
		t.Errorf("the entry is no catalogue: %v\n%s", errs.ToAggregate(), raw)
	}
	if !strings.HasSuffix(strings.TrimSpace(out), strings.TrimSpace(string(raw))) {
		t.Errorf("the report does not end with the entry:\n%s", out)
	}
	if raw, err := os.ReadFile(plot); err != nil || !strings.HasPrefix(string(raw), "<svg") {
		t.Errorf("the plot is %.20q, %v", raw, err)
	}
}

func TestCalibrateGivesTheSameAtAnyParallelism(t *testing.T) {
	args := []string{"calibrate", "-f", "testdata/calibrate.yaml", "--generations", "2"}
	if one, four := mustRun(t, append(args, "--parallelism", "1")...), mustRun(t, append(args, "--parallelism", "4")...); one != four {
		t.Errorf("one at a time:\n%s\nfour at a time:\n%s", one, four)
	}
}

func TestCalibrateSaysWhereItGuesses(t *testing.T) {
	run := calibrateRun(t, "kvCache: {blocks: 1200}", "")
	if out := mustRun(t, "calibrate", "-f", run, "--generations", "1"); !strings.Contains(out, "warning: "+run+": kvCache.blocks is not given") {
		t.Errorf("no warning of a guess:\n%s", out)
	}
}

// What a pool says of the model of step times is taken as it stands there, and
// comes back in the entry.
func TestCalibrateLeavesWhatIsGiven(t *testing.T) {
	run := calibrateRun(t, "maxNumSeqs: 64", "longPrefillTokenThreshold: 512, maxNumSeqs: 64",
		"kvCache: {blocks: 1200}", `kvCache: {activationBytes: 1000000000, runtimeBytes: 0}
tensorParallelism: 2
requestCost: {queueBaseMicroseconds: "100"}
latency:
  model: roofline
  roofline:
    memoryEfficiency: "0.8123"
    stepOverheadMicroseconds: "1234.5"
    layerOverheadMicroseconds: "3"
    allReduce: [{bytes: 1024, microseconds: "12.5"}, {bytes: 4194304, microseconds: "90"}]`)
	alone := calibrateRun(t, "accelerator:", "tensorParallelism: 4\naccelerator:")
	out := mustRun(t, "calibrate", "-f", run, "--generations", "1", "--holdout", alone)
	for _, want := range []string{
		"warning: run: the prediction uses the allReduce table of 2 GPUs",
		`stepOverheadMicroseconds: "1234.5"`, `layerOverheadMicroseconds: "3"`, `- {bytes: 1024, microseconds: "12.5"}`,
		"  memoryEfficiency: 0.8123\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not say %q:\n%s", want, out)
		}
	}
}

func TestCalibrateWarnsWhereTheDescriptionIsWrong(t *testing.T) {
	run := calibrateRun(t, "fitRequests: 100", "fitRequests: 30", "maxNumSeqs: 64", "maxNumSeqs: 1")
	out := mustRun(t, "calibrate", "-f", run, "--generations", "1")
	for _, want := range []string{"30 requests are few", "the fit does not explain the run"} {
		if !strings.Contains(out, want) {
			t.Errorf("no warning %q:\n%s", want, out)
		}
	}
}

func TestCalibrateComplainsOnce(t *testing.T) {
	_, err := windtunnel(t, "calibrate", "-f", calibrateRun(t, "blocks: 1200", "blocks: 40"))
	if err == nil || strings.Count(err.Error(), "check the KV blocks") != 1 {
		t.Errorf("error %v, want one complaint", err)
	}
}

func TestBadInputOfCalibrate(t *testing.T) {
	empty := cmdtest.TempFile(t, "empty.yaml", "")
	entries := cmdtest.TempFile(t, "entries.yaml", "accelerators: [{name: x}]")
	config := cmdtest.TempFile(t, "config.json", `{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}`)
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no run":                          {nil, "a measured run is required: -f FILE"},
		"a run that is not":               {[]string{"-f", "nowhere.yaml"}, "nowhere.yaml: no such file"},
		"no generations":                  {[]string{"-f", "testdata/calibrate.yaml", "--generations", "0"}, "--generations must be at least 1"},
		"no parallelism":                  {[]string{"-f", "testdata/calibrate.yaml", "--parallelism", "0"}, "--parallelism must be at least 1"},
		"a folder that is not":            {[]string{"-f", "testdata/calibrate.yaml", "--entry", "nowhere/entry.yaml"}, "nowhere: no such file"},
		"an unknown key":                  {[]string{"-f", calibrateRun(t, "fitRequests", "fittedRequests")}, "fittedRequests: Forbidden: line 3: unknown field; there are requests, report, blocks, fitRequests,"},
		"an unknown key further in":       {[]string{"-f", calibrateRun(t, "maxNumSeqs: 64", "maxSeqs: 64")}, "engine.maxSeqs: Forbidden: line 6: unknown field; there are maxNumSeqs,"},
		"a word for a number":             {[]string{"-f", calibrateRun(t, "maxNumSeqs: 64", "maxNumSeqs: many")}, `engine.maxNumSeqs: Invalid value: "many": line 6: must be a whole number`},
		"a list for an object":            {[]string{"-f", calibrateRun(t, "{maxNumSeqs: 64, maxNumBatchedTokens: 1024}", "[64, 1024]")}, "engine: Invalid value: line 6: must be an object with maxNumSeqs"},
		"no YAML":                         {[]string{"-f", calibrateRun(t, "{maxNumSeqs: 64", "{maxNumSeqs: [64")}, "yaml: line"},
		"a share beyond 1":                {[]string{"-f", calibrateRun(t, "kvCache:", "latency: {roofline: {expertEfficiency: \"1.5\"}}\nkvCache:")}, "latency.roofline.expertEfficiency: Invalid value: 1.5: must be greater than 0 and at most 1"},
		"a coefficient that is none":      {[]string{"-f", calibrateRun(t, "kvCache:", "latency: {roofline: {stepOverheadMicroseconds: 1ms}}\nkvCache:")}, `latency.roofline.stepOverheadMicroseconds: Invalid value: "1ms": must be a decimal from 0`},
		"a number without quotes":         {[]string{"-f", calibrateRun(t, "kvCache:", "latency: {roofline: {stepOverheadMicroseconds: 1}}\nkvCache:")}, "line 7: must be a text; numbers and words such as true need quotes"},
		"collectives given twice":         {[]string{"-f", calibrateRun(t, "kvCache:", "latency: {roofline: {allReduceLatencyMicroseconds: \"1\", allReduce: [{bytes: 1, microseconds: \"1\"}, {bytes: 2, microseconds: \"1\"}]}}\nkvCache:")}, "set only one of the two"},
		"a table out of order":            {[]string{"-f", calibrateRun(t, "kvCache:", "latency: {roofline: {allReduce: [{bytes: 2, microseconds: \"1\"}, {bytes: 1, microseconds: \"1\"}]}}\nkvCache:")}, "latency.roofline.allReduce[1].bytes: Invalid value: 1: must be more than the 2 before it"},
		"another model of step times":     {[]string{"-f", calibrateRun(t, "kvCache:", "latency: {model: linear}\nkvCache:")}, `latency.model: Unsupported value: "linear"`},
		"a cost that is none":             {[]string{"-f", calibrateRun(t, "kvCache:", "requestCost: {completionMicroseconds: \"-1\"}\nkvCache:")}, "requestCost.completionMicroseconds: Invalid value"},
		"less memory than none":           {[]string{"-f", calibrateRun(t, "blocks: 1200", "runtimeBytes: -1")}, "kvCache.runtimeBytes: Invalid value: -1"},
		"a config.json for entries":       {[]string{"-f", calibrateRun(t, "model:", "catalogue: ["+config+"]\nmodel:")}, "make an entry of it: windtunnel catalogue --model NAME=" + config + " NAME -o yaml"},
		"no model":                        {[]string{"-f", calibrateRun(t, "model: meta-llama/Llama-3.1-8B", "")}, "model: Required value"},
		"an unknown model":                {[]string{"-f", calibrateRun(t, "Llama-3.1-8B", "Lama")}, `model: Unsupported value: "meta-llama/Lama": the catalogue has no such model; near to it are `},
		"an unknown GPU":                  {[]string{"-f", calibrateRun(t, "rtx-4090", "rtx-4091")}, `accelerator: Unsupported value: "rtx-4091": the catalogue has no such accelerator; near to it are rtx-4090`},
		"a model that does not fit":       {[]string{"-f", calibrateRun(t, "accelerator:", "tensorParallelism: 3\naccelerator:")}, "tensorParallelism: Invalid value: 3"},
		"engine settings left out":        {[]string{"-f", calibrateRun(t, "maxNumSeqs: 64, ", "")}, "engine.maxNumSeqs: Required value"},
		"neither on nor off":              {[]string{"-f", calibrateRun(t, "maxNumSeqs: 64", "maxNumSeqs: 64, prefixCaching: true")}, `engine.prefixCaching: Invalid value: "true": line 6: must be a text`},
		"a switch that is none":           {[]string{"-f", calibrateRun(t, "maxNumSeqs: 64", `maxNumSeqs: 64, prefixCaching: "on"`)}, `engine.prefixCaching: Unsupported value: "on"`},
		"no such scheduling":              {[]string{"-f", calibrateRun(t, "maxNumSeqs: 64", `maxNumSeqs: 64, asynchronousScheduling: "on"`)}, `engine.asynchronousScheduling: Unsupported value: "on"`},
		"no such memory":                  {[]string{"-f", calibrateRun(t, "blocks: 1200", `memoryUtilization: "1.2"`)}, "kvCache.memoryUtilization: Invalid value"},
		"an unknown format":               {[]string{"-f", calibrateRun(t, "own.jsonl", "own.jsonl, format: XML")}, `requests.format: Unsupported value: "XML"`},
		"a bad log":                       {[]string{"-f", calibrateRun(t, "own.jsonl", "own-blocks.jsonl")}, "own-blocks.jsonl: line 1: queued_ts: is missing"},
		"blocks of another size":          {[]string{"-f", calibrateRun(t, "blockSize: 16", "blockSize: 32")}, "own-blocks.jsonl: line 1: hash_ids: must have"},
		"a bad catalogue":                 {[]string{"-f", calibrateRun(t, "model:", "catalogue: ["+entries+"]\nmodel:")}, "entries.yaml is invalid"},
		"an engine that refuses requests": {[]string{"-f", calibrateRun(t, "blocks: 1200", "blocks: 40")}, "check the KV blocks and the model length"},
		"one block":                       {[]string{"-f", calibrateRun(t, "blocks: 1200", "blocks: 1")}, "kvCache.blocks: Invalid value: 1: must be between 2 and"},
		"a bad holdout":                   {[]string{"-f", "testdata/calibrate.yaml", "--holdout", empty}, "empty.yaml is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			args := tc.args
			if name != "a folder that is not" {
				args = append(args, "--entry", filepath.Join(folder, "entry.yaml"), "--plot", filepath.Join(folder, "plot.svg"))
			}
			_, err := windtunnel(t, append([]string{"calibrate"}, args...)...)
			var bad cli.BadInputError
			if !errors.As(err, &bad) || cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want bad input with %q", err, tc.want)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Errorf("%v was left behind", left)
			}
		})
	}
}

// The guide's YAML is taken as it stands there: the description of a run is one,
// and the scenario at its end runs with an entry that calibrate wrote.
func TestTheGuideToCalibrationWorks(t *testing.T) {
	guide := testfile.Read(t, "../../docs/calibrate.md")
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) != 4 {
		t.Fatalf("%d blocks of YAML in the guide, want a run, a scenario, what a run may add, and a run of scrapes", len(blocks))
	}
	if scrapes, err := parseRunFile([]byte(blocks[3][1])); err != nil || len(scrapes.validate()) > 0 {
		t.Errorf("the guide's run of scrapes: %v", err)
	}
	run, err := parseRunFile([]byte(blocks[0][1] + blocks[2][1]))
	if err != nil {
		t.Errorf("the guide's run: %v", err)
	}
	if errs := run.validate(); len(errs) > 0 {
		t.Errorf("the guide's run: %v", errs.ToAggregate())
	}
	if given, errs := run.Latency.given(latency.Accelerator{}); len(errs) > 0 || len(given.AllReduce) != 3 || len(given.Values) != 3 {
		t.Errorf("the guide's run gives %v: %v", given, errs.ToAggregate())
	}

	folder := t.TempDir()
	entry := filepath.Join(folder, "entry.yaml")
	mustRun(t, "calibrate", "-f", "testdata/calibrate.yaml", "--generations", "2", "--entry", entry)
	raw := testfile.Read(t, entry)
	scenario := blocks[1][1]
	for placeholder, name := range map[string]string{"LAYER": "layerOverhead", "TOKEN": "tokenOverhead", "SEQUENCE": "sequenceOverhead"} {
		value := regexp.MustCompile(name + `Microseconds: "(.*)"`).FindSubmatch(raw)
		if value == nil {
			t.Fatalf("the entry does not say %s:\n%s", name, raw)
		}
		scenario = strings.Replace(scenario, placeholder, string(value[1]), 1)
	}
	manifest := filepath.Join(folder, "calibrated.yaml")
	testfile.Write(t, manifest, []byte(scenario))
	if out := mustRun(t, "run", "-f", manifest); !strings.Contains(out, "SimulationRun calibrated") {
		t.Errorf("the guide's scenario gives\n%s", out)
	}
}
