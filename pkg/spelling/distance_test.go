// SPDX-License-Identifier: Apache-2.0

package spelling

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "bc", 1}, {"abc", "abxc", 1},
		{"queue-scorrer", "queue-scorer", 1}, {"kitten", "sitting", 3}, {"wieght", "weight", 1}, {"ab", "ba", 1}, {"ca", "abc", 3},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := Distance(pair[0], pair[1]); got != c.want {
				t.Errorf("Distance(%q, %q) = %d, want %d", pair[0], pair[1], got, c.want)
			}
		}
	}
}
