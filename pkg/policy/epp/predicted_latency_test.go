// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// plainLatency takes 1 ms for each token to compute and for each request in
// flight, and remembers what it was last told.
type plainLatency struct{ told config.LatencyFeatures }

func (m *plainLatency) FirstToken(f config.LatencyFeatures) time.Duration {
	m.told = f
	return time.Duration(int64(f.PromptTokens-f.CachedTokens)+f.QueuedTokens) * time.Millisecond
}

func (m *plainLatency) NextToken(f config.LatencyFeatures) time.Duration {
	return time.Duration(f.InFlight+1) * time.Millisecond
}

// A predictorTest has a producer with models that are as plain.
type predictorTest struct {
	planted
	models     []*plainLatency
	producer   *predictedLatency
	prediction *scheduler.LatencyPrediction
}

func newPredictorTest(t *testing.T, parameters string, cluster config.Cluster) predictorTest {
	t.Helper()
	c := mustLoad(t, "plugins: [{type: predicted-latency-producer, parameters: "+parameters+"}, {type: latency-scorer}]")
	models := make([]*plainLatency, cluster.Endpoints)
	for e := range models {
		models[e] = &plainLatency{}
		cluster.Latencies = append(cluster.Latencies, models[e])
	}
	b := scheduler.NewBuilder(parts, c, cluster, 1)
	p := predictorTest{planted: planted{b, b.Scheduler(parts, c)}, models: models, prediction: b.PredictionOf(config.PredictedLatencyProducerType)}
	for _, made := range p.Producers {
		if producer, ok := made.(*predictedLatency); ok {
			p.producer = producer
		}
	}
	return p
}

// predict asks for a request at a time and returns it, not routed yet.
func (p *predictorTest) predict(at time.Duration, r *policy.Request) *scheduler.Cycle {
	view := idle(len(p.models))
	view.Now = simtime.Time(at)
	c := p.Begin(view, r)
	p.producer.Produce(c)
	return c
}

func stating(r *policy.Request, ttft, tpot time.Duration) *policy.Request {
	r.TTFT, r.TPOT = ttft, tpot
	return r
}

func TestPredictionsAreMadeOfWhatTheEPPKnows(t *testing.T) {
	p := newPredictorTest(t, "{streamingMode: true}", config.Cluster{Endpoints: 2})
	p.hold(4, 1, 3)
	load := p.Load(config.InFlightLoadProducerType)
	load.Tokens[0], load.Requests[0] = 500, 7
	view := idle(2)
	view.Scrapes[0] = policy.Scrape{Waiting: 3, Running: 99, KVUsage: 0.25}
	p.producer.Produce(p.Begin(view, stating(request(0, 200), 700*time.Millisecond, 10*time.Millisecond)))

	want := config.LatencyFeatures{PromptTokens: 200, CachedTokens: 50, QueuedTokens: 500, InFlight: 7, Waiting: 3, KVUsage: 0.25}
	if diff := cmp.Diff(want, p.models[0].told); diff != "" {
		t.Errorf("features of endpoint 0 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{650, 50}, p.prediction.Ttft); diff != "" {
		t.Errorf("TTFT (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{50, 650}, p.prediction.TtftHeadroom); diff != "" {
		t.Errorf("TTFT headroom (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{2, 9}, p.prediction.TpotHeadroom); diff != "" {
		t.Errorf("TPOT headroom (-want +got):\n%s", diff)
	}
}

// The objective of a request that states none is 0, not infinite.
func TestRequestsThatStateNothingMissTheirObjectives(t *testing.T) {
	p := newPredictorTest(t, "{streamingMode: true}", config.Cluster{Endpoints: 1})
	p.predict(0, request(0, 10))
	if got := [2]float64{p.prediction.TtftHeadroom[0], p.prediction.TpotHeadroom[0]}; got != [2]float64{-10, -1} {
		t.Errorf("headrooms %v, want [-10 -1]", got)
	}
	if p.prediction.Meets(0) {
		t.Error("an objective of 0 is met")
	}
}

func TestOutsideOfStreamingModeTTFTIsTheWholeAnswer(t *testing.T) {
	p := newPredictorTest(t, "{}", config.Cluster{Endpoints: 1, Prediction: config.PredictionModel{AnswerTokens: 101}})
	p.predict(0, stating(request(0, 10), time.Second, time.Nanosecond))
	got := [3]float64{p.prediction.Ttft[0], p.prediction.TtftHeadroom[0], p.prediction.TpotHeadroom[0]}
	if got != [3]float64{110, 890, 0} || !p.prediction.Meets(0) {
		t.Errorf("TTFT and headrooms %v, meets %t, want [110 890 0] and true", got, p.prediction.Meets(0))
	}
}

func TestPrefillEndpointsHaveNoTimeBetweenTokens(t *testing.T) {
	labels := []map[string]string{{"role": "prefill"}, {"role": "decode"}}
	p := newPredictorTest(t, "{streamingMode: true, endpointRoleLabel: role}", config.Cluster{Endpoints: 2, Labels: labels})
	p.predict(0, stating(request(0, 10), time.Second, time.Nanosecond))
	if diff := cmp.Diff([]bool{true, false}, p.prediction.TpotValid); diff != "" {
		t.Errorf("TPOT within the objective (-want +got):\n%s", diff)
	}
}

// What runs on an endpoint has to go on meeting its objective, too.
func TestTheStrictestObjectiveThatRunsCounts(t *testing.T) {
	const ms = time.Millisecond
	p := newPredictorTest(t, "{streamingMode: true, sloBufferFactor: 0.5}", config.Cluster{Endpoints: 2})
	headroom := func(at time.Duration, tpot time.Duration) float64 {
		p.predict(at, stating(request(99, 10), time.Second, tpot))
		return p.prediction.TpotHeadroom[0]
	}
	send := func(id int, tpot time.Duration) *policy.Request {
		r := stating(request(id, 10), time.Second, tpot)
		p.producer.Routed(p.predict(0, r), scheduler.Picks{Primary: 0, Prefill: scheduler.None})
		return r
	}
	check := func(what string, got, want float64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: headroom %v ms, want %v", what, got, want)
		}
	}
	check("idle", headroom(0, 40*ms), 19)
	first := send(1, 20*ms)
	check("a stricter one runs", headroom(0, 40*ms), 9)
	check("a laxer one runs", headroom(0, 10*ms), 4)
	second := send(2, 0)
	check("one that states none runs", headroom(0, 40*ms), 19)
	if got := p.prediction.Dispatched; got[0] != 2 || got[1] != 0 {
		t.Errorf("dispatched %v, want [2 0]", got)
	}
	p.producer.FirstToken(second, 0)
	p.producer.Finished(second, 0)
	check("that one is gone", headroom(0, 40*ms), 9)
	p.producer.Finished(first, 0)
	check("all are gone", headroom(0, 40*ms), 19)
}

func TestRequestsThatWaitTooLongAreForgotten(t *testing.T) {
	p := newPredictorTest(t, "{contextTTL: 60000000000}", config.Cluster{Endpoints: 1})
	var sent []*policy.Request
	for i, at := range []time.Duration{0, 10, 20} {
		r := request(i, 10)
		p.producer.Routed(p.predict(at*time.Second, r), scheduler.Picks{Primary: 0, Prefill: scheduler.None})
		sent = append(sent, r)
	}
	p.producer.FirstToken(sent[1], 0)
	for _, tc := range []struct {
		at   time.Duration
		want int
	}{{59, 3}, {60, 2}, {79, 2}, {80, 1}, {1000, 1}} {
		p.predict(tc.at*time.Second, request(99, 10))
		if got := p.prediction.Dispatched[0]; got != tc.want {
			t.Errorf("after %d s: %d dispatched, want %d", tc.at, got, tc.want)
		}
	}
	for _, r := range sent { // whoever was forgotten is not counted twice
		p.producer.Finished(r, 0)
	}
	p.predict(1001*time.Second, request(99, 10))
	if got := p.prediction.Dispatched[0]; got != 0 {
		t.Errorf("at the end: %d dispatched, want 0", got)
	}
}

func TestPredictionsAreOffByTheStatedError(t *testing.T) {
	const rounds, stated = 4000, 0.05
	p := newPredictorTest(t, "{streamingMode: true}", config.Cluster{Endpoints: 2, Prediction: config.PredictionModel{Error: stated}})
	sum, bias, same := 0.0, 0.0, 0
	for i := range rounds {
		p.predict(0, request(i, 1000))
		off := p.prediction.Ttft[0]/1000 - 1
		if math.Abs(off) > 2*stated {
			t.Fatalf("request %d: off by %v, more than twice the mean", i, off)
		}
		sum, bias = sum+math.Abs(off), bias+off
		if p.prediction.Ttft[0] == p.prediction.Ttft[1] || p.prediction.Ttft[0]/1000 == p.prediction.Tpot[0] {
			same++
		}
	}
	if mean := sum / rounds; math.Abs(mean-stated) > 0.002 {
		t.Errorf("off by %v on average, want %v", mean, stated)
	}
	if math.Abs(bias/rounds) > 0.003 {
		t.Errorf("a bias of %v", bias/rounds)
	}
	if same > 0 {
		t.Errorf("%d times the same error for another endpoint or latency", same)
	}
}

// A request's prediction does not depend on what was predicted before.
func TestErrorsFollowFromRequestAndEndpoint(t *testing.T) {
	cluster := config.Cluster{Endpoints: 2, Prediction: config.PredictionModel{Error: 0.2}}
	a, b := newPredictorTest(t, "{}", cluster), newPredictorTest(t, "{}", cluster)
	for i := range 5 {
		a.predict(0, request(i, 1000))
	}
	b.predict(0, request(4, 1000))
	if diff := cmp.Diff(a.prediction.Ttft, b.prediction.Ttft); diff != "" {
		t.Errorf("predictions of request 4 (-after others +alone):\n%s", diff)
	}
}

func TestPredictionsLag(t *testing.T) {
	const lag = 1600 * time.Millisecond
	p := newPredictorTest(t, "{}", config.Cluster{Endpoints: 1, Prediction: config.PredictionModel{Lag: lag}})
	load := p.Load(config.InFlightLoadProducerType)
	for ms := 0; ms <= 8000; ms += 20 {
		load.Tokens[0] = int64(ms)
		at := time.Duration(ms) * time.Millisecond
		p.predict(at, request(ms, 10))
		got := time.Duration(p.models[0].told.QueuedTokens) * time.Millisecond
		if at < lag {
			if got != 0 {
				t.Fatalf("at %v: load of %v, want none", at, got)
			}
			continue
		}
		if age := at - got; age < lag || age > lag+lag/historyParts+20*time.Millisecond {
			t.Fatalf("at %v: a load that is %v old, want %v", at, age, lag)
		}
	}
	if n := len(p.producer.past.notes); n > historyParts+2 {
		t.Errorf("%d loads are remembered", n)
	}
}

func TestNothingIsPredictedWhereThatIsOff(t *testing.T) {
	p := newPredictorTest(t, "{predictInProduce: false}", config.Cluster{Endpoints: 2})
	p.predict(0, request(0, 10))
	if diff := cmp.Diff([]bool{false, false}, p.prediction.Known); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
}

func TestEndpointsThatAreGoneHaveNoPrediction(t *testing.T) {
	p := newPredictorTest(t, "{}", config.Cluster{Endpoints: 2})
	view := idle(2)
	view.Down = []bool{true, false}
	p.producer.Produce(p.Begin(view, request(0, 10)))
	if diff := cmp.Diff([]bool{false, true}, p.prediction.Known); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
}

// Half of what was routed is forgotten in some 7 s, and what is held needs no
// computing.
func TestTheRateOfTokensIsLearnt(t *testing.T) {
	p := newPredictorTest(t, "{}", config.Cluster{Endpoints: 2})
	p.hold(4, 1, 0)
	for i := range 1000 { // 10 a second, 750 tokens of each to compute
		p.producer.Routed(p.predict(time.Duration(i)*100*time.Millisecond, request(i, 1000)), scheduler.Picks{Primary: 0, Prefill: scheduler.None})
	}
	p.predict(100*time.Second, request(1000, 10))
	if got := p.models[0].told.TokensPerSecond; math.Abs(got-7500) > 100 {
		t.Errorf("%v tokens a second, want 7500", got)
	}
	if got := p.models[1].told.TokensPerSecond; got != 0 {
		t.Errorf("%v tokens a second where nothing was routed", got)
	}
	p.predict(110*time.Second, request(1000, 10))
	if got := p.models[0].told.TokensPerSecond; math.Abs(got-7500/math.E) > 50 {
		t.Errorf("%v tokens a second ten seconds later, want %v", got, 7500/math.E)
	}
}

// With what the guides recommend, a request goes to the endpoint that meets its
// objectives with the least room to spare.
func TestRoutingByPredictedLatency(t *testing.T) {
	c := mustLoad(t, `
plugins:
- {type: predicted-latency-producer, parameters: {streamingMode: true}}
- {type: slo-headroom-tier-filter, parameters: {epsilonExploreNeg: 0}}
- {type: latency-scorer}
schedulingProfiles: [{name: default, plugins: [{pluginRef: slo-headroom-tier-filter}, {pluginRef: latency-scorer}]}]`)
	s := New(c, config.Cluster{Endpoints: 3, Latencies: []config.LatencyModel{fixedLatency(100), fixedLatency(300), fixedLatency(500)}}, 1)
	for _, tc := range []struct{ ttft, want int }{{1000, 2}, {400, 1}, {200, 0}} {
		r := stating(request(tc.ttft, 10), time.Duration(tc.ttft)*time.Millisecond, time.Second)
		if got := route(t, s, idle(3), r); got != tc.want {
			t.Errorf("TTFT of %d ms: endpoint %d, want %d", tc.ttft, got, tc.want)
		}
		s.Finished(r, 0)
	}
}

// fixedLatency is a time to the first token in ms.
type fixedLatency int

func (m fixedLatency) FirstToken(config.LatencyFeatures) time.Duration {
	return time.Duration(m) * time.Millisecond
}
func (fixedLatency) NextToken(config.LatencyFeatures) time.Duration { return time.Millisecond }
