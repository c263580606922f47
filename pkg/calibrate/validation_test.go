// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// The validation holds the engine and the roofline against two open runs of
// vLLM 0.19.0. `make validation` fits anew, and writes storedFits and document;
// the tests use what is stored.
const (
	storedFits = "testdata/validation.json"
	document   = "../../docs/validation.md"
	checksFile = "../latency/catalogue/checks.yaml"
)

const (
	pro     = "rtx-pro-6000"
	rtx4090 = "rtx-4090"
	// noPull marks a fit whose loss has no pull, firstPart one that saw only the
	// first partRequests requests.
	noPull       = " without pull"
	firstPart    = ", first 200 requests"
	partRequests = 200
)

var refit = flag.Bool("refit", false, "fit the measured runs anew; with -update the page is written too")

// validation is the two runs and what was fitted to them.
type validation struct {
	t    testing.TB
	runs map[string]*Run
	fits map[string]storedFit
	// points are loads of which only means were measured.
	points []*measuredLoad
}

// storedFit is what a fit found.
type storedFit struct {
	MemoryEfficiency, FlopsEfficiency              float64
	LayerOverhead, TokenOverhead, SequenceOverhead time.Duration
}

func (f storedFit) on(i latency.Instance) latency.RooflineCoefficients {
	return coefficients{
		memoryShare:      f.MemoryEfficiency,
		flopsShare:       f.FlopsEfficiency,
		layerOverhead:    float64(f.LayerOverhead),
		tokenOverhead:    float64(f.TokenOverhead),
		sequenceOverhead: float64(f.SequenceOverhead),
	}.roofline(i)
}

// newValidation reads the runs, or skips the test where they are not here.
func newValidation(t testing.TB) *validation {
	t.Helper()
	v := &validation{t: t, runs: map[string]*Run{}, fits: map[string]storedFit{}, points: measuredPoints(t)}
	v.runs[pro] = v.read(pro, "RTXPRO6000_Llama-3.1-8B", func(e *Engine) { e.MaxNumSeqs = 128 })
	v.runs[rtx4090] = v.read(rtx4090, "RTX4090_Llama-3.1-8B", func(e *Engine) {
		e.MaxNumSeqs = 256
		e.MaxModelLen = 32768
		e.KVBlocks = 2588
	})
	return v
}

// read reads a run; configure gives the engine what its meta.json says.
func (v *validation) read(name, folder string, configure func(*Engine)) *Run {
	v.t.Helper()
	i := instance("Llama-3.1-8B", name)
	e := Engine{
		Instance:            i,
		BlockTokens:         16,
		MaxNumBatchedTokens: 2048,
		MaxModelLen:         i.Model.ContextTokens,
		PrefixCaching:       true,
		ReserveFullPrompt:   true,
	}
	configure(&e)
	if e.KVBlocks == 0 {
		blocks, err := i.KVBlocks(e.BlockTokens, i.DefaultMemoryBudget())
		if err != nil {
			v.t.Fatal(err)
		}
		e.KVBlocks = blocks
	}
	const set = "llmservingsim-vllm-measured"
	return readRun(v.t, name, e,
		testdata.File(v.t, "traces", set, folder, "requests.jsonl"),
		testdata.File(v.t, "traces", set, "sharegpt-llama-3.1-8b-300-sps10.slim.jsonl"))
}

// load reads the stored fits.
func (v *validation) load() {
	v.t.Helper()
	raw, err := os.ReadFile(storedFits)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &v.fits); err != nil {
		v.t.Fatal(err)
	}
}

// fitAll fits all anew and stores it.
func (v *validation) fitAll() {
	v.t.Helper()
	for _, name := range []string{pro, rtx4090} {
		for _, suffix := range []string{"", noPull, firstPart} {
			r := *v.runs[name]
			if suffix == firstPart {
				r.Fitted = partRequests
			}
			fitted, err := Fit(context.Background(), []*Run{&r}, Options{Workers: runtime.GOMAXPROCS(0), NoPull: suffix == noPull})
			if err != nil {
				v.t.Fatal(err)
			}
			c := fitted.First()
			v.fits[name+suffix] = storedFit{c.MemoryEfficiency, c.PrefillEfficiency, c.LayerOverhead, c.TokenOverhead, c.SequenceOverhead}
		}
	}
	raw, err := json.MarshalIndent(v.fits, "", "  ")
	if err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(storedFits, append(raw, '\n'), 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// judge predicts a run, changed, with what was fitted to a run.
func (v *validation) judge(run, fit string, change ...func(*Run)) *Judgement {
	v.t.Helper()
	return v.judgements(run, fit, change...)[0]
}

// judgements does it in two parts where a change holds requests back.
func (v *validation) judgements(run, fit string, change ...func(*Run)) []*Judgement {
	v.t.Helper()
	r := *v.runs[run]
	for _, c := range change {
		c(&r)
	}
	c := v.fits[fit].on(r.Engine.Instance)
	if !strings.HasPrefix(fit, run) {
		// The share of FLOP/s belongs to the GPU: it does not transfer.
		own := v.fits[run].FlopsEfficiency
		c.PrefillEfficiency, c.DecodeEfficiency = own, own
	}
	j, err := r.Judge(context.Background(), c, !strings.HasPrefix(fit, run), runtime.GOMAXPROCS(0))
	if err != nil {
		v.t.Fatal(err)
	}
	return j
}

// bound is the largest error that a figure may have.
type bound struct {
	run, fit  string
	metric    Metric
	statistic Statistic
	limit     float64
}

// bounds are the figures that the validation asserts.
func validationBounds() []bound {
	var all []bound
	for _, run := range []string{pro, rtx4090} {
		for m := range Metrics {
			all = append(all, bound{run, run, m, Mean, 0.01}, bound{run, run, m, P50, 0.03}, bound{run, run, m, P99, 0.03})
			transfer := 0.03
			if m == TTFT {
				transfer = 0.05
			}
			all = append(all, bound{run, other(run), m, Mean, transfer})
		}
	}
	return all
}

func other(run string) string {
	if run == pro {
		return rtx4090
	}
	return pro
}

func TestMeasuredRunsArePredicted(t *testing.T) {
	v := newValidation(t)
	v.load()
	judgements := map[[2]string]Figures{}
	for _, b := range validationBounds() {
		key := [2]string{b.run, b.fit}
		if _, ok := judgements[key]; !ok {
			judgements[key] = v.judge(b.run, b.fit).Errors()
		}
		if e := judgements[key][b.metric][b.statistic]; !(math.Abs(e) <= b.limit) {
			t.Errorf("%s, fitted to %s: %v %v is off by %+.2f %%, at most %.0f %% is allowed",
				b.run, b.fit, b.metric, b.statistic, 100*e, 100*b.limit)
		}
	}
}

func TestTheEndOfARunIsPredictedFromItsBeginning(t *testing.T) {
	v := newValidation(t)
	v.load()
	for _, run := range []string{pro, rtx4090} {
		parts := v.judgements(run, run+firstPart, func(r *Run) { r.Fitted = partRequests })
		if !parts[1].HeldBack || len(parts[1].MeasuredTimes) != 300-partRequests {
			t.Fatalf("%s: the second part is %s", run, parts[1].Name)
		}
		for m, statistics := range parts[1].Errors() {
			if e := statistics[Mean]; !(math.Abs(e) <= 0.02) {
				t.Errorf("%s: the mean %v of what was held back is off by %+.2f %%", run, Metric(m), 100*e)
			}
		}
	}
}

// No fit of ours is worse in any mean than the simulator that was published with
// the runs, whose errors are read from its own output.
func TestMeansBeatThePublishedSimulator(t *testing.T) {
	v := newValidation(t)
	v.load()
	for _, run := range []string{pro, rtx4090} {
		ours, theirs := v.judge(run, run).Errors(), v.published(run)
		for m := range Metrics {
			if math.Abs(ours[m][Mean]) > math.Abs(theirs[m][Mean]) {
				t.Errorf("%s: mean %v is off by %+.2f %%, the published simulator's by %+.2f %%", run, m, 100*ours[m][Mean], 100*theirs[m][Mean])
			}
		}
	}
}

func TestValidationDocument(t *testing.T) {
	v := newValidation(t)
	if *refit {
		v.fitAll()
	} else {
		v.load()
	}
	got := v.document()
	if *golden.Update {
		for name, text := range map[string][]byte{document: []byte(got), checksFile: v.checks().YAML()} {
			testfile.Write(t, name, text)
		}
		return
	}
	if diff := cmp.Diff(string(latency.BuiltinChecks().YAML()), string(v.checks().YAML())); diff != "" {
		t.Errorf("%s is not what the simulator says (−file +now):\n%s", checksFile, diff)
	}
	want := testfile.Read(t, document)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/validation.md is not what the simulator says; make validation writes it anew (−document +now):\n%s", diff)
	}
}

// The loss at what was fitted is a minimum along each axis, but for noise.
func TestStoredFitsAreMinima(t *testing.T) {
	v := newValidation(t)
	v.load()
	for _, name := range []string{pro, rtx4090} {
		f, err := newFit([]*Run{v.runs[name]}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		stored := v.fits[name]
		best := coefficients{
			memoryShare:      stored.MemoryEfficiency,
			flopsShare:       stored.FlopsEfficiency,
			layerOverhead:    float64(stored.LayerOverhead),
			tokenOverhead:    float64(stored.TokenOverhead),
			sequenceOverhead: float64(stored.SequenceOverhead),
		}
		at := func(c coefficients) float64 {
			loss, err := f.loss(t.Context(), c.point(five), lateReplays)
			if err != nil {
				t.Fatal(err)
			}
			return loss
		}
		least := at(best)
		for _, a := range five {
			axis, step := a.coefficient, 2.0
			if axis == memoryShare || axis == flopsShare {
				step = 1.04
			}
			for _, factor := range []float64{step, 1 / step} {
				moved := best
				moved[axis] *= factor
				if loss := at(moved); loss < least {
					t.Errorf("%s: coefficient %d times %.2f has the loss %.3f, what was fitted %.3f", name, axis, factor, loss, least)
				}
			}
		}
	}
}

func percent(share float64) string { return fmt.Sprintf("%+.2f", 100*share) }
