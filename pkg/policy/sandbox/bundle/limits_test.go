// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const programDocument = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\nrouting:\n  starlark: {source: \"def score(request, endpoints): return [0 for e in endpoints]\"}\n"

// A bundle may lower limits, and raise them up to the maximum of the place. What it leaves out
// is the maximum, if somebody has set one, or the default.
func TestLimitsAreWithinTheMaximum(t *testing.T) {
	for name, tc := range map[string]struct {
		stated string
		most   Limits
		want   *Limits
		faults string
	}{
		"no limits":                  {"", Limits{}, nil, ""},
		"a lower limit":              {"limits: {callSteps: 1000}", Limits{}, &Limits{CallSteps: 1000}, ""},
		"above the default":          {"limits: {callSteps: 200001}", Limits{}, nil, "bundle.limits.callSteps: Invalid value: 200001: must be at most 200000"},
		"all above the default":      {"limits: {runSteps: 50000000001, memoryMiB: 1025, cpuSeconds: 601}", Limits{}, nil, "runSteps,memoryMiB,cpuSeconds"},
		"a raised maximum":           {"limits: {callSteps: 200001}", Limits{CallSteps: 300_000}, &Limits{CallSteps: 200_001}, ""},
		"above a raised maximum":     {"limits: {callSteps: 300001}", Limits{CallSteps: 300_000}, nil, "must be at most 300000"},
		"a lowered maximum":          {"", Limits{CPUSeconds: 5}, &Limits{CPUSeconds: 5}, ""},
		"above a lowered maximum":    {"limits: {cpuSeconds: 6}", Limits{CPUSeconds: 5}, nil, "bundle.limits.cpuSeconds: Invalid value: 6: must be at most 5"},
		"another limit is lowered":   {"limits: {callSteps: 10}", Limits{CPUSeconds: 5}, &Limits{CallSteps: 10, CPUSeconds: 5}, ""},
		"accepted elsewhere":         {"limits: {callSteps: 900000}", AnyLimits, &Limits{CallSteps: 900_000}, ""},
		"accepted elsewhere without": {"", AnyLimits, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, errs := Read([]byte(programDocument+tc.stated), field.NewPath("bundle"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			errs = b.Bound(tc.most, field.NewPath("bundle"))
			for _, part := range strings.Split(tc.faults, ",") {
				if text := errs.ToAggregate(); (text != nil) != (tc.faults != "") || text != nil && !strings.Contains(text.Error(), part) {
					t.Errorf("%v, want %q", text, part)
				}
			}
			if len(errs) > 0 {
				return
			}
			if diff := cmp.Diff(tc.want, b.Limits); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, errs := Read([]byte(b.Canonical()), nil)
			if diff := cmp.Diff(tc.want, again.Limits); diff != "" || len(errs) > 0 {
				t.Errorf("in the canonical text: %v (-want +got):\n%s", errs, diff)
			}
		})
	}
}

func TestOnlyCodeHasLimits(t *testing.T) {
	_, errs := Read([]byte("apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\nrouting: {builtIn: {policy: round-robin}}\nlimits: {callSteps: 5}\n"), nil)
	if len(errs) != 1 || errs[0].Field != "limits" || errs[0].Type != field.ErrorTypeForbidden {
		t.Errorf("%v", errs)
	}
	if _, errs := Read([]byte(programDocument+"limits: {callStep: 5}\n"), nil); len(errs) != 1 {
		t.Errorf("%v", errs)
	}
}

// Programs count by the limits of their bundle, and a module has no more memory.
func TestProgramsHaveTheLimitsOfTheBundle(t *testing.T) {
	b, errs := Read([]byte(programDocument+"limits: {callSteps: 7, runSteps: 70, memoryMiB: 3}\n"), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got := b.Routing.Limits()
	if got.CallSteps != 7 || got.RunSteps != 70 || got.MemoryBytes != 3<<20 {
		t.Errorf("%+v", got)
	}
	b, _ = Read([]byte(programDocument+"limits: {memoryMiB: 1024}\n"), nil)
	if got := b.Routing.Limits(); got.MemoryBytes != 64<<20 || got.CallSteps != 200_000 {
		t.Errorf("%+v", got)
	}
}

// A limit of 0 is a mistake, and not one that is left out.
func TestALimitOf0IsAnError(t *testing.T) {
	for stated, want := range map[string][]string{
		"{callSteps: 0}":                 {"bundle.limits.callSteps"},
		"{memoryMiB: 0, cpuSeconds: 0}":  {"bundle.limits.memoryMiB", "bundle.limits.cpuSeconds"},
		"{callSteps: 5, runSteps: 0x0}":  {"bundle.limits.runSteps"},
		"{callSteps: 1, cpuSeconds: 1}":  nil,
		"{callSteps: null, runSteps: 5}": nil,
		"{}":                             nil,
	} {
		_, errs := Read([]byte(programDocument+"limits: "+stated+"\n"), field.NewPath("bundle"))
		var got []string
		for _, err := range errs {
			got = append(got, err.Field)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", stated, errs, diff)
		}
	}
}
