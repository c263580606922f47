// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// madeRun returns a run whose times are those of a replay under coefficients.
func madeRun(t testing.TB, e Engine, truth latency.RooflineCoefficients) *Run {
	t.Helper()
	return madeOf(t, e, requestsOf(120, 120, 30*time.Millisecond), truth)
}

// madeOf is madeRun with requests.
func madeOf(t testing.TB, e Engine, requests []Request, truth latency.RooflineCoefficients) *Run {
	t.Helper()
	run := NewRun("made", e, requests)
	all, err := run.replay(t.Context(), e.Roofline(truth))
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Requests {
		q := &run.Requests[i]
		q.FirstToken = q.Queued + simtime.Time(math.Round(all[i].TTFT*1e9))
		q.LastToken = q.Queued + simtime.Time(math.Round(all[i].E2E*1e9))
	}
	return run
}

func engineOf(model, accelerator string, tensorParallelism int) Engine {
	e := ownEngine()
	e.Instance = instance(model, accelerator)
	e.TensorParallelism = tensorParallelism
	e.KVBlocks = 4000
	e.MaxModelLen = e.Model.ContextTokens
	return e
}

// Coefficients trade against each other, those of a collective and of experts
// above all; what they make of a step does not.
func TestAFitFindsTheStepsOfSeveralGPUsAndOfExperts(t *testing.T) {
	table := []latency.AllReduceTime{{Bytes: 8 << 10, Microseconds: 18}, {Bytes: 8 << 20, Microseconds: 130}}
	for name, tc := range map[string]struct {
		engine Engine
		given  Given
		truth  coefficients
	}{
		"two GPUs": {
			engineOf("Llama-3.1-8B", "rtx-4090", 2), Given{},
			coefficients{memoryShare: 0.7, flopsShare: 0.6, layerOverhead: 47e3, tokenOverhead: 2e3, sequenceOverhead: 20e3, allReduceLatency: 25e3},
		},
		"experts": {
			engineOf("Qwen3-30B-A3B", "h100-sxm", 1), Given{},
			coefficients{memoryShare: 0.75, flopsShare: 0.6, layerOverhead: 31e3, tokenOverhead: 1.5e3, sequenceOverhead: 15e3, expertShare: 0.6},
		},
		"experts on two GPUs, of which much is known": {
			engineOf("Qwen3-30B-A3B", "h100-sxm", 2),
			Given{Values: map[string]float64{"layerOverheadMicroseconds": 20, tokenName: 1.5, expertName: 0.6}, AllReduce: table},
			coefficients{memoryShare: 0.75, flopsShare: 0.6, sequenceOverhead: 15e3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.engine.Given = tc.given
			truth := tc.given.Over(tc.truth.roofline(tc.engine.Instance))
			fitted, err := Fit(t.Context(), []*Run{madeRun(t, tc.engine, truth)}, Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			c := fitted.First()
			if diff := cmp.Diff(c, tc.given.Over(c)); diff != "" {
				t.Errorf("what is given was changed (−fitted +given):\n%s", diff)
			}
			found, made := tc.engine.Roofline(c), tc.engine.Roofline(truth)
			for name, s := range map[string]latency.Step{
				"one decode":            {Sequences: 1, DecodeTokens: 1, SampledTokens: 1, ContextTokens: 500, AttentionPairs: 500, DecodePairs: 500},
				"a full batch decoding": {Sequences: 40, DecodeTokens: 40, SampledTokens: 40, ContextTokens: 18000, AttentionPairs: 18000, DecodePairs: 18000},
				"a chunk of a prompt":   {Sequences: 1, PrefillTokens: 1024, ContextTokens: 1024, AttentionPairs: 1024 * 1025 / 2},
			} {
				got, want := found.StepTime(s), made.StepTime(s)
				if d := float64(got)/float64(want) - 1; math.Abs(d) > 0.02 {
					t.Errorf("%s: %v, want %v; it is off by %.1f %%", name, got, want, 100*d)
				}
			}
		})
	}
}

func TestWhatIsOpenDependsOnTheRun(t *testing.T) {
	dense, two, experts := engineOf("Llama-3.1-8B", "rtx-4090", 1), engineOf("Llama-3.1-8B", "rtx-4090", 2), engineOf("Qwen3-30B-A3B", "h20", 2)
	measured := engineOf("Llama-3.1-8B", "l40s", 2)
	with := func(e Engine, g Given) Engine {
		e.Given = g
		return e
	}
	values := func(names ...string) Given {
		g := Given{Values: map[string]float64{}}
		for _, name := range names {
			g.Values[name] = 1
		}
		return g
	}
	for name, tc := range map[string]struct {
		engines []Engine
		want    axes
	}{
		"a dense model":                     {[]Engine{dense}, five},
		"two GPUs":                          {[]Engine{two}, append(five[:5:5], shared(allReduceLatency, linkShare)...)},
		"two as the catalogue has measured": {[]Engine{measured}, five},
		"two measured, with a latency":      {[]Engine{with(measured, values(allReduceName))}, append(five[:5:5], shared(linkShare)...)},
		"two GPUs with a table":             {[]Engine{with(two, Given{AllReduce: make([]latency.AllReduceTime, 2)})}, five},
		"two GPUs with a latency":           {[]Engine{with(two, values(allReduceName))}, append(five[:5:5], shared(linkShare)...)},
		"experts on two":                    {[]Engine{experts}, append(five[:5:5], shared(allReduceLatency, expertShare, linkShare)...)},
		"a share of one phase":              {[]Engine{with(dense, values(prefillName))}, five},
		"shares":                            {[]Engine{with(dense, values(prefillName, decodeName, memoryName))}, five[2:]},
		"all":                               {[]Engine{with(dense, values(prefillName, decodeName, memoryName, stepName, tokenName, sequenceName))}, nil},
		"on one GPU and on two":             {[]Engine{with(dense, values(stepName)), two}, append(five[:5:5], axis{allReduceLatency, 2}, axis{linkShare, 0})},
		"on one, and on two as measured":    {[]Engine{measured, dense}, append(append(five[:2:2], axis{layerOverhead, 2}), five[2:]...)},
		"two models on two":                 {[]Engine{two, experts}, append(five[:5:5], shared(allReduceLatency, expertShare, linkShare)...)},
	} {
		t.Run(name, func(t *testing.T) {
			var runs []*Run
			for _, e := range tc.engines {
				runs = append(runs, NewRun(name, e, nil))
			}
			if diff := cmp.Diff(tc.want, axesOf(runs), cmp.AllowUnexported(axis{})); diff != "" {
				t.Errorf("open (−want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingIsSearchedWhereAllIsGiven(t *testing.T) {
	run := ownRun(t)
	run.Engine.Given.Values = map[string]float64{memoryName: 0.5, prefillName: 0.6, decodeName: 0.4, stepName: 900, tokenName: 2.5, sequenceName: 0}
	fitted, err := Fit(t.Context(), []*Run{run}, Options{Progress: func(int, int) { t.Error("a replay") }})
	if err != nil {
		t.Fatal(err)
	}
	c := fitted.First()
	want := latency.DefaultRoofline(run.Engine.Accelerator)
	want.MemoryEfficiency, want.PrefillEfficiency, want.DecodeEfficiency = 0.5, 0.6, 0.4
	want.LayerOverhead = 0 // the step's is all of it
	want.StepOverhead, want.TokenOverhead, want.SequenceOverhead = 900*time.Microsecond, 2500*time.Nanosecond, 0
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("coefficients (−want +got):\n%s", diff)
	}
}

// A holdout on other GPUs than those of the fit says what is different of it.
func TestARunIsReplayedWithWhatItGives(t *testing.T) {
	fast, slow := engineOf("Llama-3.1-8B", "l40s", 2), engineOf("Llama-3.1-8B", "l40s", 2)
	slow.Given.AllReduce = []latency.AllReduceTime{{Bytes: 1 << 10, Microseconds: 500}, {Bytes: 1 << 20, Microseconds: 500}}
	c := ownCoefficients.roofline(fast.Instance)
	one, err := NewRun("fast", fast, ownRequests()).Replay(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewRun("slow", slow, ownRequests()).Replay(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	if one[0].TPOT*2 > other[0].TPOT {
		t.Errorf("TPOT is %v, and %v with collectives of half a millisecond", one[0].TPOT, other[0].TPOT)
	}
}

func TestTheEntryCarriesWhatIsNotAsUsual(t *testing.T) {
	a := ownEngine().Accelerator
	c := ownCoefficients.roofline(ownEngine().Instance)
	c.ExpertEfficiency, c.StepOverhead, c.DispatchLatency = 0.5, 1500*time.Nanosecond, time.Microsecond
	text := func(c latency.RooflineCoefficients) string {
		var b bytes.Buffer
		if err := writeEntry(&b, a, c, []pool{{lines: poolLines(c, ownEngine().Instance)}}, "own.yaml", nil); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	c.AllReduceLatency = 12340 * time.Nanosecond
	if want := `#     roofline:
#       stepOverheadMicroseconds: "1.5"
#       tokenOverheadMicroseconds: "3"
#       sequenceOverheadMicroseconds: "25"
#       layerOverheadMicroseconds: "45"
#       allReduceLatencyMicroseconds: "12.34"
#       expertEfficiency: "0.5"
#       dispatchLatencyMicroseconds: "1"
accelerators:
`; !strings.Contains(text(c), want) {
		t.Errorf("the entry is\n%s, want in it\n%s", text(c), want)
	}
	c.AllReduce = []latency.AllReduceTime{{Bytes: 1024, Microseconds: 12.5}, {Bytes: 4096, Microseconds: 13}}
	if got := text(c); strings.Contains(got, allReduceName) || !strings.Contains(got, `#       allReduce:
#       - {bytes: 1024, microseconds: "12.5"}
#       - {bytes: 4096, microseconds: "13"}
`) {
		t.Errorf("with a table the entry is\n%s", got)
	}
}

// shared are axes of coefficients that all runs have in common.
func shared(coefficients ...int) axes {
	all := make(axes, len(coefficients))
	for k, c := range coefficients {
		all[k] = axis{coefficient: c}
	}
	return all
}
