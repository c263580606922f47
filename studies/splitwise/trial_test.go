// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// smallMachine is one with the times of the small file.
func smallMachine(t *testing.T) machine {
	t.Helper()
	m, err := newMachine(catalogueH100, small(t).table(assumptions{}))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Llama-2-70B has 80 layers with 8 KV heads of 128 in fp16, and 138 GB of weights
// on 8 × 80 GiB, of which engines use nine tenths.
func TestMemoryOfAMachine(t *testing.T) {
	m := smallMachine(t)
	if want := int64(80 * 8 * 128 * 2 * 2 * blockTokens); m.blockBytes != want {
		t.Errorf("%d bytes a block, want %d", m.blockBytes, want)
	}
	if gb := float64(m.kvBlocks) * float64(m.blockBytes) / 1e9; gb < 460 || gb > 480 {
		t.Errorf("%.0f GB of KV", gb)
	}
}

func drainAll(s workload.Source) []workload.Request {
	var all []workload.Request
	for q, ok := s.Next(); ok; q, ok = s.Next() {
		all = append(all, q)
	}
	return all
}

func TestPoissonSendsTheSameAtAnyRate(t *testing.T) {
	all := conversations(500, conversationPromptSigma)
	slow, fast := drainAll(newPoisson(all, 10, 3)), drainAll(newPoisson(all, 20, 3))
	other := drainAll(newPoisson(all, 10, 4))
	if len(slow) != len(all) || len(fast) != len(all) {
		t.Fatalf("%d and %d requests of %d", len(slow), len(fast), len(all))
	}
	sum, moved := 0, false
	for i := range slow {
		sum += slow[i].OutputTokens - all[i].answer
		moved = moved || slow[i].OutputTokens != other[i].OutputTokens
		if d := slow[i].Arrival - 2*fast[i].Arrival; d < -2 || d > 2 || slow[i].OutputTokens != fast[i].OutputTokens {
			t.Fatalf("request %d: %+v at one rate, %+v at twice the rate", i, slow[i], fast[i])
		}
	}
	if sum != 0 {
		t.Errorf("answers differ by %d tokens in all", sum)
	}
	if !moved {
		t.Error("another seed draws the same order")
	}
	if last := slow[len(slow)-1].Arrival.String(); slow[len(slow)-1].Arrival < 40e9 || slow[len(slow)-1].Arrival > 60e9 {
		t.Errorf("500 requests at 10/s end at %s", last)
	}
}

func TestMediansOfConversations(t *testing.T) {
	var prompts, answers []int
	for _, l := range conversations(20001, conversationPromptSigma) {
		prompts, answers = append(prompts, l.prompt), append(answers, l.answer)
	}
	for name, tc := range map[string]struct {
		got  []int
		want int
	}{"prompts": {prompts, conversationPromptMedian}, "answers": {answers, conversationAnswerMedian}} {
		below := 0
		for _, n := range tc.got {
			if n < tc.want {
				below++
			}
		}
		if share := float64(below) / float64(len(tc.got)); share < 0.48 || share > 0.52 {
			t.Errorf("%s: %.3f are below %d", name, share, tc.want)
		}
	}
}

func TestShortestQueue(t *testing.T) {
	s := newShortestQueue(4, 2)
	route := func(id, tokens int) policy.Route {
		d, err := s.Route(nil, &policy.Request{ID: id, Tokens: tokens})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var got []policy.Route
	for id, tokens := range []int{100, 30, 60, 5} {
		got = append(got, route(id, tokens))
	}
	s.FirstToken(&policy.Request{ID: 0, Tokens: 100}, got[0].Endpoint)
	s.Finished(&policy.Request{ID: 1, Tokens: 30}, got[1].Endpoint)
	got = append(got, route(4, 1))
	want := []policy.Route{{Endpoint: 2, Prefill: 0}, {Endpoint: 3, Prefill: 1}, {Endpoint: 2, Prefill: 1}, {Endpoint: 3, Prefill: 1}, {Endpoint: 3, Prefill: 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if d, _ := newShortestQueue(4, 0).Route(nil, &policy.Request{}); d != policy.To(0) {
		t.Errorf("mixed: %+v", d)
	}
}

// A machine that serves one request takes what it is said to take alone.
func TestOneRequestTakesItsTimeAlone(t *testing.T) {
	m := smallMachine(t)
	timer := m.table.Timer()
	c := cluster{machine: m, machines: 1, budget: wholePrompt}
	config := c.config(newPoisson([]lengths{{1500, 200}}, 1, 1), timer)
	var got simulator.Completion
	config.Completed = func(c simulator.Completion) { got = c }
	if _, err := simulation.Run(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	alone := uncontended{timer}
	if d := got.FirstToken.Sub(got.Arrival) - alone.ttft(1500); d != 0 {
		t.Errorf("TTFT differs by %v", d)
	}
	tbt := got.LastToken.Sub(got.FirstToken) / 199
	if d := tbt - alone.tbt(1500, 200); d < -time.Microsecond || d > time.Microsecond {
		t.Errorf("TBT %v, alone %v", tbt, alone.tbt(1500, 200))
	}
}

func TestHighestRate(t *testing.T) {
	m := smallMachine(t)
	tr := trial{cluster: cluster{machine: m, machines: 2, budget: defaultBudget}, requests: conversations(400, conversationPromptSigma), alone: uncontended{m.table.Timer()}, seeds: 1}
	met, above, err := tr.highestRate()
	if err != nil {
		t.Fatal(err)
	}
	if !met.met() || above.met() || above.rate != met.rate+rateStep || met.rate <= 0 || above.fails() == "none" {
		t.Errorf("met %+v, above %+v", met, above)
	}
	tr.alone = uncontended{small(t).table(assumptions{}).Timer()}
	tr.cluster.budget = 16 // so many steps that no rate is slow enough
	if met, _, err := tr.highestRate(); err != nil || met != (verdict{}) {
		t.Errorf("met %+v, %v", met, err)
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{9, 1, 8, 2, 7, 3, 6, 4, 5, 10}
	if got := quantile(values); got != 9 {
		t.Errorf("P90 of 1 to 10 is %v", got)
	}
	if got := quantile(nil); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestPage(t *testing.T) {
	in := inputs{h100: small(t), a100: small(t), code: conversations(120, 1.2)}
	s := scale{machines: 3, requests: 120, seeds: 1, budgets: []int{512, wholePrompt}, bandwidths: []int64{25e9}}
	var pages [2][]byte
	for i := range pages {
		variants, err := in.variants(s)
		if err != nil {
			t.Fatal(err)
		}
		all, err := find(variants[:4], s)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "page.md")
		if err := newPage(in, s, all).write(path); err != nil {
			t.Fatal(err)
		}
		if pages[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if svg, err := os.ReadFile(strings.TrimSuffix(path, "md") + "svg"); err != nil || !bytes.Contains(svg, []byte("conversation, split")) {
			t.Errorf("chart: %v, %.80s", err, svg)
		}
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Error("two runs write different pages")
	}
	for _, want := range []string{"| 1 : 2 |", "| 2 : 1 |", "page.svg", variantCommon, variantA100} {
		if !bytes.Contains(pages[0], []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// What the page says of code and conversation, at rates well inside: split eight
// to two, ten machines serve more code than mixed, with few tokens a step or many,
// and the same split does not serve as much conversation.
func TestCodeGainsByWhatConversationLosesBy(t *testing.T) {
	testdata.File(t, "traces", "splitwise-sim", "perf_model.csv")
	testdata.File(t, "traces", "azure-2023", "AzureLLMInferenceTrace_code.csv")
	in, err := readInputs()
	if err != nil {
		t.Fatal(err)
	}
	s := fullScale()
	s.requests = 3000
	variants, err := in.variants(s)
	if err != nil {
		t.Fatal(err)
	}
	v := &variants[0]
	split := cluster{machine: v.machine, machines: s.machines, prefill: 8, budget: defaultBudget, network: v.network}
	check := func(what string, c cluster, workload int, rate float64, want bool) {
		got, err := v.trial(c, workload, 1).at(rate)
		if err != nil {
			t.Fatal(err)
		}
		if got.met() != want {
			t.Errorf("%s at %v/s: %+v, want met %v", what, rate, got, want)
		}
	}
	check("code, split", split, code, 28, true)
	check("conversation, so split", split, conversation, 10, false)
	for _, budget := range []int{s.budgets[0], wholePrompt} {
		mixed := cluster{machine: v.machine, machines: s.machines, budget: budget}
		check("code, mixed", mixed, code, 22, false)
		check("conversation, mixed", mixed, conversation, 11, true)
	}
}
