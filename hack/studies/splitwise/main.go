// SPDX-License-Identifier: Apache-2.0

// Splitwise asks what a cluster of equal machines gains by splitting them into
// some that compute prompts and others that decode.
package main

import (
	"fmt"
	"os"
	"time"
	"windtunnel.dev/windtunnel/hack/studies/study"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func main() {
	p, err := study.DataFile("traces", "splitwise-sim", "perf_model.csv")
	if err != nil {
		panic(err)
	}
	f, _ := os.Open(p)
	m, err := readMeasured(f, "llama2-70b", "h100-80gb", 8)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.promptSteps(), m.pairNs(), m.contextNs())
	table := m.table(assumptions{})
	if e := table.Validate(nil); len(e) > 0 {
		panic(e.ToAggregate())
	}
	mach, err := newMachine("h100-sxm", table)
	if err != nil {
		panic(err)
	}
	fmt.Println(mach.kvBlocks, mach.blockBytes)
	p, _ = study.DataFile("traces", "azure-2023", "AzureLLMInferenceTrace_code.csv")
	f, _ = os.Open(p)
	code, err := readCode(f, p)
	if err != nil {
		panic(err)
	}
	conv := conversations(len(code), conversationPromptSigma)
	fmt.Println(simulator.GranularityStream)
	for i, w := range [][]lengths{code, conv} {
		for _, b := range []int{256, 512, 1024, 2048, 4096, 8192} {
			start := time.Now()
			met, above, err := trial{cluster{machine: mach, machines: 10, budget: b}, w, uncontended{table.Timer()}, 3}.highestRate()
			fmt.Printf("%d %d %+v\n   %+v %v %v\n", i, b, met, above, err, time.Since(start))
		}
	}
}
