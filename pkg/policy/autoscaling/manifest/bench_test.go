// SPDX-License-Identifier: Apache-2.0

package manifest

import "testing"

// BenchmarkRead reads a manifest as its author wrote it, and as a plan keeps it, which each
// simulation reads several times.
func BenchmarkRead(b *testing.B) {
	m, errs := Read(HorizontalPodAutoscaler, []byte(soundHPA), nil)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	for name, text := range map[string]string{"written": soundHPA, "canonical": m.Canonical()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Read(HorizontalPodAutoscaler, []byte(text), nil)
			}
		})
	}
}
