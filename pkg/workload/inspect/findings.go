// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"fmt"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Beyond these shares and factors something is odd.
const (
	batchedShare   = 0.5     // of requests that have a time of their own
	silentMeanGaps = 30      // of the longest gap; that of 10^6 Poisson arrivals is 14
	silentShare    = 0.01    // of the span
	frequentShare  = 0.2     // of one length
	ceilingShare   = 0.01    // of the greatest length
	ceilingCount   = 20      // requests of the greatest length
	repeatedShare  = 0.01    // of requests that repeat the one before
	driftFactor    = 2       // between halves
	longPrompt     = 1 << 17 // tokens
)

// findings returns what is odd about a trace.
func (i *inspector) findings(in *Inspection) []Finding {
	findings := []Finding{}
	for _, look := range []func(*Inspection) (name, message string){
		i.oddTimes, i.waiting, i.noSpan, i.batches, i.silence, i.drift, i.repeated, i.inputs, i.outputs, i.longPrompts, i.leftOut,
	} {
		if name, message := look(in); message != "" {
			findings = append(findings, Finding{name, message})
		}
	}
	return findings
}

func (i *inspector) oddTimes(*Inspection) (string, string) {
	if !strings.HasPrefix(i.statistics.Warning, "times ") {
		return "odd-file", i.statistics.Warning
	}
	return "odd-times", i.statistics.Warning
}

func (i *inspector) waiting(in *Inspection) (string, string) {
	if in.WaitingRequests == 0 {
		return "", ""
	}
	return "waiting-requests", fmt.Sprintf("requests that wait for answers have no times (%d of %d): rates, bursts and gaps of sessions are those of answers that take no time, and a replay is slower",
		in.WaitingRequests, in.Requests)
}

func (i *inspector) noSpan(in *Inspection) (string, string) {
	if in.SpanSeconds > 0 || in.Requests < 2 {
		return "", ""
	}
	return "no-span", "all requests have one timestamp, so the trace has no rate: use its lengths in a client, or spread its requests with trace convert"
}

func (i *inspector) batches(in *Inspection) (string, string) {
	if in.SpanSeconds == 0 || float64(in.DistinctTimestamps) >= batchedShare*float64(in.Requests) {
		return "", ""
	}
	tick := time.Duration(in.SpanSeconds / float64(max(1, in.DistinctTimestamps-1)) * 1e9)
	return "batched-timestamps", fmt.Sprintf("%d requests share %d timestamps, one every %s on average: without arrivals: Spread, each batch arrives at once",
		in.Requests, in.DistinctTimestamps, round(tick))
}

func (i *inspector) silence(in *Inspection) (string, string) {
	longest, mean := i.rates.longest, in.SpanSeconds/float64(max(1, in.DistinctTimestamps-1))
	if longest.Seconds() < silentMeanGaps*mean || longest.Seconds() < silentShare*in.SpanSeconds || in.Requests < 2*ceilingCount {
		return "", ""
	}
	return "silence", fmt.Sprintf("no request arrives for %s, from %s on, and usually for %s: if the log has a hole there, take a slice before or after it",
		round(longest), round(i.rates.from), round(time.Duration(mean*1e9)))
}

func (i *inspector) drift(in *Inspection) (string, string) {
	first, second := 0, 0
	for j, b := range in.Rates.Bins {
		if 2*(j+1) <= len(in.Rates.Bins) {
			first += b.Requests
		} else if 2*j >= len(in.Rates.Bins) {
			second += b.Requests
		}
	}
	low, high := min(first, second), max(first, second)
	if len(in.Rates.Bins) < 4 || low == 0 || float64(high) < driftFactor*float64(low) {
		return "", ""
	}
	return "drift", fmt.Sprintf("the first half of the time has %d requests and the second has %d: a mean over the trace describes neither, so compare policies on slices", first, second)
}

func (i *inspector) repeated(in *Inspection) (string, string) {
	if i.repeats.rows == 0 || float64(i.repeats.rows) < repeatedShare*float64(in.Requests) {
		return "", ""
	}
	return "repeated-rows", fmt.Sprintf("%d requests have the time and the lengths of the one before: the log may hold them twice", i.repeats.rows)
}

func (i *inspector) inputs(in *Inspection) (string, string) {
	return "input-lengths", oddLengths("prompts", i.input, in.InputTokens, in.Requests)
}

func (i *inspector) outputs(in *Inspection) (string, string) {
	return "output-lengths", oddLengths("answers", i.output, in.OutputTokens, in.Requests)
}

// oddLengths says that one length is too frequent.
func oddLengths(what string, of lengths, described Lengths, requests int) string {
	longest := of[int32(described.Max)]
	switch {
	case requests < ceilingCount:
		return ""
	case described.Min == described.Max:
		return fmt.Sprintf("all %s have %s: a placeholder, and no recording?", what, tokens(described.Max))
	case described.MostFrequentShare > frequentShare:
		return fmt.Sprintf("%.1f %% of the %s have %s: a limit of the clients, or a placeholder?", 100*described.MostFrequentShare, what, tokens(described.MostFrequent))
	case longest >= ceilingCount && float64(longest) >= ceilingShare*float64(requests):
		return fmt.Sprintf("%.1f %% of the %s have %s, the most of all: a limit cut them off", 100*float64(longest)/float64(requests), what, tokens(described.Max))
	}
	return ""
}

func (i *inspector) longPrompts(*Inspection) (string, string) {
	n := 0
	for length, requests := range i.input {
		if length > longPrompt {
			n += requests
		}
	}
	if n == 0 {
		return "", ""
	}
	return "long-prompts", fmt.Sprintf("%d prompts have more than %d tokens, more than most models read: a pool rejects them, or tooLong skips or clips them", n, longPrompt)
}

func (i *inspector) leftOut(in *Inspection) (string, string) {
	if in.SkippedZeroOutputRequests == 0 {
		return "", ""
	}
	return "zero-output", fmt.Sprintf("%d requests have 0 output tokens, or wait for such a request, and are left out: the load on the servers was higher than the replay's", in.SkippedZeroOutputRequests)
}

func tokens(n int) string {
	if n == 1 {
		return "1 token"
	}
	return fmt.Sprintf("%d tokens", n)
}

// round returns a time with about three digits.
func round(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= 100*unit {
			return d.Round(unit)
		}
	}
	return d
}

// repeats counts requests that are like the one before.
type repeats struct {
	at            simtime.Time
	input, output int
	some          bool
	rows          int
}

func (r *repeats) add(at simtime.Time, input, output int) {
	if r.some && at == r.at && input == r.input && output == r.output {
		r.rows++
	}
	r.at, r.input, r.output, r.some = at, input, output, true
}
