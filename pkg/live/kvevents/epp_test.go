// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/live/epp/epptest"
	"windtunnel.dev/windtunnel/pkg/live/picker"
)

// preciseConfig is an EPP whose score of an endpoint is the share of a prompt's blocks that it holds, by the KV events
// at a port of the endpoint.
const preciseConfig = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: endpoint-notification-source
- {type: precise-prefix-cache-producer, parameters: {kvEventsConfig: {podDiscoveryConfig: {socketPort: %s}}}}
- {type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}}
dataLayer: {sources: [{pluginRef: endpoint-notification-source, extractors: [{pluginRef: precise-prefix-cache-producer}]}]}
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-scorer}]}]
`

// TestARealEPPReadsTheSockets has an EPP hear the events of the golden set over the replicas' sockets. Its scores are
// what its index finds, which are the recorded answers.
func TestARealEPPReadsTheSockets(t *testing.T) {
	epptest.Binary(t)
	type answer struct{ Want [][]int }
	for i, recorded := range realcode.Answers[answer](t, answersPath) {
		t.Run(fmt.Sprintf("session %d", i), func(t *testing.T) {
			t.Parallel()
			s := recordOne(t, int64(i))
			_, port, err := net.SplitHostPort(freeEndpoint(t)[len("tcp://"):])
			if err != nil {
				t.Fatal(err)
			}
			var sockets []Options
			var endpoints []epp.Endpoint
			for _, pod := range s.Pods {
				at := netip.MustParseAddrPort(pod)
				sockets = append(sockets, Options{
					Address: Address{Endpoint: "tcp://" + net.JoinHostPort(at.Addr().String(), port), Binds: true},
					Pod:     pod, Model: model, BlockTokens: blockTokens, Format: Format(i % 2), Now: time.Now,
				})
				endpoints = append(endpoints, epp.Endpoint{Name: fmt.Sprintf("replica-%d", len(endpoints)), Address: at})
			}
			p := publish(t, sockets)
			process := epptest.Run(t, epp.Options{Config: fmt.Appendf(nil, preciseConfig, port), Endpoints: endpoints})
			if err := p.AwaitReaders(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, e := range s.events {
				p.Hear(e)
			}
			client, err := picker.NewClient(process.Address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Close() })
			// The last events arrive in their own time.
			var got [][]int
			for deadline := time.Now().Add(10 * time.Second); !cmp.Equal(recorded.Want, got) && time.Now().Before(deadline); {
				got = scored(t, client, &s.session)
			}
			if diff := cmp.Diff(recorded.Want, got); diff != "" {
				t.Errorf("blocks of each prompt in each replica (−recorded +EPP):\n%s", diff)
			}
		})
	}
}

// publish opens sockets, and sends what is heard until the test ends.
func publish(t *testing.T, sockets []Options) *Publisher {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	p, err := Open(ctx, sockets)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		p.Close()
	})
	return p
}

// scored are the blocks of each prompt in each replica, of the scores that an EPP tells.
func scored(t *testing.T, client *picker.Client, s *session) (all [][]int) {
	t.Helper()
	for _, a := range s.Prompts {
		body := jsontest.Encode(t, map[string]any{"model": a.Model, "prompt": a.Tokens})
		e, err := client.Pick(t.Context(), picker.Request{Path: "/v1/completions", Body: body, Header: http.Header{"Content-Type": {"application/json"}}})
		if err != nil {
			t.Fatal(err)
		}
		e.Close()
		var blocks []int
		for _, pod := range s.Pods {
			blocks = append(blocks, int(math.Round(e.Scores[pod]*float64(len(a.Tokens)/blockTokens))))
		}
		all = append(all, blocks)
	}
	return all
}
