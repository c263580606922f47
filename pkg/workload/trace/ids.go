// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strconv"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// idWords is how many words of ids a generation of idSet has.
const idWords = 1 << 18

// idSet tells ids that occurred. It takes some 20 MB at most: what is in words is forgotten when
// two generations of words are full. A word holds 64 numbers, so the set knows each id of 2^18
// rows before at least, and each of 16 million rows where ids count up.
type idSet struct {
	words, older map[uint64]uint64
	most         int // words of a generation
}

func newIDSet() *idSet { return &idSet{words: map[uint64]uint64{}, most: idWords} }

// add adds an id, and reports whether it occurred before. A text that is no whole number is known
// by its hash.
func (s *idSet) add(text []byte) (again bool) {
	id, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || text[0] == '0' && len(text) > 1 {
		id = stats.HashBytes(text)
	}
	word, bit := id>>6, uint64(1)<<(id&63)
	known := s.words[word]
	if (known|s.older[word])&bit != 0 {
		return true
	}
	if known == 0 && len(s.words) == s.most {
		s.words, s.older = make(map[uint64]uint64), s.words
	}
	s.words[word] = known | bit
	return false
}
