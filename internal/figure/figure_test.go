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
