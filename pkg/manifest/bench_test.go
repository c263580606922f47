// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"os"
	"testing"
)

// BenchmarkStartUp is what a command pays once for each kind that it reads: the
// schema, and then the CEL rules.
func BenchmarkStartUp(b *testing.B) {
	for kind, plural := range map[string]string{"SimulationRun": "simulationruns", "PolicySweep": "policysweeps"} {
		b.Run(kind+"/schema", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				load(kind, plural)
			}
		})
		b.Run(kind+"/rules", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				d := load(kind, plural)
				b.StartTimer()
				d.rules()
			}
		})
	}
}

// BenchmarkRead is what each file costs after that.
func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"simulationrun-poisson", "simulationrun-azure", "policysweep-llm-d-default"} {
		text, err := os.ReadFile("../../config/samples/" + name + ".yaml")
		if err != nil {
			b.Fatal(err)
		}
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
	text, err := os.ReadFile("../../config/samples/simulationrun-poisson.yaml")
	if err != nil {
		b.Fatal(err)
	}
	set, err := Read(bytes.NewReader(text), "sample")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Default", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Default(set.Runs[0])
		}
	})
	b.Run("Validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if errs := Validate(set.Runs[0]); len(errs) > 0 {
				b.Fatal(errs)
			}
		}
	})
}
