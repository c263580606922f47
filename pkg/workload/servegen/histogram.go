// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// histogram is a distribution of lengths in tokens.
type histogram struct {
	tokens []int32
	// below[i] is the share of lengths up to tokens[i]; the last one is 1.
	below []float64
	// dropped is the share of the length 0, which no request has.
	dropped float64
}

// parseHistogram reads a Python dict of lengths and probabilities, such as
// {45: 0.25, 46: 0.75}. An empty one is a histogram without lengths. The length 0, which a few of the
// published folders have with a probability of some 1e-6, is dropped.
func parseHistogram(text string) (histogram, error) {
	inside, ok := strings.CutPrefix(text, "{")
	if inside, ok = cutSuffix(inside, "}", ok); !ok {
		return histogram{}, fmt.Errorf("must be lengths and probabilities within braces, got %.80q", text)
	}
	if strings.TrimSpace(inside) == "" {
		return histogram{}, nil
	}
	type bin struct {
		tokens int32
		share  float64
	}
	var bins []bin
	total, zero := 0.0, 0.0
	for pair := range strings.SplitSeq(inside, ",") {
		key, value, found := strings.Cut(pair, ":")
		tokens, err := strconv.ParseUint(strings.TrimSpace(key), 10, 32)
		if !found || err != nil || tokens > workload.MaxTokens {
			return histogram{}, fmt.Errorf("must have lengths from 0 to %d tokens, got %.80q", workload.MaxTokens, pair)
		}
		share, err := number("probability", strings.TrimSpace(value))
		if err != nil {
			return histogram{}, err
		}
		total += share
		if tokens == 0 {
			zero += share
			continue
		}
		bins = append(bins, bin{int32(tokens), share})
	}
	if total < 0.999 || total > 1.001 {
		return histogram{}, fmt.Errorf("must have probabilities that add up to 1, got %g", total)
	}
	total -= zero
	slices.SortFunc(bins, func(a, b bin) int { return int(a.tokens) - int(b.tokens) })
	h := histogram{dropped: zero}
	sum := 0.0
	for i, b := range bins {
		if i > 0 && b.tokens == bins[i-1].tokens {
			return histogram{}, fmt.Errorf("has the length %d twice", b.tokens)
		}
		if b.share == 0 {
			continue
		}
		sum += b.share
		h.tokens, h.below = append(h.tokens, b.tokens), append(h.below, sum/total)
	}
	if len(h.tokens) == 0 {
		return histogram{}, errors.New("has no length with a probability")
	}
	h.below[len(h.below)-1] = 1
	return h, nil
}

// cutSuffix is strings.CutSuffix if what came before went well.
func cutSuffix(text, suffix string, ok bool) (string, bool) {
	text, cut := strings.CutSuffix(text, suffix)
	return text, cut && ok
}

// draw returns a length.
func (h *histogram) draw(s *stats.Stream) int32 {
	u := s.Float64()
	return h.tokens[sort.Search(len(h.below)-1, func(i int) bool { return u < h.below[i] })]
}
