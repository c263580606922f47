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

// A prefill replica serves 50 requests/s of 1000 tokens and a decode replica 8; a replica
// that does both serves 7.26.
func TestDynamoPlannerCountsWhatTheForecastNeeds(t *testing.T) {
	const interval = 3 * time.Minute
	decide(t, "dynamo-planner", map[string]decision{
		"no sample is no signal":                  {newScene(4), nil, "4", "no signal: fewer than two samples in 3m0s"},
		"no request is no signal":                 {newScene(4).requested(interval, 0, 0), nil, "4", "no signal: the lengths of requests are not known"},
		"nothing changes before the interval":     {newScene(4).requested(time.Minute, 20, 0), nil, "4", "stays at 4 until the forecast at 3m0s"},
		"one pool":                                {newScene(4).requested(interval, 20, 0), nil, "3", "20 requests/s of 1000 prompt and 100 answer tokens are forecast, with a hit rate of 0; a replica serves 7.258 requests/s"},
		"prefill and decode":                      {newScene(4, 4).requested(interval, 100, 0), nil, "2:13", "a prefill replica serves 50 requests/s and a decode replica 8"},
		"what caches have is not computed":        {newScene(4, 4).requested(interval, 200, 0.9), nil, "3:25", "with a hit rate of 0.9; a prefill replica serves 90.91 requests/s"},
		"a target that no replica meets":          {newScene(4, 4).requested(interval, 8, 0), []string{"ttft=9ms"}, "3:1", "from 4:4 to 3:1"},
		"a longer time between tokens":            {newScene(4, 4).requested(interval, 100, 0), []string{"itl=70ms"}, "2:12", "a decode replica 8.571"},
		"the bounds hold":                         {newScene(4).bound(0, 1, 5).requested(interval, 60, 0), nil, "5", "from 4 to 5"},
		"a replica that is not ready":             {newScene(4, 4).start(1, 1).requested(interval, 8, 0), nil, "4:5", "stays at 4:5: 4 of 5 replicas of decode are ready, and until all are, no decision is applied: 8 requests/s"},
		"a shorter interval":                      {newScene(4).requested(time.Minute, 20, 0), []string{"throughputInterval=1m"}, "3", "from 4 to 3"},
		"a load loop needs no more, but keeps it": {newScene(2).requested(interval, 20, 0), []string{"loadLoop=true"}, "3", "at least 3: 20 requests/s"},
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
	for predictor, want := range map[string]string{"constant": "7 6 1", "kalman": "9 8 1", "holt-winters": "7 7 1"} {
		t.Run(predictor, func(t *testing.T) {
			s := newScene(4)
			p := s.scaler(t, "dynamo-planner", "predictor="+predictor)
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
	throughput, latency := []string{"optimizationTarget=throughput"}, []string{"optimizationTarget=latency"}
	waiting := func(n int) func(*Engine) { return func(e *Engine) { e.Waiting = n } }
	held := func(share float64) func(*Engine) { return func(e *Engine) { e.KVUsage = share } }
	both := func() *scene { return newScene(3).requested(until, 10, 0).each(0, held(0.7)) }
	pair := func() *scene {
		return newScene(3, 3).requested(until, 10, 0).each(0, waiting(5)).each(1, held(0.7))
	}
	decide(t, "dynamo-planner", map[string]decision{
		"between the thresholds":                        {both(), throughput, "3", "stays at 3: pool: tokens of at most 0.7 KV caches"},
		"all have room":                                 {newScene(3).requested(until, 10, 0).each(0, held(0.59)), throughput, "2", "from 3 to 2"},
		"one has no room":                               {both().loaded(0, 1, held(0.5)), throughput, "3", "0.7 KV caches"},
		"what waits counts with what is held":           {both().loaded(0, 1, waiting(31)), throughput, "4", "1.01 KV caches"},
		"exactly full is not more":                      {both().loaded(0, 1, waiting(30)), throughput, "3", "1 KV caches"},
		"low latency: more than 0.4":                    {both(), latency, "4", "0.7 KV caches"},
		"low latency: all below 0.1":                    {newScene(3).requested(until, 10, 0).each(0, held(0.09)), latency, "2", "from 3 to 2"},
		"the last replica stays":                        {newScene(1).requested(until, 10, 0), throughput, "1", "stays at 1"},
		"prefill: a context waits in one":               {pair().loaded(0, 2, waiting(10)), throughput, "4:3", "prefill: prompts of at most 1 contexts wait in a replica; decode: tokens of at most 0.7"},
		"prefill: less than a tenth waits in all":       {newScene(3, 3).requested(until, 10, 0).each(1, held(0.7)), throughput, "2:3", "from 3:3 to 2:3"},
		"prefill, low latency: a tenth waits in one":    {newScene(3, 3).requested(until, 10, 0).each(1, held(0.2)).loaded(0, 0, waiting(1)), latency, "4:3", "0.1 contexts"},
		"prefill, low latency: nothing waits at all":    {newScene(3, 3).requested(until, 10, 0).each(1, held(0.2)), latency, "2:3", "from 3:3 to 2:3"},
		"nothing while a replica starts":                {both().loaded(0, 1, waiting(50)).start(0, 1), throughput, "4", "stays at 4: 3 of 4 replicas of pool are scraped and 1 replica starts"},
		"nothing before a new replica has been scraped": {both().serving(0, 4), throughput, "4", "stays at 4: 3 of 4"},
	})
}

// serving has so many replicas serve of which the last sample knows fewer.
func (s *scene) serving(k, n int) *scene {
	s.serve(k, n)
	return s
}

// A prompt of 1000 tokens takes 20 ms by itself. Beside 20 answers a step takes 32 ms.
func TestDynamoPlannerByLatencies(t *testing.T) {
	const until = time.Minute
	parameters := []string{"loadLoop=true", "throughputInterval=10m", "ttft=100ms", "itl=40ms"}
	queue := func(running, waiting int) func(*Engine) {
		return func(e *Engine) { e.Running, e.Waiting = running, waiting }
	}
	pair := func() *scene {
		return newScene(3, 3).requested(until, 10, 0).each(0, queue(2, 5)).each(1, queue(25, 0))
	}
	decide(t, "dynamo-planner", map[string]decision{
		"neither late nor early":                 {pair(), parameters, "3:3", "prefill: the next prompt takes at least 0.09 s; decode: the next token at least 0.036 s"},
		"all prompts late":                       {pair().each(0, queue(2, 20)), parameters, "4:3", "from 3:3 to 4:3"},
		"one prompt in time":                     {pair().each(0, queue(2, 20)).loaded(0, 1, queue(2, 0)), parameters, "3:3", "at least 0.02 s"},
		"prompts early with one fewer":           {pair().each(0, queue(2, 1)), parameters, "2:3", "from 3:3 to 2:3"},
		"all tokens late":                        {pair().each(1, queue(30, 0)), parameters, "3:4", "at least 0.041 s"},
		"tokens early with one fewer":            {pair().each(1, queue(10, 0)), parameters, "3:2", "from 3:3 to 3:2"},
		"no room for one fewer":                  {pair().each(1, func(e *Engine) { e.Running, e.KVUsage = 10, 0.7 }), parameters, "3:3", "stays"},
		"one pool, late tokens":                  {newScene(3).requested(until, 10, 0).each(0, queue(30, 0)), parameters, "4", "the next prompt takes at least 0.05 s and the next token at least 0.0441 s"},
		"one pool, early prompts do not suffice": {newScene(3).requested(until, 10, 0).each(0, queue(23, 0)), parameters, "3", "stays at 3"},
		"one pool, both early":                   {newScene(3).requested(until, 10, 0).each(0, queue(5, 0)), parameters, "2", "from 3 to 2"},
		"a target that no prompt meets":          {newScene(3, 3).requested(until, 10, 0).each(1, queue(25, 0)), []string{"loadLoop=true", "throughputInterval=10m", "ttft=20ms", "itl=40ms"}, "3:3", "stays"},
	})
}
