// SPDX-License-Identifier: Apache-2.0

package figure

import "testing"

func TestSigned(t *testing.T) {
	for x, want := range map[float64]string{1.25: "+1.2", -12.44: "-12.4", 0: "0.0", -0.04: "0.0", 0.04: "0.0", 10: "+10.0"} {
		if got := Signed(x, 1); got != want {
			t.Errorf("%v prints as %q, want %q", x, got, want)
		}
	}
}

func TestSignificant(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 257.893: "258", 14157.2: "14157", 1.004: "1", 1.006: "1.01", 0.05432: "0.0543", 99.95: "100", -2.5: "-2.5", 1000: "1000"} {
		if got := Significant(x, 3); got != want {
			t.Errorf("%v prints as %q, want %q", x, got, want)
		}
	}
}

func TestCompared(t *testing.T) {
	for x, want := range map[float64]string{0: "equal to", -0.125: "12.5 % below", 0.05: "5 % above", 9.99: "999 % above", 260.558: "262 times"} {
		if got := Compared(x); got != want {
			t.Errorf("%v reads %q, want %q", x, got, want)
		}
	}
}
