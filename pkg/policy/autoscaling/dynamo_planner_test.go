// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// requested lets requests come and be served at a rate per second, up to a time: of 1000
// prompt tokens, of which the caches have a share, and 100 answer tokens.
func (s *scene) requested(until time.Duration, perSecond int64, hits float64) *scene {
	for at := time.Duration(s.view.Now) + scrape; at <= until; at += scrape {
		s.sample(at, func(x *Sample) {
			n := perSecond * int64(scrape.Seconds())
			x.Gateway.Arrived += n
			x.Gateway.Ended += n
			x.Gateway.Completed += n
			x.Gateway.AnswerTokens += 100 * n
			first, last := &x.Engines[0], &x.Engines[s.view.Pools[len(s.view.Pools)-1].First]
			first.Counters.PrefixCacheQueries += 1000 * n
			first.Counters.PrefixCacheHits += int64(hits * float64(1000*n))
			if last != first {
				// What was handed over is no hit of a cache there.
				last.Counters.PrefixCacheQueries += 1000 * n
				last.Counters.ExternalPrefixCacheHits += 1000 * n
			}
			last.Counters.TimeToFirstToken.Count += n
			last.Counters.InterTokenLatency.Count += 99 * n
			last.Finished.Requests += n
		})
	}
	return s
}

// loaded changes what the engine of a replica of a pool shows last.
func (s *scene) loaded(k, replica int, change func(*Engine)) *scene {
	change(&s.view.Monitor.Back(0).Engines[s.view.Pools[k].First+replica])
	return s
}

// each is loaded for all replicas of a pool.
func (s *scene) each(k int, change func(*Engine)) *scene {
	for i := range s.view.Pools[k].Replicas {
		s.loaded(k, i, change)
	}
	return s
}

// A step in which a prefill replica computes two prompts takes 30 ms, which is 66.67 requests/s. A decode
// replica serves 8 at the batch of 40 whose steps take 50 ms. A replica that does both serves 7.26: with a
// batch of 36, a step takes 10 + 36 + 3.6 ms. With 0.9 of the prompts in a cache, 20 take 30 ms.
func TestDynamoPlannerCountsWhatTheForecastNeeds(t *testing.T) {
	const interval = 3 * time.Minute
	with := func(more ...string) []string {
		return append([]string{"optimization_target=sla", "load_predictor=kalman", "max_gpu_budget=-1"}, more...)
	}
	budget := []string{"optimization_target=sla", "load_predictor=constant"}
	decide(t, "dynamo-planner", map[string]decision{
		"no sample is no signal":                  {newScene(4), with(), "4", "no signal: fewer than two samples in 3m0s"},
		"no request is no signal":                 {newScene(4).requested(interval, 0, 0), with(), "4", "no signal: the lengths of requests are not known"},
		"nothing changes before the interval":     {newScene(4).requested(time.Minute, 20, 0), with(), "4", "stays at 4: the next forecast is at 3m0s"},
		"one pool":                                {newScene(4).requested(interval, 20, 0), with(), "3", "20 requests/s of 1000 prompt and 100 answer tokens are forecast, with a hit rate of 0; a replica of pool serves 7.258 requests/s"},
		"prefill and decode":                      {newScene(4, 4).requested(interval, 100, 0), with(), "2:13", "a replica of prefill serves 66.67 requests/s; a replica of decode serves 8 requests/s"},
		"what caches have is not computed":        {newScene(4, 4).requested(interval, 200, 0.9), with(), "1:25", "with a hit rate of 0.9; a replica of prefill serves 666.7 requests/s"},
		"a target that no replica meets":          {newScene(4, 4).requested(interval, 8, 0), with("ttft_ms=9"), "1:1", "from 4:4 to 1:1"},
		"a longer time between tokens":            {newScene(4, 4).requested(interval, 100, 0), with("itl_ms=70"), "2:12", "decode serves 8.571"},
		"the bounds hold":                         {newScene(4).bound(0, 1, 5).requested(interval, 60, 0), with(), "5", "from 4 to 5"},
		"a replica that is not ready":             {newScene(4, 4).start(1, 1).requested(interval, 8, 0), with(), "4:5", "stays at 4:5: 4 of 5 replicas of decode are ready, and until all are, no decision is applied: 8 requests/s"},
		"a shorter interval":                      {newScene(4).requested(time.Minute, 20, 0), with("throughput_adjustment_interval_seconds=60"), "3", "from 4 to 3"},
		"a load loop needs no more, but keeps it": {newScene(2).requested(interval, 20, 0), with("enable_load_scaling=true"), "3", "at least 3"},
		"the budget of GPUs":                      {newScene(4).requested(interval, 60, 0), budget, "8", "from 4 to 8"},
		"the budget of GPUs, in proportion":       {newScene(4, 4).requested(interval, 100, 0), budget, "1:7", "from 4:4 to 1:7"},
		"GPUs at least":                           {newScene(4).requested(interval, 20, 0), append(budget, "min_gpu_budget=6"), "6", "from 4 to 6"},
		"replicas at least":                       {newScene(4, 4).requested(interval, 8, 0), append(budget, "decode_min_endpoint=3"), "1:3", "from 4:4 to 1:3"},
		"advice only":                             {newScene(4).requested(interval, 20, 0), with("advisory=true"), "4", "stays at 4: advisory, and would have 3: 20 requests/s"},
	})
}

// While traffic grows, engines give more tokens than those of the answers that end: 60,000 and
// 100 answers of 500 tokens each. The mean answer is one of 500, not of 600.
func TestDynamoPlannerMeasuresAnswersThatEnded(t *testing.T) {
	s := newScene(4).sample(0, nil).sample(scrape, func(x *Sample) {
		x.Gateway.Arrived += 200
		x.Gateway.Ended += 100
		x.Gateway.Completed += 100
		x.Gateway.AnswerTokens += 50_000
		e := &x.Engines[0]
		e.Counters.PrefixCacheQueries += 20_000
		e.Counters.TimeToFirstToken.Count += 200
		e.Counters.InterTokenLatency.Count += 59_800
		e.Finished.Requests += 100
	})
	got, known, ok := observeTraffic(&s.view, time.Minute)
	if want := (traffic{perSecond: 200 / scrape.Seconds(), prompt: 100, answer: 500}); got != want || !known || !ok {
		t.Errorf("%+v (%t, %t), want %+v", got, known, ok, want)
	}
}

// Each predictor forecasts a rising rate in its own way, and an idle interval has no demand.
func TestDynamoPlannerForecasts(t *testing.T) {
	for predictor, want := range map[string]string{"constant": "7 6 1", "kalman": "9 8 1"} {
		t.Run(predictor, func(t *testing.T) {
			s := newScene(4)
			p := s.scaler(t, "dynamo-planner", "optimization_target=sla", "max_gpu_budget=-1", "load_predictor="+predictor)
			var got []string
			note := func() { got = append(got, fmt.Sprint(s.view.Pools[0].Wanted)) }
			for i := range int64(5) {
				s.requested(time.Duration(i+1)*3*time.Minute, 10*(i+1), 0).ask(p)
			}
			note()
			s.requested(18*time.Minute, 40, 0).ask(p)
			note()
			for i := range 3 {
				s.requested(time.Duration(i+7)*3*time.Minute, 0, 0).ask(p)
			}
			note()
			if got := strings.Join(got, " "); got != want {
				t.Errorf("%s replicas, want %s", got, want)
			}
		})
	}
}

func TestDynamoPlannerByThresholds(t *testing.T) {
	const until = time.Minute
	throughput, latency := []string(nil), []string{"optimization_target=latency"}
	load := []string{"optimization_target=load", "decode_scale_up_kv_rate=80", "decode_scale_down_kv_rate=40"}
	roles := append([]string{"prefill_scale_up_queue_tokens=3000", "prefill_scale_down_queue_tokens=500"}, load...)
	waiting := func(n int) func(*Engine) { return func(e *Engine) { e.Waiting = n } }
	held := func(share float64) func(*Engine) { return func(e *Engine) { e.KVUsage = share } }
	both := func() *scene { return newScene(3).requested(until, 10, 0).each(0, held(0.7)) }
	pair := func() *scene {
		return newScene(3, 3).requested(until, 10, 0).each(0, waiting(5)).each(1, held(0.7))
	}
	decide(t, "dynamo-planner", map[string]decision{
		"between the thresholds":                        {both(), throughput, "3", "stays at 3: pool: tokens held and waiting ÷ KV cache of at most 0.7"},
		"all have room":                                 {newScene(3).requested(until, 10, 0).each(0, held(0.59)), throughput, "2", "from 3 to 2"},
		"one has no room":                               {both().loaded(0, 1, held(0.5)), throughput, "3", "at most 0.7"},
		"what waits counts with what is held":           {both().loaded(0, 1, waiting(31)), throughput, "4", "at most 1.01"},
		"exactly full is not more":                      {both().loaded(0, 1, waiting(30)), throughput, "3", "at most 1"},
		"low latency: more than 0.4":                    {both(), latency, "4", "at most 0.7"},
		"low latency: all below 0.1":                    {newScene(3).requested(until, 10, 0).each(0, held(0.09)), latency, "2", "from 3 to 2"},
		"the last replica stays":                        {newScene(1).requested(until, 10, 0), throughput, "1", "stays at 1"},
		"prefill: a context waits in one":               {pair().loaded(0, 2, waiting(10)), throughput, "4:3", "prefill: prompts that wait ÷ context of at most 1; decode: tokens held and waiting ÷ KV cache of at most 0.7"},
		"prefill: less than a tenth waits in all":       {newScene(3, 3).requested(until, 10, 0).each(1, held(0.7)), throughput, "2:3", "from 3:3 to 2:3"},
		"prefill, low latency: a tenth waits in one":    {newScene(3, 3).requested(until, 10, 0).each(1, held(0.2)).loaded(0, 0, waiting(1)), latency, "4:3", "of at most 0.1;"},
		"prefill, low latency: nothing waits at all":    {newScene(3, 3).requested(until, 10, 0).each(1, held(0.2)), latency, "2:3", "from 3:3 to 2:3"},
		"stated thresholds: at the upper ones":          {pair().each(1, held(0.8)).each(0, waiting(3)), roles, "4:4", "prefill: prompt tokens that wait of at most 3000; decode: tokens held and waiting ÷ KV cache of at most 0.8"},
		"stated thresholds: at the lower ones":          {pair().each(1, held(0.4)).each(0, waiting(0)), roles, "2:2", "from 3:3 to 2:2"},
		"stated thresholds: one pool":                   {both().each(0, held(0.8)), load, "4", "from 3 to 4"},
		"nothing while a replica starts":                {both().loaded(0, 1, waiting(50)).start(0, 1), throughput, "4", "stays at 4: 3 of 4 replicas of pool are ready, and until all are, no decision is applied: loads are not compared"},
		"nothing before a new replica has been scraped": {both().serving(0, 4), throughput, "4", "stays at 4: the engines of the last scrape are not those"},
		"replicas at least":                             {newScene(3).requested(until, 10, 0), []string{"min_endpoint=5"}, "5", "from 3 to 5"},
	})
}

// serving has so many replicas serve of which the last sample knows fewer.
func (s *scene) serving(k, n int) *scene {
	s.serve(k, n)
	return s
}

// A prefill step of 2000 tokens takes 30 ms, so 5 prompts and the next one take 90 ms. A decode step takes 10 ms and
// 1 ms for each answer. A replica with both has 10 prompt tokens in a step for each answer.
func TestDynamoPlannerByLatencies(t *testing.T) {
	const until = time.Minute
	at := func(ttft string) []string {
		return []string{"optimization_target=sla", "enable_load_scaling=true", "enable_throughput_scaling=false", "itl_ms=40", "ttft_ms=" + ttft}
	}
	parameters := at("100")
	queue := func(running, waiting int) func(*Engine) {
		return func(e *Engine) { e.Running, e.Waiting = running, waiting }
	}
	pair := func() *scene {
		return newScene(3, 3).requested(until, 10, 0).each(0, queue(2, 5)).each(1, queue(25, 0))
	}
	decide(t, "dynamo-planner", map[string]decision{
		"neither late nor early":                 {pair(), parameters, "3:3", "the next request waits at most 90 ms for its first token and 35 ms between tokens"},
		"all prompts late":                       {pair().each(0, queue(2, 20)), parameters, "4:3", "at most 320 ms"},
		"one prompt in time":                     {pair().each(0, queue(2, 20)).loaded(0, 1, queue(2, 0)), parameters, "3:3", "at most 320 ms"},
		"prompts early with one fewer":           {pair().each(0, queue(2, 1)), parameters, "2:3", "from 3:3 to 2:3"},
		"all tokens late":                        {pair().each(1, queue(31, 0)), parameters, "3:4", "41 ms between tokens"},
		"tokens early with one fewer":            {pair().each(1, queue(10, 0)), parameters, "3:2", "from 3:3 to 3:2"},
		"no room for one fewer":                  {pair().each(1, func(e *Engine) { e.Running, e.KVUsage = 10, 0.7 }), parameters, "3:3", "stays"},
		"one pool, late tokens":                  {newScene(3).requested(until, 10, 0).each(0, queue(30, 0)), parameters, "4", "at most 43 ms for its first token and 43 ms between tokens"},
		"one pool, early prompts do not suffice": {newScene(3).requested(until, 10, 0).each(0, queue(23, 0)), parameters, "3", "stays at 3"},
		"one pool, both early":                   {newScene(3).requested(until, 10, 0).each(0, queue(5, 0)), parameters, "2", "from 3 to 2"},
		"a target that no prompt meets":          {pair().each(0, queue(1, 0)), at("20"), "3:3", "stays"},
	})
}
