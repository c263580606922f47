// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// Limits of one compilation in a manager, for any input.
const (
	mostBytes = 512 << 20 // allocated, of which most is garbage at once
	mostTime  = 10 * time.Second
)

// The compilation of a sweep stays within its limits and does not panic, for any EPP
// file, rule, trace, and path and value of a parameter.
func FuzzCompileSweep(f *testing.F) {
	trace := experimenttest.TraceInputs(f)["traces/small.jsonl"]
	f.Add(pickerAt(3, 1), "a * b > 3", trace, "pools[llama].replicas", "2")
	f.Add(pickerAt(256, 64), `a == 1 || b in [1, 2]`, trace, "pools[llama].engine.maxNumSeqs", "64")
	f.Add(bareConfig, `string(a).matches("(a{100}){100}")`, []byte("x"), "router.endpointPickerConfig.plugins[queue-scorer].name", "é")
	f.Add(configMapConfig, "a + b > 1", []byte{0x1f, 0x8b}, "workload.trace.format", "Azure")
	f.Add(helmConfig, "abs(a) > b % 0", manyBlocks(f)[:1000], "horizon.duration", "1h")
	f.Add("plugins: &p [*p]\nkind: EndpointPickerConfig", "a > 1e308 * b", trace, "pools[llama].kvCache.blocks", "-1")
	f.Add(bareConfig, "a > 1", trace, "workload.trace.slice.to", "1s")
	f.Add(bareConfig, "a > 1", trace, "workload.clients[a].arrivals.stages[0].rate", "3")
	compileSweep := func(t *testing.T, picker, rule string, trace []byte, path, value string) {
		sweep := experimenttest.Sweep(t)
		wide(1)(sweep)
		for i := range sweep.Spec.Parameters {
			sweep.Spec.Parameters[i].Range.Max = "30" // or a grid takes most of the time
		}
		sweep.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{
			Version: "router-v0.10", ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "own", Key: "epp.yaml"},
		}
		sweep.Spec.Rules[0].Expression = rule
		sweep.Spec.Parameters = append(sweep.Spec.Parameters, v1alpha1.Parameter{Name: "c", Path: path, Values: []string{value}})
		ctx, cancel := context.WithTimeout(t.Context(), mostTime)
		defer cancel()
		_, errs, err := compile.Sweep(ctx, sweep, experimenttest.ClusterInputs{Inputs: experimenttest.Inputs{"own/epp.yaml": []byte(picker), "traces/small.jsonl": trace}})
		if cut := (*experiment.Interrupted)(nil); err != nil && !errors.As(err, &cut) {
			t.Errorf("%v, %v: neither a user's error nor the time", errs, err)
		}
	}
	f.Fuzz(func(t *testing.T, picker, rule string, trace []byte, path, value string) {
		began := time.Now()
		if size := allocated(func() { compileSweep(t, picker, rule, trace, path, value) }); size > mostBytes {
			t.Errorf("%d MiB are allocated, at most %d", size>>20, mostBytes>>20)
		}
		if took := time.Since(began); took > mostTime+mostTime/2 {
			t.Errorf("takes %s, at most %s", took, mostTime)
		}
	})
}
