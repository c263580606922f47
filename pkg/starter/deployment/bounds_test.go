// SPDX-License-Identifier: Apache-2.0

package deployment_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

// TestSmallTextsStaySmall: 60 variables, each of which has the one before it twice, would have 2⁶⁰ letters, and a range
// of the shell as many words as it has numbers. The options behind them count, but for those of a
// script that has too much in its variables, which is said.
func TestSmallTextsStaySmall(t *testing.T) {
	var doubled, environment strings.Builder
	for i := 1; i <= 60; i++ {
		doubled.WriteString("a=$a$a; ")
		fmt.Fprintf(&environment, "{name: V%d, value: $(V%d)$(V%d)}, ", i, i-1, i-1)
	}
	script := func(text string) string { return `command: [sh, -c], args: ["` + text + `"]` }
	for name, test := range map[string]struct {
		container string
		unread    bool
	}{
		"a range":             {script("vllm serve Qwen/Qwen3-8B --x {1..1000000000} --max-num-seqs 7"), false},
		"an assignment":       {script("a=1234567890; " + doubled.String() + "vllm serve Qwen/Qwen3-8B --max-num-seqs 7"), true},
		"container variables": {"args: [--model, Qwen/Qwen3-8B, --x, $(V60), --max-num-seqs, 7], env: [{name: V0, value: 1234567890}, " + environment.String() + "]", false},
	} {
		text := "kind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{image: vllm/vllm-openai, " + test.container + "}]}}}\n"
		cluster, err := deployment.Read([]deployment.File{{Name: "a.yaml", Text: []byte(strings.ReplaceAll(text, ", 7]", `, "7"]`))}}, deployment.Options{Catalogue: latency.Builtin()})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pool := cluster.Pools[0]
		unread := slices.ContainsFunc(cluster.Notes, func(note string) bool { return strings.Contains(note, "could not be read") })
		read := pool.Model == "Qwen/Qwen3-8B" && pool.Engine.MaxNumSeqs == 7
		if read == test.unread || unread != test.unread {
			t.Errorf("%s: model %s, %d sequences, and unread is %t: %q", name, pool.Model, pool.Engine.MaxNumSeqs, unread, cluster.Notes)
		}
	}
}

// TestReplicasOfSeveralPods: 2 nodes with 4 GPUs run 8 ranks. A pod with one GPU that has 8 ranks is one of eight that serve together.
func TestReplicasOfSeveralPods(t *testing.T) {
	for kind, gpus := range map[string]string{
		"kind: LeaderWorkerSet\nmetadata: {name: a}\nspec: {leaderWorkerTemplate: {size: 2, workerTemplate: %s}}\n": "4",
		"kind: StatefulSet\nmetadata: {name: a}\nspec: {replicas: 8, template: %s}\n":                               "1",
	} {
		pods := "{spec: {containers: [{image: vllm/vllm-openai, args: [--model, Qwen/Qwen3-8B, -dp, '8', --data-parallel-external-lb], resources: {limits: {nvidia.com/gpu: '" + gpus + "'}}}]}}"
		cluster, err := deployment.Read([]deployment.File{{Name: "a.yaml", Text: []byte(fmt.Sprintf(kind, pods))}}, deployment.Options{Catalogue: latency.Builtin()})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(strings.Join(cluster.Notes, "\n"), "a replica asks for 1 accelerators, and its options use 8")
		if told != (gpus == "1") {
			t.Errorf("%q", cluster.Notes)
		}
	}
}
