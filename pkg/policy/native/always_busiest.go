// SPDX-License-Identifier: Apache-2.0

package native

// alwaysBusiest takes the first of the endpoints with the greatest load: what a
// router must not do, to see that it shows.
type alwaysBusiest struct{ load load }

func readAlwaysBusiest(r *reader) func(*builder) chooser {
	l := readLoad(r)
	return func(b *builder) chooser {
		b.count()
		return &alwaysBusiest{l}
	}
}

func (c *alwaysBusiest) choose(r *round) int {
	busiest := 0
	for i, e := range r.candidates {
		if c.load.of(r, e) > c.load.of(r, r.candidates[busiest]) {
			busiest = i
		}
	}
	return busiest
}
