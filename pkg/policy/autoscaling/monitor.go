// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Sample is what a monitoring system scraped at one time: all targets at once.
type Sample struct {
	At      simtime.Time
	Gateway Gateway
	// Router is what the unit's router exports.
	Router policy.RouterMetrics
	// Replicas are those of the unit that exist, as a Deployment counts its pods; Unavailable
	// are those of them that do not serve.
	Replicas, Unavailable int
	// Engines are those of the unit's endpoints, by place.
	Engines []Engine
	// Recommended is the number of replicas that an analyser exports to an autoscaler
	// (wva_desired_replicas), which the analyser writes into each sample; 0 where it exports none.
	Recommended int
}

// Gateway is what the gateway exports of the requests of the unit's router. The first
// ones are counters from the start of the run.
type Gateway struct {
	// Arrived and Rejected count requests. Completed are those whose answers ended whole,
	// and Good those within the targets of their class and tenant. Ended are those that
	// are in flight no more, whichever way they ended.
	Arrived, Rejected, Completed, Good, Ended int64
	// Sent counts the requests that the router has sent to an engine, and again for each other engine that a
	// request goes to after it lost one.
	Sent int64
	// AnswerTokens counts the tokens of the answers of Completed.
	AnswerTokens int64
	// Answers are those of Completed.
	Answers Answers
	// Queued are requests that the router keeps back, Awaiting those that wait because
	// no replica serves.
	Queued, Awaiting int
}

// InFlight counts the requests that have not ended.
func (g *Gateway) InFlight() int64 { return g.Arrived - g.Ended }

// Engine is what an engine exports. Names are those of vLLM's metrics; Busy is that of
// the accelerator's exporter.
type Engine struct {
	// Up says that the engine answers scrapes: it serves, or drains. All else is 0 where
	// it does not.
	Up bool
	// Started is when the engine began to serve. Its counters begin at 0 then.
	Started simtime.Time
	// Running, Waiting and KVUsage are gauges (vllm:num_requests_running,
	// vllm:num_requests_waiting, vllm:kv_cache_usage_perc).
	Running, Waiting int
	KVUsage          float64
	// Counters are those that the engine exports.
	Counters policy.Engine
	// TimeToFirstToken and InterTokenLatency count observations by bucket.
	TimeToFirstToken, InterTokenLatency Buckets
	// Finished counts the requests that have given their last token, or computed a prompt for
	// another replica.
	Finished Finished
	// Busy is how long steps were under way since the start of the run
	// (the integral of DCGM_FI_DEV_GPU_UTIL).
	Busy time.Duration
}

// Finished counts the requests that an engine has finished (vllm:request_success_total), with the
// tokens of their prompts and of their answers (vllm:request_prompt_tokens and
// vllm:request_generation_tokens).
type Finished struct{ Requests, PromptTokens, AnswerTokens int64 }

// Add counts a request. One whose prompt was computed for another replica has given one token here.
func (f *Finished) Add(prompt, answer int32, forAnother bool) {
	if forAnother {
		answer = 1
	}
	f.Requests++
	f.PromptTokens += int64(prompt)
	f.AnswerTokens += int64(answer)
}

// GenerationTokens counts the tokens that the engine has given
// (vllm:generation_tokens_total).
func (e *Engine) GenerationTokens() int64 {
	return e.Counters.TimeToFirstToken.Count + e.Counters.InterTokenLatency.Count
}

// Monitor keeps the samples of a window of time.
type Monitor struct {
	// Interval is the time between two samples.
	Interval time.Duration
	// Delay is how old a sample is at least when a scaler can read it: the time of the
	// path from the store of the metrics to the scaler.
	Delay   time.Duration
	samples []Sample // a ring
	next    int      // where the next one goes
	taken   int
}

// NewMonitor returns a monitor of the given number of endpoints that keeps the samples that a scaler
// can read within a window.
func NewMonitor(endpoints int, interval, delay, window time.Duration) *Monitor {
	// One more sample is in the window than intervals fit, and the one before says what
	// changed until the oldest.
	n := int((window+delay)/interval) + 3
	m := &Monitor{Interval: interval, Delay: delay, samples: make([]Sample, n)}
	engines := make([]Engine, n*endpoints)
	for i := range m.samples {
		m.samples[i].Engines = engines[i*endpoints : (i+1)*endpoints : (i+1)*endpoints]
	}
	return m
}

// Take returns the sample to fill in for a time, which replaces the oldest one.
func (m *Monitor) Take(at simtime.Time) *Sample {
	s := &m.samples[m.next]
	m.next = (m.next + 1) % len(m.samples)
	m.taken++
	s.At = at
	return s
}

// Back returns the n-th newest sample, from 0; nil if there are fewer samples.
func (m *Monitor) Back(n int) *Sample {
	if n >= min(m.taken, len(m.samples)) {
		return nil
	}
	return &m.samples[(m.next-1-n+2*len(m.samples))%len(m.samples)]
}

// Latest returns the newest sample that can be read at a time; nil if no sample can be read.
func (m *Monitor) Latest(now simtime.Time) *Sample {
	for n := 0; ; n++ {
		if s := m.Back(n); s == nil || s.At.Add(m.Delay) <= now {
			return s
		}
	}
}

// Range returns the oldest and the newest sample that can be read at a time and lie
// within a window before it, and how many there are; nil and 0 if no sample can be read.
func (m *Monitor) Range(now simtime.Time, window time.Duration) (oldest, newest *Sample, count int) {
	for n := 0; ; n++ {
		s := m.Back(n)
		switch {
		case s == nil || s.At.Add(window) <= now:
			return oldest, newest, count
		case s.At.Add(m.Delay) > now:
			continue
		case newest == nil:
			newest = s
		}
		oldest = s
		count++
	}
}
