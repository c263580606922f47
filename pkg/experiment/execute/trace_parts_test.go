// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// partsSweep is a sweep over a field of its trace.
func partsSweep(t *testing.T, path string, values ...string) *v1alpha1.PolicySweep {
	sweep := experimenttest.Sweep(t)
	sweep.Spec.Baseline = nil
	sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "part", Path: "workload.trace." + path, Values: values}}
	return sweep
}

// A point that replays a part of a trace has the key and the figures of a run whose trace
// is that part.
func TestPointsReplayPartsOfATrace(t *testing.T) {
	for name, tc := range map[string]struct {
		path   string
		values []string
		set    func(*v1alpha1.Trace, string)
	}{
		"shares":              {"sample", []string{"0.25", "0.5", "1"}, func(t *v1alpha1.Trace, v string) { t.Sample = v1alpha1.PositiveDecimal(v) }},
		"the end of the time": {"slice.to", []string{"1s", "4s"}, func(t *v1alpha1.Trace, v string) { t.Slice = &v1alpha1.TraceSlice{To: v1alpha1.PositiveDuration(v)} }},
		"short requests only": {"tooLong.maxTokens", []string{"6000", "20000"}, func(t *v1alpha1.Trace, v string) {
			t.TooLong = &v1alpha1.TooLong{MaxTokens: map[string]int32{"6000": 6000, "20000": 20000}[v], Action: v1alpha1.SkipTooLong}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sweep := partsSweep(t, tc.path, tc.values...)
			if strings.HasPrefix(tc.path, "tooLong") {
				sweep.Spec.Scenario.Workload.Trace.TooLong = &v1alpha1.TooLong{MaxTokens: 100000, Action: v1alpha1.SkipTooLong}
			}
			swept := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{})
			keys := map[string]bool{}
			for i, value := range tc.values {
				row := swept.Rows()[i*len(swept.Plan.Seeds)]
				alone := partsSweep(t, "rateScale", "1")
				tc.set(alone.Spec.Scenario.Workload.Trace, value)
				want := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, alone), execute.Options{}).Rows()[0]
				if row.Key != want.Key || !row.Metrics.Equal(want.Metrics) || row.Error != "" {
					t.Errorf("%s=%s: the key %s and the figures are not those of the part alone, %s (%s)", tc.path, value, row.Key, want.Key, row.Error)
				}
				if keys[row.Key] {
					t.Errorf("%s=%s is another value's part", tc.path, value)
				}
				keys[row.Key] = true
			}
		})
	}
}

// A part without requests is a point whose values do not go together, and a file that can
// no longer be read ends the work.
func TestAPartThatIsNotThere(t *testing.T) {
	sweep := partsSweep(t, "slice.from", "0s", "100h")
	c := experimenttest.MustCompileSweep(t, sweep)
	simulations := experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))
	last := simulations[len(simulations)-1].Row
	if simulations[0].Row.Error != "" || !strings.Contains(last.Error, "a trace without requests") {
		t.Errorf("errors are %q and %q", simulations[0].Row.Error, last.Error)
	}

	lost := errors.New("the disk is gone")
	other := experimenttest.MustCompileSweep(t, partsSweep(t, "sample", "0.5"))
	other.Plan.TraceParts.Keep("", func() (io.ReadCloser, error) { return nil, lost }, experiment.Reading{})
	if _, err := execute.RunLocally(t.Context(), other.Plan, other.Traces, execute.Options{Parallelism: 1}); !errors.Is(err, lost) || errors.Is(err, execute.ErrInvalidPoint) {
		t.Errorf("error %v, want that the disk is gone", err)
	}
}

// A manager, which reads no traces, compiles a sweep of parts to the same plan.
func TestAManagerCompilesPartsOfATrace(t *testing.T) {
	sweep := partsSweep(t, "sample", "0.25", "0.5")
	c, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.ClusterInputs{Inputs: experimenttest.TraceInputs(t)})
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	if here := experimenttest.MustCompileSweep(t, sweep); c.Plan.Hash() != here.Plan.Hash() {
		t.Error("the plan differs from the one of a local command")
	}
}
