// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

// withTrace is a run with this spec.trace.
func withTrace(t *testing.T, text string) *v1alpha1.SimulationRun {
	t.Helper()
	run := experimenttest.Run(t)
	run.Spec.Trace = v1alpha1.RunTrace{}
	if err := yaml.UnmarshalStrict([]byte(text), &run.Spec.Trace); err != nil {
		t.Fatal(err)
	}
	manifest.Default(run)
	return run
}

// with are the default thresholds, changed.
func with(change func(*insight.Thresholds)) insight.Thresholds {
	thresholds := insight.DefaultThresholds()
	change(&thresholds)
	return thresholds
}

// thresholdInputs have one text under two names.
func thresholdInputs() fileInputs {
	const text = "ttft: 1s\n"
	return fileInputs{
		experimenttest.Inputs{"ours/thresholds.yaml": []byte(text)},
		map[string]string{"thresholds.yaml": text},
	}
}

func TestThresholdsOfARun(t *testing.T) {
	// Before the field thresholds, the API server stored every default beside what a run stated.
	const stored = `{anomalies: {minRequests: 20, minShare: "0.1", ttft: 1s, inversionMargin: 100ms, cacheTokens: 256,
  cacheMemory: 60s, divergence: "0.5", waiting: 4, hotShare: "1.8", reversals: 3, reversalWindow: 5m, burst: "3",
  rise: "2", longPrompt: 8, tail: "10", storm: 20}}`
	second := with(func(t *insight.Thresholds) { t.TTFT = time.Second })
	storedSecond := second
	storedSecond.InversionMargin = 100 * time.Millisecond
	for name, tc := range map[string]struct {
		spec string
		want insight.Thresholds
	}{
		"none":                            {`{}`, insight.Thresholds{}},
		"no threshold":                    {`{thresholds: {}}`, insight.Thresholds{}},
		"the defaults by their preset":    {`{thresholds: {preset: Standard}}`, insight.Thresholds{}},
		"the defaults, spelled out":       {`{thresholds: {inline: "{storm: 20, tail: 10}"}}`, insight.Thresholds{}},
		"a preset":                        {`{thresholds: {preset: Tolerant}}`, insight.TolerantThresholds()},
		"a text":                          {`{thresholds: {inline: "ttft: 1s"}}`, second},
		"a ConfigMap":                     {`{thresholds: {configMapRef: {name: ours, key: thresholds.yaml}}}`, second},
		"a file":                          {`{thresholds: {file: thresholds.yaml}}`, second},
		"the former spelling":             {`{anomalies: {ttft: 1s}}`, second},
		"the former spelling, as stored":  {stored, storedSecond},
		"the former spelling of defaults": {`{anomalies: {storm: 20}}`, insight.Thresholds{}},
		"a preset and a text": {`{thresholds: {preset: Tolerant, inline: "tail: 2.5"}}`, func() insight.Thresholds {
			tolerant := insight.TolerantThresholds()
			tolerant.Tail = 2.5
			return tolerant
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			c, errs, err := compile.Run(t.Context(), withTrace(t, tc.spec), thresholdInputs())
			if err != nil || len(errs) > 0 {
				t.Fatal(err, errs)
			}
			if diff := cmp.Diff(tc.want, c.Plan.Anomalies); diff != "" {
				t.Errorf("thresholds (-want +got):\n%s", diff)
			}
			deprecated := slices.Contains(c.Plan.Findings, experiment.Finding{
				Rule: lint.DeprecatedField, Severity: lint.Warning, Path: "spec.trace.anomalies", Message: "is deprecated, use spec.trace.thresholds",
			})
			if former := strings.Contains(tc.spec, "anomalies"); deprecated != former {
				t.Errorf("the warning on the former spelling: %v, want %v", deprecated, former)
			}
		})
	}
}

func TestThresholdsThatAreNone(t *testing.T) {
	for spec, want := range map[string]string{
		`{thresholds: {inline: "storms: 3"}}`:                  `spec.trace.thresholds.inline: Unsupported value: "storms": supported values: "minRequests"`,
		`{thresholds: {inline: "storm: 2.5"}}`:                 `spec.trace.thresholds.inline.storm: Invalid value: "2.5": must be a whole number from 1 to 1000000`,
		`{thresholds: {inline: "storm: [1]"}}`:                 `spec.trace.thresholds.inline.storm: Invalid value: "[1]": must be a whole number`,
		`{thresholds: {inline: "{storm: 3, storm: 4}"}}`:       `spec.trace.thresholds.inline: Invalid value: yaml: unmarshal errors:`,
		`{thresholds: {inline: "three"}}`:                      `spec.trace.thresholds.inline: Invalid value: must be YAML with thresholds by their names`,
		`{thresholds: {file: none.yaml}}`:                      `spec.trace.thresholds.file: `,
		`{anomalies: {ttft: "0s"}}`:                            `spec.trace.anomalies.ttft: Invalid value: "0s": must be a duration above 0s, up to 8760h`,
		`{anomalies: {minShare: "1.1"}}`:                       `spec.trace.anomalies.minShare: Invalid value: "1.1": must be greater than 0 and at most 1`,
		`{anomalies: {hotShare: "1e3"}}`:                       `spec.trace.anomalies.hotShare: Invalid value: "1e3": must be a number above 0`,
		`{anomalies: {strom: 50}}`:                             `spec.trace.anomalies: Unsupported value: "strom"`,
		`{anomalies: {minRequests: 0, longPrompt: "8000000"}}`: `spec.trace.anomalies.minRequests: Invalid value: "0": must be`,
	} {
		_, errs, err := compile.Run(t.Context(), withTrace(t, spec), thresholdInputs())
		if err != nil {
			t.Fatal(err)
		}
		if got := errs.ToAggregate(); got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, got, want)
		}
	}
}
