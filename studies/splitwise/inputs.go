// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/studies/study"
)

// What the measurements call the model and the GPUs, and the catalogue's names of
// the latter.
const (
	measuredModel               = "llama2-70b"
	measuredH100, catalogueH100 = "h100-80gb", "h100-sxm"
	measuredA100, catalogueA100 = "a100-80gb", "a100-sxm"
	lowSigma                    = 0.5

	variantCommon    = "KV handed over when the prompt is complete, 50 GB/s"
	variantA100      = "SLOs relative to requests alone on A100s"
	variantSplitwise = "the two rows above, as in Splitwise"
)

// inputs are what the study reads.
type inputs struct {
	h100, a100 measured
	code       []lengths
}

func readInputs() (inputs, error) {
	var in inputs
	for hardware, to := range map[string]*measured{measuredH100: &in.h100, measuredA100: &in.a100} {
		file, _, err := open("splitwise-sim", "perf_model.csv")
		if err != nil {
			return in, err
		}
		defer file.Close()
		if *to, err = readMeasured(file, measuredModel, hardware, gpusAMachine); err != nil {
			return in, err
		}
	}
	file, name, err := open("azure-2023", "AzureLLMInferenceTrace_code.csv")
	if err != nil {
		return in, err
	}
	defer file.Close()
	in.code, err = readCode(file, name)
	return in, err
}

func open(folder, name string) (*os.File, string, error) {
	path, err := study.DataFile("traces", folder, name)
	if err != nil {
		return nil, "", err
	}
	file, err := os.Open(path)
	return file, path, err
}

// variants are the study and what it might depend on; the first is the study.
func (in inputs) variants(s scale) ([]variant, error) {
	h100, err := newMachine(catalogueH100, in.h100.table(assumptions{}))
	if err != nil {
		return nil, err
	}
	a100, err := newMachine(catalogueA100, in.a100.table(assumptions{}))
	if err != nil {
		return nil, err
	}
	basic := variant{
		name: "the study", machine: h100, network: fastNetwork, alone: uncontended{h100.table.Timer()},
		requests: [workloads][]lengths{
			in.code[:min(s.requests, len(in.code))], conversations(s.requests, conversationPromptSigma),
		},
	}
	alone100 := uncontended{a100.table.Timer()}
	all := []variant{basic}
	for _, change := range []func(v *variant){
		func(v *variant) { v.name, v.network = variantCommon, commonNetwork },
		func(v *variant) { v.name, v.prefillAnswers = "first token from the prefill machine", true },
		func(v *variant) { v.name, v.alone = variantA100, alone100 },
		func(v *variant) { v.name, v.alone, v.prefillAnswers = variantSplitwise, alone100, true },
		func(v *variant) { v.name, v.alone, v.machine = "machines with A100s", alone100, a100 },
		func(v *variant) { v.name, v.whole = "whole prompts, mixed and split", true },
		func(v *variant) { v.retime("chunks without a speedup", in.h100.table(assumptions{wholeChunks: true})) },
		func(v *variant) {
			v.retime("contexts that cost decodes nothing", in.h100.table(assumptions{freeContext: true}))
		},
		func(v *variant) { v.name, v.byPercentile = "P90 against P90", true },
		func(v *variant) {
			v.name = fmt.Sprintf("conversations with a smaller spread of prompts, σ %v", lowSigma)
			v.requests[conversation] = conversations(s.requests, lowSigma)
		},
	} {
		v := basic
		change(&v)
		all = append(all, v)
	}
	return all, nil
}

// retime gives the machines and requests alone other step times.
func (v *variant) retime(name string, table latency.Table) {
	v.name, v.machine.table, v.alone = name, table, uncontended{table.Timer()}
}
