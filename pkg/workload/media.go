// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Media are images, audio or videos that requests ask about, in front of their own part.
type Media struct {
	// Kind is what they are. A client has each kind once.
	Kind string
	// Probability is that of a request with some, greater than 0 and at most 1.
	Probability float64
	// Count is the number of such a request, at most MaxMedia.
	Count Lengths
	// Tokens is the length of one.
	Tokens Lengths
	// Pool is the number of different ones; 0 makes each different. The length of one of
	// a pool is drawn once.
	Pool int
}

const (
	// MaxMedia is the greatest number of media of one kind in a request.
	MaxMedia = 100
	maxPool  = 100_000
)

// medium is one of the media of a request. Its source is 0 if no other request has it.
type medium struct {
	source uint64
	tokens int
}

// drawMedia returns the media of a request, of MaxTokens at most. They are valid until the
// next call.
func (c *client) drawMedia(s *stats.Stream) []medium {
	c.media = c.media[:0]
	left := MaxTokens
	for i := range c.spec.Media {
		m := &c.spec.Media[i]
		if !happens(m.Probability, s) {
			continue
		}
		for range m.Count.draw(s) {
			one := c.drawMedium(m, s)
			one.tokens = min(one.tokens, left)
			left -= one.tokens
			c.media = append(c.media, one)
		}
	}
	return c.media
}

func (c *client) drawMedium(m *Media, s *stats.Stream) medium {
	if m.Pool == 0 {
		return medium{tokens: m.Tokens.draw(s)}
	}
	number := s.IntN(m.Pool)
	return medium{
		source: mediaText.source(c.nameHash, stats.HashString(m.Kind), uint64(number)),
		tokens: c.lengthOf(m.Tokens, "media/"+m.Kind, c.name, number),
	}
}

// lengthOf returns the length of a text that several requests have: it depends on nothing
// but the text's kind, owner and number.
func (c *client) lengthOf(l Lengths, kind, owner string, number int) int {
	c.buffer = append(append(c.buffer[:0], "workload/"...), kind...)
	c.buffer = strconv.AppendInt(append(c.buffer, '/'), int64(number), 10)
	c.buffer = append(append(c.buffer, '/'), owner...)
	c.lengths.Reset(c.seed, c.buffer)
	return l.draw(&c.lengths)
}

// Validate returns the faults of the media, under the names that the API gives their
// fields.
func (m *Media) Validate(path *field.Path) field.ErrorList {
	errs := validateProbability(m.Probability, path.Child("probability"))
	errs = append(errs, validateCount(m.Count, MaxMedia, path.Child("count"))...)
	errs = append(errs, m.Tokens.Validate(path.Child("tokens"))...)
	if m.Pool < 0 || m.Pool > maxPool {
		errs = append(errs, outOfRange(path.Child("pool"), m.Pool, 1, maxPool))
	}
	return errs
}
