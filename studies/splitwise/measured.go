// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// batch is a number of equal prompts that are served together.
type batch struct{ promptTokens, prompts int }

func (b batch) tokens() int { return b.promptTokens * b.prompts }

// measured are medians, in ms, of what Splitwise measured of batches: the step
// that computes their prompts, and the mean of those that give a token each.
type measured struct{ prompt, token map[batch]float64 }

// Splitwise measured batches above 1 with prompts of batchedPrompt tokens alone.
// Rows of other answers than measuredAnswer tokens have prompts of that length,
// too, and say nothing more of the steps.
const batchedPrompt, measuredAnswer = 512, 128

// readMeasured reads the rows of one model on a number of GPUs of one kind from the
// CSV of the published simulator (splitwise-sim, data/perf_model.csv).
func readMeasured(r io.Reader, model, hardware string, gpus int) (measured, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return measured{}, err
	}
	if len(rows) == 0 {
		return measured{}, fmt.Errorf("no header")
	}
	prompts, tokens := map[batch][]float64{}, map[batch][]float64{}
	for n, row := range rows[1:] {
		fields := fields{titles: rows[0], row: row}
		b := batch{promptTokens: fields.whole("prompt_size"), prompts: fields.whole("batch_size")}
		mine := fields.text("model") == model && fields.text("hardware") == hardware &&
			fields.whole("tensor_parallel") == gpus && fields.whole("token_size") == measuredAnswer
		prompt, token := fields.number("prompt_time"), fields.number("token_time")
		if fields.err != nil {
			return measured{}, fmt.Errorf("row %d: %w", n+2, fields.err)
		}
		if mine {
			prompts[b] = append(prompts[b], prompt)
			tokens[b] = append(tokens[b], token)
		}
	}
	m := measured{prompt: medians(prompts), token: medians(tokens)}
	if len(m.alone()) < 2 || len(m.together()) == 0 {
		return m, fmt.Errorf("too few rows of %s on %d × %s", model, gpus, hardware)
	}
	return m, nil
}

// fields reads a row by the names of its columns and keeps the first fault.
type fields struct {
	titles, row []string
	err         error
}

func (f *fields) text(title string) string {
	i := slices.Index(f.titles, title)
	if i < 0 {
		f.err = fmt.Errorf("no column %s", title)
		return ""
	}
	return f.row[i]
}

func (f *fields) number(title string) float64 {
	v, err := strconv.ParseFloat(f.text(title), 64)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", title, err)
	}
	return v
}

func (f *fields) whole(title string) int { return int(f.number(title)) }

func medians(all map[batch][]float64) map[batch]float64 {
	result := map[batch]float64{}
	for b, list := range all {
		slices.Sort(list)
		result[b] = (list[(len(list)-1)/2] + list[len(list)/2]) / 2
	}
	return result
}

// alone returns the lengths of prompts that were measured alone, increasing.
func (m measured) alone() []int {
	var lengths []int
	for b := range m.prompt {
		if b.prompts == 1 {
			lengths = append(lengths, b.promptTokens)
		}
	}
	slices.Sort(lengths)
	return lengths
}

// together returns how many prompts of batchedPrompt tokens were measured at a
// time, increasing; 1 is among them.
func (m measured) together() []int {
	var counts []int
	for b := range m.token {
		if b.promptTokens == batchedPrompt {
			counts = append(counts, b.prompts)
		}
	}
	slices.Sort(counts)
	return counts
}

// promptSteps returns the times in ms of steps that compute a number of tokens of
// prompts: of one prompt as far as those go, beyond it of several of
// batchedPrompt tokens. A time that more tokens undercut cannot be right; it is
// left out beyond one prompt, and for one prompt the lower one stands for both.
func (m measured) promptSteps() map[int]float64 {
	times := map[int]float64{}
	lengths := m.alone()
	longest := lengths[len(lengths)-1]
	least := m.prompt[batch{longest, 1}]
	for _, length := range slices.Backward(lengths) {
		least = min(least, m.prompt[batch{length, 1}])
		times[length] = least
	}
	last := m.prompt[batch{longest, 1}]
	for _, n := range m.together() {
		b := batch{batchedPrompt, n}
		if b.tokens() > longest && m.prompt[b] > last {
			last = m.prompt[b]
			times[b.tokens()] = last
		}
	}
	return times
}

// pairNs is what one pair of a token and one that it attends to takes, in ns:
// by how much one prompt takes longer than several of batchedPrompt tokens that
// are as many in all, least squares. It is 0 where it comes out negative.
func (m measured) pairNs() float64 {
	var product, square float64
	for _, n := range m.together() {
		whole, ok := m.prompt[batch{batchedPrompt * n, 1}]
		if n == 1 || !ok {
			continue
		}
		tokens := float64(batchedPrompt * n)
		pairs := tokens * (tokens - batchedPrompt) / 2
		product += pairs * (whole - m.prompt[batch{batchedPrompt, n}]) * 1e6
		square += pairs * pairs
	}
	if product <= 0 {
		return 0
	}
	return product / square
}

// contextNs is what one more token of its context adds to the step that gives
// one sequence a token, in ns: least squares over prompts of batchedPrompt tokens
// and more, one at a time. It is 0 where it comes out negative.
func (m measured) contextNs() float64 {
	var n, meanX, meanY, product, square float64
	lengths := m.alone()
	lengths = lengths[slices.Index(lengths, batchedPrompt):]
	for _, length := range lengths {
		n++
		meanX += float64(length)
		meanY += m.token[batch{length, 1}] * 1e6
	}
	meanX, meanY = meanX/n, meanY/n
	for _, length := range lengths {
		x := float64(length) - meanX
		product += x * (m.token[batch{length, 1}]*1e6 - meanY)
		square += x * x
	}
	if square == 0 {
		return 0
	}
	return max(0, product/square)
}

// assumptions are what the measurements leave open.
type assumptions struct {
	// freeContext takes a token's step to be the same whatever the contexts, as
	// the published simulator does; otherwise every sequence of a batch adds what
	// one alone adds.
	freeContext bool
	// wholeChunks takes chunks to gain nothing: one takes what it adds to the step
	// of all of its prompt so far; otherwise it takes what a step of its tokens
	// takes, and its attention to what was before. In both cases it takes at least
	// the former of a prompt of its own length.
	wholeChunks bool
}

// table returns the step times on the two grids of the latency model.
func (m measured) table(a assumptions) latency.Table {
	t := latency.Table{Decode: m.decodeGrid(a)}
	times := m.promptSteps()
	// A prompt of one token is a step that gives one token.
	times[1] = m.token[batch{batchedPrompt, 1}]
	t.Prefill.NewTokens = slices.Sorted(maps.Keys(times))
	t.Prefill.ContextTokens = []int{0, m.longest()}
	if a.wholeChunks {
		t.Prefill.ContextTokens = append([]int{0}, t.Prefill.NewTokens...)
	}
	for _, n := range t.Prefill.NewTokens {
		var row []float64
		for _, context := range t.Prefill.ContextTokens {
			ms := times[n] + m.pairNs()*float64(n)*float64(context)/1e6
			if a.wholeChunks {
				ms = max(times[n], interpolate(times, n+context)-interpolate(times, context))
			}
			row = append(row, ms*1e3)
		}
		t.Prefill.Microseconds = append(t.Prefill.Microseconds, row)
	}
	return t
}

func (m measured) longest() int {
	lengths := m.alone()
	return lengths[len(lengths)-1]
}

// decodeGrid has two contexts, as times are linear in them: that of prompts of
// batchedPrompt tokens in the middle of their answers, which is what was
// measured, and that of the longest prompt.
func (m measured) decodeGrid(a assumptions) latency.DecodeGrid {
	g := latency.DecodeGrid{
		Sequences:     m.together(),
		ContextTokens: []int{batchedPrompt + measuredAnswer/2, m.longest() + measuredAnswer/2},
	}
	perToken := m.contextNs()
	if a.freeContext {
		perToken = 0
	}
	for _, n := range g.Sequences {
		micros := m.token[batch{batchedPrompt, n}] * 1e3
		more := float64(n) * perToken * float64(g.ContextTokens[1]-g.ContextTokens[0]) / 1e3
		g.Microseconds = append(g.Microseconds, []float64{micros, micros + more})
	}
	return g
}

// interpolate returns the time of a number of tokens: straight between points, 0 at
// 0, and beyond the last point as steep as before it.
func interpolate(times map[int]float64, tokens int) float64 {
	points := slices.Sorted(maps.Keys(times))
	right, _ := slices.BinarySearch(points, tokens)
	switch {
	case tokens == 0:
		return 0
	case right == 0:
		return times[points[0]]
	}
	right = min(right, len(points)-1)
	a, b := points[right-1], points[right]
	return times[a] + (times[b]-times[a])*float64(tokens-a)/float64(b-a)
}
