// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// manyBlocks is a Mooncake trace of few kilobytes that is 64 MiB of text, of which
// each row has as many blocks as a row can have.
func manyBlocks(t testing.TB) []byte {
	t.Helper()
	const ids = 19_531
	line := fmt.Sprintf(`{"timestamp": 0, "input_length": %d, "output_length": 1, "hash_ids": [%s0]}`+"\n",
		ids*512, strings.Repeat("0,", ids-1))
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for range (compile.MaxUnpackedBytes - 1) / len(line) {
		if _, err := z.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// allocated is the number of bytes that f allocates, garbage included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAManagerNeedsNoMoreMemoryForALargeTrace(t *testing.T) {
	large := experimenttest.ClusterInputs{Inputs: experimenttest.Inputs{"traces/small.jsonl": manyBlocks(t)}}
	small := experimenttest.ClusterInputs{Inputs: experimenttest.TraceInputs(t)}
	compileWith := func(in compile.Inputs) func() {
		return func() {
			c, errs, err := compile.Sweep(t.Context(), experimenttest.Sweep(t), in)
			if err != nil || len(errs) > 0 || len(c.Traces) > 0 {
				t.Fatalf("compile.Sweep: %v, %v, trace %v; want a plan and no trace", errs, err, c.Traces)
			}
		}
	}
	compileWith(small)() // the first call also fills caches
	size, limit := allocated(compileWith(large)), allocated(compileWith(small))+4<<20
	if size > limit {
		t.Errorf("a trace of 64 MiB costs %d bytes, want at most %d", size, limit)
	}
}

// A laptop parses the trace, a manager does not, and both give the same plan.
func TestAPlanDoesNotDependOnParsingItsTrace(t *testing.T) {
	parsed := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t))
	hashed, errs, err := compile.Sweep(t.Context(), experimenttest.Sweep(t), experimenttest.ClusterInputs{Inputs: experimenttest.TraceInputs(t)})
	if err != nil || len(errs) > 0 {
		t.Fatalf("compile.Sweep: %v, %v", errs, err)
	}
	if len(parsed.Traces) != 1 || len(hashed.Traces) != 0 {
		t.Errorf("traces %v and %v, want one and none", parsed.Traces, hashed.Traces)
	}
	if diff := cmp.Diff(string(parsed.Plan.Encode()), string(hashed.Plan.Encode())); diff != "" {
		t.Errorf("plans (−parsed +hashed):\n%s", diff)
	}
}

func TestAManagerReportsUnreadableTracesWithoutParsing(t *testing.T) {
	packed := experimenttest.TraceInputs(t)["traces/small.jsonl"]
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(packed)
	_ = z.Close()
	broken := bytes.Clone(b.Bytes())
	broken[len(broken)-5]++
	tests := map[string]struct {
		raw  []byte
		want string // in the error, of whoever reads it; empty for none
	}{
		"text":           {packed, ""},
		"gzip":           {b.Bytes(), ""},
		"a broken gzip":  {broken, "trace ConfigMap/traces/small.jsonl: row 61: read: gzip: invalid checksum"},
		"half a gzip":    {broken[:len(broken)-9], "read: unexpected EOF"},
		"no trace":       {[]byte("hello\n"), ""},
		"65 MiB of text": {bytes.Repeat([]byte{'\n'}, compile.MaxUnpackedBytes+1), "has more than 64 MiB decompressed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Sweep(t.Context(), experimenttest.Sweep(t), experimenttest.ClusterInputs{Inputs: experimenttest.Inputs{"traces/small.jsonl": tc.raw}})
			if err != nil || (tc.want == "") != (len(errs) == 0) || len(errs) > 0 && !strings.Contains(errs[0].Error(), tc.want) {
				t.Errorf("compile.Sweep: %v, %v; want %q", errs, err, tc.want)
			}
			_, local, err := compile.Sweep(t.Context(), experimenttest.Sweep(t), experimenttest.Inputs{"traces/small.jsonl": tc.raw})
			if err != nil || len(errs) > 0 && errs.ToAggregate().Error() != local.ToAggregate().Error() {
				t.Errorf("on a laptop: %v, %v; want %v", local, err, errs)
			}
		})
	}
}

// expiring is a context that ends after a number of calls of Err: a deadline that does
// not depend on the machine.
type expiring struct {
	context.Context
	callsLeft *int
}

func (e expiring) Err() error {
	if *e.callsLeft--; *e.callsLeft < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// wide is a sweep of a million points and a number of rules, which hold for none.
func wide(rules int) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) {
		s.Spec.Baseline = nil
		s.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.GridSearch, MaxTrials: 100_000}
		s.Spec.Parameters = []v1alpha1.Parameter{
			{Name: "a", Path: "pools[llama].replicas", Range: &v1alpha1.Range{Min: "1", Max: "1000", Step: "1"}},
			{Name: "b", Path: "pools[llama].engine.maxNumSeqs", Range: &v1alpha1.Range{Min: "1", Max: "1000", Step: "1"}},
		}
		s.Spec.Rules = nil
		for i := range rules {
			s.Spec.Rules = append(s.Spec.Rules, v1alpha1.ParameterRule{Expression: fmt.Sprintf("a * b == %d", 1_000_003+i)})
		}
	}
}

// The compilation stops soon after the deadline, and its error names a field.
func TestADeadlineStopsCompilationAtAnyStep(t *testing.T) {
	for _, calls := range []int{0, 1, 2, 3, 5, 10, 100, 1000, 10_000} {
		sweep := experimenttest.Sweep(t)
		wide(4)(sweep)
		left := calls
		c, errs, err := compile.Sweep(expiring{t.Context(), &left}, sweep, experimenttest.TraceInputs(t))
		cut := (*experiment.Interrupted)(nil)
		if c != nil || len(errs) > 0 || !errors.As(err, &cut) || !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(cut.Field.String(), "spec.") {
			t.Fatalf("after %d calls of Err: %v, %v; want an Interrupted", calls, errs, err)
		}
		if left < -200 {
			t.Errorf("after %d calls of Err there are %d more", calls, -left)
		}
	}
}

// A compilation that takes seconds may pause many times in each millisecond.
func TestALongCompilationPausesOften(t *testing.T) {
	sweep, pauses := experimenttest.Sweep(t), 0
	wide(1)(sweep)
	if _, _, err := compile.Sweep(compile.WithPause(t.Context(), func() { pauses++ }), sweep, experimenttest.TraceInputs(t)); err != nil {
		t.Fatal(err)
	}
	if want := 10_000; pauses < want {
		t.Errorf("it pauses %d times, want %d at least", pauses, want)
	}
}

// pickerAt is an EPP configuration with a number of plugins and profiles.
func pickerAt(plugins, profiles int) string {
	var b strings.Builder
	b.WriteString("apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n")
	for i := range plugins {
		fmt.Fprintf(&b, "- {type: queue-scorer, name: p%d}\n", i)
	}
	b.WriteString("schedulingProfiles:\n")
	for i := range profiles {
		fmt.Fprintf(&b, "- {name: s%d, plugins: [{pluginRef: p%d}]}\n", i, i)
	}
	return b.String()
}

func TestALargeEPPConfigurationIsAnErrorBeforeItIsLoaded(t *testing.T) {
	const head = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n  parameters:\n    l0: &l0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
	laughs := head
	for i := range 8 {
		refs := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d, ", i), 10), ", ")
		laughs += fmt.Sprintf("    l%d: &l%d [%s]\n", i+1, i+1, refs)
	}
	tests := map[string]struct{ text, want string }{
		"24,654 plugins":        {pickerAt(24_654, 1), "may not be more than 65536 bytes"},
		"as many as 64 KiB has": {pickerAt(1500, 1), "plugins: Too many: 1500: must have at most 256 items"},
		"profiles":              {pickerAt(65, 65), "schedulingProfiles: Too many: 65: must have at most 64 items"},
		"a billion laughs":      {laughs, "has more than 20000 values, aliases counted as what they stand for"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			run.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{
				Version: "router-v0.10", ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "own", Key: "epp.yaml"},
			}
			size := allocated(func() {
				_, list, err := compile.Run(t.Context(), run, experimenttest.ClusterInputs{Inputs: experimenttest.Inputs{"own/epp.yaml": []byte(tc.text)}})
				if err != nil || len(list) == 0 || !strings.Contains(list.ToAggregate().Error(), tc.want) {
					t.Errorf("compile.Run: %.300v, %v; want %s", list, err, tc.want)
				}
			})
			if size > 32<<20 {
				t.Errorf("%d bytes are allocated", size)
			}
		})
	}
}
