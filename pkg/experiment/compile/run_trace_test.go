// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"reflect"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/trace"
)

// withThresholds is a run whose thresholds have the defaults of the schema.
func withThresholds(t *testing.T) *v1alpha1.SimulationRun {
	t.Helper()
	run := experimenttest.Run(t)
	run.Spec.Trace.Anomalies = &v1alpha1.AnomalyThresholds{}
	manifest.Default(run)
	return run
}

// The defaults of the schema are those of the rules, and count as none.
func TestThresholdsHaveOneSetOfDefaults(t *testing.T) {
	if got := compile.Thresholds(withThresholds(t).Spec.Trace.Anomalies); got != (trace.Thresholds{}) {
		t.Errorf("the defaults of the schema are %+v, those of the rules %+v", got, trace.DefaultThresholds())
	}
	if got := experimenttest.MustCompileRun(t, withThresholds(t)).Plan.Anomalies; got != (trace.Thresholds{}) {
		t.Errorf("the plan has %+v", got)
	}
}

// Each field of the thresholds is read, into a field of its own.
func TestEachThresholdIsRead(t *testing.T) {
	defaults := reflect.ValueOf(trace.DefaultThresholds())
	fields := reflect.TypeFor[v1alpha1.AnomalyThresholds]()
	changed := map[string]string{}
	for i := range fields.NumField() {
		in := withThresholds(t).Spec.Trace.Anomalies
		switch f := reflect.ValueOf(in).Elem().Field(i); f.Kind() {
		case reflect.Int32:
			f.SetInt(77)
		case reflect.String:
			f.SetString("77")
			if f.Type() == reflect.TypeFor[v1alpha1.PositiveDuration]() {
				f.SetString("77s")
			}
		}
		got := reflect.ValueOf(compile.Thresholds(in))
		for k := range got.NumField() {
			if !got.Field(k).Equal(defaults.Field(k)) {
				changed[got.Type().Field(k).Name] += fields.Field(i).Name
			}
		}
	}
	if len(changed) != defaults.NumField() || len(changed) != fields.NumField() {
		t.Errorf("%d fields change %d thresholds of %d: %v", fields.NumField(), len(changed), defaults.NumField(), changed)
	}
}
