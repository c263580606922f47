// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

func TestAFileOnAClusterIsAFieldError(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	name := "trace.jsonl"
	sweep.Spec.Scenario.Workload.Trace.File = &name
	sweep.Spec.Scenario.Workload.Trace.ConfigMapRef = nil
	_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
	if err != nil || len(errs) != 1 || errs[0].Field != "spec.scenario.workload.trace.file" {
		t.Fatalf("compile.Sweep: %v, %v", errs, err)
	}
	if compile.MissingInputs(errs) {
		t.Error("it counts as missing, as if it could appear")
	}
}

func TestAMissingConfigMapIsAMissingInput(t *testing.T) {
	_, errs, err := compile.Sweep(t.Context(), experimenttest.Sweep(t), experimenttest.Inputs{})
	if err != nil || !compile.MissingInputs(errs) {
		t.Fatalf("compile.Sweep: %v, %v; want only missing inputs", errs, err)
	}
}
