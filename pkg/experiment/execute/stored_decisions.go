// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Stored are the decisions that a cluster keeps of a run, in the order of the seeds and, for each
// seed, of arrival.
type Stored struct {
	// Seed is the one whose decisions are taken; nil takes those of all seeds.
	Seed *int64
	// MostBytes bounds the lines of the decisions of all parts; 0 is no bound.
	MostBytes int
	Decisions []*RoutingRecord
	// LeftOut counts the lines that had no room.
	LeftOut int

	bytes int // of the lines of the decisions
}

// mostStoredBytes bounds a part after it is unpacked: a ConfigMap has room for a part that
// unpacks to a gigabyte.
const mostStoredBytes = 64 << 20

// Add reads a compressed part of a trace that a cluster keeps. Records that are no decisions
// are passed over.
func (s *Stored) Add(packed []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("decisions: %w", err)
	}
	left := &io.LimitedReader{R: z, N: mostStoredBytes + 1}
	lines := bufio.NewReaderSize(left, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if left.N == 0 {
			return fmt.Errorf("decisions: a part unpacks to more than %d bytes", mostStoredBytes)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			if err := s.addLine(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("decisions: %w", err)
		}
	}
}

// addLine takes one line.
func (s *Stored) addLine(line []byte) error {
	var d struct {
		Seed    int64             `json:"seed"`
		Record  result.RecordKind `json:"record"`
		LeftOut *int              `json:"leftOut"`
	}
	if err := json.Unmarshal(line, &d); err != nil {
		return fmt.Errorf("decisions: %w", err)
	}
	switch {
	case s.Seed != nil && d.Seed != *s.Seed:
		return nil
	case d.LeftOut != nil:
		s.LeftOut += *d.LeftOut
		return nil
	case d.Record != "" && d.Record != result.RoutingKind:
		return nil
	}
	if s.bytes += len(line); s.MostBytes > 0 && s.bytes > s.MostBytes {
		return fmt.Errorf("decisions: there are more than %d bytes of them", s.MostBytes)
	}
	var decision RoutingRecord
	if err := json.Unmarshal(line, &decision); err != nil {
		return fmt.Errorf("decisions: %w", err)
	}
	if decision.Explanation == nil {
		return errors.New("decisions: a line has no decision")
	}
	if err := decision.checkShape(); err != nil {
		return fmt.Errorf("decisions: request %d: %w", decision.Request.ID, err)
	}
	s.Decisions = append(s.Decisions, &decision)
	return nil
}

// Seeds are the seeds of the decisions, in their order.
func (s *Stored) Seeds() []int64 {
	var seeds []int64
	for _, d := range s.Decisions {
		if !slices.Contains(seeds, d.Seed) {
			seeds = append(seeds, d.Seed)
		}
	}
	return seeds
}

// Story is the story of a request as far as its decisions tell it; nil where none is stored.
func (s *Stored) Story(seed int64, request int) *RequestStory {
	story := &RequestStory{}
	for _, d := range s.Decisions {
		if d.Seed == seed && d.Request.ID == request {
			story.Decisions = append(story.Decisions, d)
		}
	}
	if len(story.Decisions) == 0 {
		return nil
	}
	story.Outcome = story.stored()
	return story
}

// stored says how a request ended, by its last decision.
func (s *RequestStory) stored() RequestResult {
	last := s.Decisions[len(s.Decisions)-1]
	if last.Outcome == nil || last.TurnedAway() {
		return s.ended()
	}
	out := RequestResult{Ended: last.Outcome.Ended, CachedTokens: last.Outcome.GPUTokens}
	if t := last.Outcome.TTFTSeconds; t != nil {
		out.TTFTSeconds = *t
	}
	if t := last.Outcome.E2ESeconds; t != nil {
		out.E2ESeconds = *t
	}
	if n := last.Outcome.OutputTokens; n != nil {
		out.OutputTokens = *n
	}
	return out
}

// FirstTurnedAway is the first request of a seed that is rejected; false where none is stored.
func (s *Stored) FirstTurnedAway(seed int64) (request int, ok bool) {
	for _, d := range s.Decisions {
		if d.Seed == seed && d.TurnedAway() {
			return d.Request.ID, true
		}
	}
	return 0, false
}
