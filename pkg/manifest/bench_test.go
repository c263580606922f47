// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// BenchmarkStartUp is what a command pays once for each kind that it reads: the
// schema, and then the CEL rules.
func BenchmarkStartUp(b *testing.B) {
	objects := map[string]map[string]any{}
	for kind, name := range map[string]string{"SimulationRun": "simulationrun-poisson", "PolicySweep": "policysweep-llm-d-default"} {
		_, objects[kind] = untyped(readSample(b, kind, name))
	}
	for _, kind := range []string{"SimulationRun", "PolicySweep"} {
		b.Run(kind+"/schema", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				load(kind)
			}
		})
		b.Run(kind+"/rules", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				d := load(kind)
				b.StartTimer()
				d.rules.check(nil, objects[kind], nil, new(int64(celconfig.RuntimeCELCostBudget)))
			}
		})
	}
}

// BenchmarkRead is what each file costs after that.
func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"simulationrun-poisson", "simulationrun-azure", "policysweep-llm-d-default"} {
		text := testfile.Read(b, "../../config/samples/"+name+".yaml")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(bytes.NewReader(text), name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTyped is what a sweep pays for each of its points.
func BenchmarkTyped(b *testing.B) {
	run := readSample(b, "SimulationRun", "simulationrun-poisson")
	b.Run("Default", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Default(run)
		}
	})
	b.Run("Validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if errs := Validate(run); len(errs) > 0 {
				b.Fatal(errs)
			}
		}
	})
}

// readSample returns the object of a sample.
func readSample(b *testing.B, kind, name string) runtime.Object {
	b.Helper()
	text := testfile.Read(b, "../../config/samples/"+name+".yaml")
	set, err := Read(bytes.NewReader(text), name)
	if err != nil {
		b.Fatal(err)
	}
	if kind == "SimulationRun" {
		return set.Runs[0]
	}
	return set.Sweeps[0]
}
