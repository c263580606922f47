// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// burstConfig waits for bursts, with prompts in blocks of 4 tokens, and with or
// without flow control in front.
const burstConfig = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [%s]
plugins:
- type: token-producer
  parameters: {modelName: m, vllm: {url: "http://render"}}
- type: burst-prefix-cache-producer
  parameters: {windowDurationMs: 1, blockSizeTokens: 4, minColocateBlocks: 1, maxPerReplica: 2, maxBatchSize: 6}
- type: prefix-cache-scorer
  parameters: {prefixMatchInfoProducerName: burst-prefix-cache-producer}
- type: queue-scorer
- type: active-request-scorer
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: prefix-cache-scorer, weight: 2}
  - {pluginRef: queue-scorer}
  - {pluginRef: active-request-scorer}
`

// A traced EPP keeps a log of what it decides.
type tracedPicker struct {
	policy.Routing
	log []string
	// together and alone count the requests that an endpoint was chosen for, and
	// those that none was.
	together, alone int
}

func newTracedPicker(t *testing.T, run *simulator.Config, gates string) *tracedPicker {
	c, errs := epp.Load(fmt.Appendf(nil, burstConfig, gates), "router-v0.10", nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	p := &tracedPicker{}
	s := epp.NewReplicas(c, config.Cluster{Endpoints: endpointsOf(run)}, 1+int(run.Seed%2), run.Seed)
	s.Explain(func(x *scheduler.Explanation) {
		if len(x.Prefixes) > 0 && slices.Max(x.Prefixes[0].Blocks) > 0 {
			p.together++
		} else {
			p.alone++
		}
		p.log = append(p.log, fmt.Sprint(x.Request.ID, " at ", x.AtSeconds, " by ", x.Prefixes, x.Error))
	})
	p.Routing = s.Routing()
	return p
}

// slow makes a random cluster so slow that some requests fall into one window.
func slow(config *simulator.Config) {
	const by = 20_000
	config.ScrapeInterval *= by
	config.Horizon.Duration *= by
	config.Horizon.WarmUp *= by
	for i := range config.Disruptions {
		config.Disruptions[i].At *= by
	}
	for i := range config.Pools {
		timer := config.Pools[i].Timer.(mixedStep)
		config.Pools[i].Timer = mixedStep{timer.base * by, timer.token * by, timer.read * by}
	}
	requests := config.Source.(*script).requests
	for i := range requests {
		requests[i].Arrival *= by
	}
}

// An EPP that waits for bursts, alone or as one of two, with flow control and
// without, decides the same in both engines, whatever fails meanwhile.
func TestBurstsAgainstPlain(t *testing.T) {
	together, alone := 0, 0
	for _, gates := range []string{"", "flowControl"} {
		for seed := range int64(200) {
			told := compareBursts(t, randomChoices(seed, 120, 500), gates)
			together, alone = together+told.together, alone+told.alone
			if t.Failed() {
				t.Fatalf("scenario %d, %s", seed, gates)
			}
		}
	}
	if together < 1000 || alone < 1000 {
		t.Errorf("%d requests were placed, %d were not", together, alone)
	}
}

func FuzzBurstsAgainstPlain(f *testing.F) {
	for seed := range int64(20) {
		f.Add(randomBytes(seed), seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, flowControl bool) {
		switch {
		case len(data) >= 2000:
		case flowControl:
			compareBursts(t, data, "flowControl")
		default:
			compareBursts(t, data, "")
		}
	})
}

// compareBursts runs a cluster on both engines, and returns its EPP.
func compareBursts(t *testing.T, data []byte, gates string) *tracedPicker {
	t.Helper()
	config := func() (simulator.Config, *tracedPicker) {
		c := randomConfigWith(data, randomDisruptions, randomTiers)
		slow(&c)
		p := newTracedPicker(t, &c, gates)
		c.Policies.Routing = p.Routing
		return c, p
	}
	plain, told := config()
	want := runPlain(plain)
	fast, heard := config()
	got, err := Run(context.Background(), fast)
	if err != nil {
		t.Fatal(err)
	}
	forgetLinks(got)
	if diff := difference(want, got); diff != "" {
		t.Errorf("outcome (-plain +got):\n%s", diff)
	}
	if diff := cmp.Diff(told.log, heard.log); diff != "" {
		t.Errorf("decisions (-plain +got):\n%s", diff)
	}
	return told
}
