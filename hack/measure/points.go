// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// point is one measured step: a decode of some sequences with so much context
// each, the new token included, or a chunk of a prompt after so much of it.
type point struct {
	decode                              bool
	sequences, newTokens, contextTokens int
	microseconds                        float64
}

// header begins every file of points; what follows it in a line is not read.
var header = []string{"phase", "sequences", "new_tokens", "context_tokens", "microseconds"}

func readFile(path string) ([]point, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	points, err := readPoints(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return points, nil
}

// readPoints reads what measure.py writes. Errors name the line.
func readPoints(r io.Reader) ([]point, error) {
	lines := csv.NewReader(r)
	lines.Comment = '#'
	titles, err := lines.Read()
	if err != nil || len(titles) < len(header) || !slices.Equal(titles[:len(header)], header) {
		return nil, fmt.Errorf("want a first line of %s,…", strings.Join(header, ","))
	}
	var points []point
	for {
		words, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return points, nil
		}
		if err != nil {
			return nil, err
		}
		p, err := parsePoint(words)
		if err != nil {
			number, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		points = append(points, p)
	}
}

func parsePoint(words []string) (point, error) {
	var counts [3]int
	for i := range counts {
		n, err := strconv.Atoi(words[1+i])
		if err != nil || n < 0 {
			return point{}, fmt.Errorf("%s %q: want a whole number", header[1+i], words[1+i])
		}
		counts[i] = n
	}
	p := point{decode: words[0] == "decode", sequences: counts[0], newTokens: counts[1], contextTokens: counts[2]}
	var err error
	p.microseconds, err = strconv.ParseFloat(words[4], 64)
	switch {
	case err != nil || !(p.microseconds > 0):
		return p, fmt.Errorf("microseconds %q: want a number above 0", words[4])
	case p.decode && (p.newTokens != 1 || p.sequences < 1 || p.contextTokens < 1):
		return p, fmt.Errorf("a decode of %d sequences computes %d tokens in a context of %d", p.sequences, p.newTokens, p.contextTokens)
	case !p.decode && (words[0] != "prefill" || p.sequences != 1 || p.newTokens < 1):
		return p, fmt.Errorf("a %q of %d sequences, %d tokens: want a decode, or a prefill of one sequence", words[0], p.sequences, p.newTokens)
	}
	return p, nil
}

// step is the point's work.
func (p point) step() latency.Step {
	n, t, context := int64(p.sequences), int64(p.newTokens), int64(p.contextTokens)
	if p.decode {
		pairs := n * context
		return latency.Step{
			Sequences: p.sequences, DecodeTokens: p.sequences, AttentionPairs: pairs, DecodePairs: pairs,
			ContextTokens: pairs, SampledTokens: p.sequences,
		}
	}
	return latency.Step{
		Sequences: 1, PrefillTokens: p.newTokens, AttentionPairs: t*context + t*(t+1)/2,
		DoublePromptPairs: t * (2*(context+t) + t), ContextTokens: context + t, SampledTokens: 1,
	}
}
