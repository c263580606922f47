// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
	"time"
)

// Outcomes are what a log says of how its requests were served.
type Outcomes struct {
	// Requests are those of the log, Failed those that were answered with an error. Unreplayed
	// are the failed ones of which the log does not say enough to send them again.
	Requests, Failed, Unreplayed int
	// TTFT is the time to the first token and E2E the time to the last one of those that did not
	// fail, in order of arrival, each where the log says it.
	TTFT, E2E []time.Duration
	// TPOT is the time for an output token after the first one, of those with both times.
	TPOT []time.Duration
	// CacheHit is the share of the prompts' tokens that caches had; nil where the log does not say it.
	CacheHit *float64
	// InputTokens and OutputTokens are theirs together.
	InputTokens, OutputTokens int64
	// Span is from the first arrival to the last one.
	Span time.Duration
}

// Outcome is how a request was served, where a log says it. The zero Outcome says nothing.
type Outcome struct {
	// Status is the code of HTTP that it was answered with. From 400 on it is an error.
	Status int
	// TTFT and E2E are the times from arrival to the first and to the last token; 0 where the log does not say them.
	TTFT, E2E time.Duration
	// Cached are the tokens of the prompt that a cache had; nil where the log does not say it.
	Cached *int32
}

// firstErrorStatus is the first status that is an error, and statusHungUp the one that gateways log for a client that
// does not wait for the answer.
const (
	firstErrorStatus = 400
	statusHungUp     = 499
)

func (o Outcome) failed() bool { return o.Status >= firstErrorStatus }

// outcomeOf is the outcome of a request of which a log says only whether it failed.
func outcomeOf(failed bool, ttft, e2e time.Duration) Outcome {
	if failed {
		return Outcome{Status: 500, E2E: e2e}
	}
	return Outcome{Status: 200, TTFT: ttft, E2E: e2e}
}

// failedRecords are records of which some are not replayed, because they failed and too little is known of them.
type failedRecords interface{ unreplayed() int }

// ReadOutcomes reads how the requests of a log were served. Errors are those of [ReadWith], and that of a format
// which does not say it.
func ReadOutcomes(from Format, o Options, r io.Reader, name string) (*Outcomes, error) {
	f, err := from.declaration()
	if err == nil && !f.outcomes {
		err = fmt.Errorf("the format %s does not say how requests were served, want one of %v", from, OutcomeFormats())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rows, err := newRowReader(f, o, r, func(string) bool { return true })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	all := &Outcomes{}
	var cached hits
	for {
		rec, err := rows.next()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if rec == nil {
			break
		}
		all.add(rec)
		cached.add(rec)
	}
	if all.Requests == 0 {
		return nil, fmt.Errorf("%s: %w", name, rows.empty())
	}
	if len(all.TTFT)+len(all.E2E) == 0 {
		return nil, fmt.Errorf("%s: it says of none of its %d requests how long the answer took", name, all.Requests)
	}
	all.CacheHit = cached.share()
	all.Span = time.Duration(rows.last - rows.first)
	if of, is := rows.records.(failedRecords); is {
		all.Unreplayed = of.unreplayed()
	}
	all.Requests += all.Unreplayed
	all.Failed += all.Unreplayed
	return all, nil
}

// OutcomeFormats lists the formats that say how requests were served.
func OutcomeFormats() []Format {
	var names []Format
	for _, f := range formats {
		if f.outcomes {
			names = append(names, f.name)
		}
	}
	return names
}

func (o *Outcomes) add(rec *record) {
	o.Requests++
	switch {
	case rec.outcome.failed():
		o.Failed++
		return
	case rec.outcome.Status == 0:
		return
	}
	o.InputTokens += int64(rec.input)
	o.OutputTokens += int64(rec.output)
	if rec.outcome.E2E > 0 {
		o.E2E = append(o.E2E, rec.outcome.E2E)
	}
	if rec.outcome.TTFT > 0 {
		o.TTFT = append(o.TTFT, rec.outcome.TTFT)
	}
	if gaps := rec.output - 1; rec.outcome.TTFT > 0 && rec.outcome.E2E >= rec.outcome.TTFT && gaps > 0 {
		o.TPOT = append(o.TPOT, (rec.outcome.E2E-rec.outcome.TTFT)/time.Duration(gaps))
	}
}

// hits count the tokens of prompts of which a log says how many a cache had.
type hits struct{ tokens, cached int64 }

func (h *hits) add(rec *record) {
	if of := rec.outcome; of.Cached != nil && !of.failed() {
		h.tokens += int64(rec.input)
		h.cached += int64(*of.Cached)
	}
}

func (h *hits) share() *float64 {
	if h.tokens == 0 {
		return nil
	}
	return new(float64(h.cached) / float64(h.tokens))
}
