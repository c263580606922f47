// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// Endpoint 0 was sent prompt 1 with 4 blocks and then prompt 2 with 4, and has room for 10;
// endpoint 1 was sent nothing. Of endpoint 0 two blocks are free, so its room is 0.2. Two new
// blocks find room before prompt 1 loses one; before prompt 2 does, the 4 of prompt 1 go as
// well: 0.2 and 0.6. Of half of prompt 1, two blocks that follow go before: 0.4.
func TestTheStateOfThePrefixIndex(t *testing.T) {
	for name, tc := range map[string]struct {
		scorer       string
		text, tokens int
		want         []float64
	}{
		"the room":                      {"prefix-index-room", 1, 64, []float64{0.2, 1}},
		"the prompt that was first":     {"prefix-index-lifetime", 1, 64, []float64{0.2, 0}},
		"the first half of it":          {"prefix-index-lifetime", 1, 32, []float64{0.4, 0}},
		"the prompt that was last":      {"prefix-index-lifetime", 2, 64, []float64{0.6, 0}},
		"a prompt that is new to both":  {"prefix-index-lifetime", 3, 64, []float64{0, 0}},
		"less than a block has no life": {"prefix-index-lifetime", 1, 15, []float64{0, 0}},
	} {
		r := mustNew(t, scoring(tc.scorer, map[string]string{"blocksPerEndpoint": "10"}), 2)
		route(t, r, only(0, 2), request(0, text(1, 64)))
		route(t, r, only(0, 2), request(1, text(2, 64)))
		same(t, name, tc.want, scores(t, r, view(policy.Scrape{}, policy.Scrape{}), request(2, text(uint64(tc.text), tc.tokens))))
	}
}
