// SPDX-License-Identifier: Apache-2.0

package live

import (
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/live/epp/epptest"
	policy "windtunnel.dev/windtunnel/pkg/policy/epp"
)

const precisePrefixSample = "../../config/samples/simulationrun-precise-prefix.yaml"

// preciseConfig is an EPP with an index for each kvEventsConfig; the first one hears of endpoints.
func preciseConfig(events ...string) string {
	config := "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- {type: token-producer, parameters: {modelName: llama}}\n- type: endpoint-notification-source\n"
	for i, of := range events {
		config += "- {name: " + string(rune('a'+i)) + ", type: precise-prefix-cache-producer, parameters: {kvEventsConfig: " + of + "}}\n"
	}
	return config + "dataLayer: {sources: [{pluginRef: endpoint-notification-source, extractors: [{pluginRef: a}]}]}\n"
}

func TestReplicasPublishWhereTheEPPReads(t *testing.T) {
	for name, tc := range map[string]struct {
		config         string
		events, replay string
		addresses      []string
		fault          string
	}{
		"nowhere":            {config: "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"},
		"at a port of each":  {config: preciseConfig("{podDiscoveryConfig: {socketPort: 6000, replaySocketPort: 6001}}"), events: "tcp://*:6000", replay: "tcp://*:6001", addresses: []string{"127.0.0.1", "127.0.0.2"}},
		"by default":         {config: preciseConfig("{}"), events: "tcp://*:5557", addresses: []string{"127.0.0.1", "127.0.0.2"}},
		"undiscovered":       {config: preciseConfig("{discoverPods: false}")},
		"at one of the EPP":  {config: preciseConfig("{zmqEndpoint: 'tcp://*:6000'}"), events: "tcp://127.0.0.1:6000"},
		"at any address":     {config: preciseConfig("{zmqEndpoint: 'tcp://0.0.0.0:6000'}"), events: "tcp://127.0.0.1:6000"},
		"at a loopback one":  {config: preciseConfig("{zmqEndpoint: 'tcp://127.0.0.9:6000'}"), events: "tcp://127.0.0.9:6000"},
		"another machine":    {config: preciseConfig("{zmqEndpoint: 'tcp://10.0.0.9:6000'}"), fault: `plugin a: kvEventsConfig.zmqEndpoint "tcp://10.0.0.9:6000": the EPP of a rehearsal listens on this machine: use tcp://*:PORT`},
		"no address":         {config: preciseConfig("{zmqEndpoint: 'ipc:///tmp/events'}"), fault: "use tcp://*:PORT"},
		"two of one port":    {config: preciseConfig("{zmqEndpoint: 'tcp://*:6000'}", "{zmqEndpoint: 'tcp://*:6000'}"), events: "tcp://127.0.0.1:6000"},
		"two of two ports":   {config: preciseConfig("{}", "{zmqEndpoint: 'tcp://*:6000'}"), fault: "plugin b: kvEventsConfig: all plugins must read KV events at the same address and ports"},
		"as another engine":  {config: preciseConfig("{engineType: sglang}"), fault: "plugin a: kvEventsConfig.engineType sglang: the replicas publish KV events as vllm does"},
		"as vLLM, by itself": {config: preciseConfig("{engineType: vllm}"), events: "tcp://*:5557", addresses: []string{"127.0.0.1", "127.0.0.2"}},
	} {
		t.Run(name, func(t *testing.T) {
			config, errs := policy.Load([]byte(tc.config), "router-main", field.NewPath("config"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			var o engineOptions
			if err := o.publishAsRead(config, 2); err != nil || tc.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fault) || tc.fault == "" {
					t.Errorf("the error is %v, want %q", err, tc.fault)
				}
				return
			}
			if diff := cmp.Diff([]string{tc.events, tc.replay}, []string{o.kvEvents, o.kvReplay}); diff != "" {
				t.Errorf("addresses of events (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.addresses, o.addresses); diff != "" {
				t.Errorf("addresses of replicas (−want +got):\n%s", diff)
			}
		})
	}
}

// TestWhereAPrivateEPPReadsKVEvents has plugins that Windtunnel does not know, which a profile and a source name too.
func TestWhereAPrivateEPPReadsKVEvents(t *testing.T) {
	private := strings.Replace(preciseConfig("{podDiscoveryConfig: {socketPort: 6000}}"), "extractors: [", "extractors: [{pluginRef: ours}, ", 1)
	private = strings.Replace(private, "plugins:\n", "plugins:\n- {type: ours}\n- {type: theirs, parameters: [1]}\n", 1) +
		"schedulingProfiles: [{name: default, plugins: [{pluginRef: ours, weight: 2}, {pluginRef: a}]}]\nours: {}\n"
	for name, tc := range map[string]struct{ config, events, fault string }{
		"an index":       {config: private, events: "tcp://*:6000"},
		"none":           {config: "kind: EndpointPickerConfig\napiVersion: llm-d.ai/v1alpha1\nplugins: [{type: ours}]\n"},
		"no YAML":        {config: "a: [", fault: "yaml"},
		"a broken index": {config: strings.Replace(private, "6000", "x", 1), fault: "socketPort"},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := eventsOf([]byte(tc.config), "router-main")
			if tc.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fault) {
					t.Errorf("the error is %v, want %q", err, tc.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var o engineOptions
			if err := o.publishAsRead(loaded, 2); err != nil || o.kvEvents != tc.events {
				t.Errorf("events at %q, want %q; error %v", o.kvEvents, tc.events, err)
			}
		})
	}
}

// TestARehearsalOfPrecisePrefixCaching has prompts whose beginnings the simulated replicas hold. The EPP reads events
// at a port of each replica, with and without asking for missed ones, and at a port of its own.
func TestARehearsalOfPrecisePrefixCaching(t *testing.T) {
	binary := epptest.Binary(t)
	sample := testfile.Read(t, precisePrefixSample)
	const events = "{podDiscoveryConfig: {socketPort: 5557}}"
	for name, stated := range map[string]string{
		"a port of each":   "{podDiscoveryConfig: {socketPort: " + freePort(t) + "}}",
		"missed ones":      "{podDiscoveryConfig: {socketPort: " + freePort(t) + ", replaySocketPort: " + freePort(t) + "}}",
		"one of the EPP's": "{zmqEndpoint: 'tcp://127.0.0.1:" + freePort(t) + "'}",
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"-f", writeManifest(t, strings.Replace(string(sample), events, stated, 1)), "--epp", binary, "-o", "json",
				"--set", "horizon.requests=150", "--set", "workload.clients[agent].arrivals.rate=60", "--set", "horizon.warmup=0s", "--ttft", "10", "--tpot", "10", "--decisions", "0.8", "--shares", "0.1"}
			out, err := runRehearse(t, args...)
			if err != nil {
				t.Fatal(err, out)
			}
			got := jsontest.Decode[rehearsal](t, []byte(out))
			for _, f := range got.Figures {
				if f.Metric == "cacheHit.gpu" && f.Live < 0.3 {
					t.Errorf("%.0f %% of the prompts' tokens were cached", 100*f.Live)
				}
			}
		})
	}
}

// freePort is a port that nothing listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
