// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The oracle keeps all new ids in order. An id that is known must have occurred, and one
// that occurred within a generation of rows before must be known.
func TestIDsThatOccurAgain(t *testing.T) {
	const most = 50
	for name, draw := range map[string]func(r *rand.Rand, i int) string{
		"numbers that count up": func(_ *rand.Rand, i int) string { return fmt.Sprint(i) },
		"close numbers":         func(r *rand.Rand, i int) string { return fmt.Sprint(i + r.IntN(30)) },
		"any numbers":           func(r *rand.Rand, _ int) string { return fmt.Sprint(r.Uint64N(20_000)) },
		"texts":                 func(r *rand.Rand, _ int) string { return fmt.Sprintf("req-%d", r.IntN(500)) },
		"numbers with zeros":    func(r *rand.Rand, _ int) string { return fmt.Sprintf("%0*d", 1+r.IntN(4), r.IntN(300)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			s := newIDSet()
			s.most = most
			var all []string
			for i := range 5000 {
				id := draw(r, i)
				again := s.add([]byte(id))
				before := slices.Contains(all, id)
				recent := slices.Contains(all[max(0, len(all)-most):], id)
				if again && !before || recent && !again {
					t.Fatalf("id %d, %s: known %t, occurred %t, lately %t", i, id, again, before, recent)
				}
				if len(s.words) > most || len(s.older) > most {
					t.Fatalf("%d and %d words", len(s.words), len(s.older))
				}
				if !again { // where the reading ends
					all = append(all, id)
				}
			}
		})
	}
}

func BenchmarkIDs(b *testing.B) {
	for name, step := range map[string]uint64{"that count up": 1, "far apart": 1 << 40} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s, id := newIDSet(), uint64(0)
			var text []byte
			for b.Loop() {
				id += step
				text = fmt.Appendf(text[:0], "%d", id)
				s.add(text)
			}
		})
	}
}
