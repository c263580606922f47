// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// blindScenario is what both sides of a comparison have, with places for what cases fill in.
const blindScenario = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: blind}
spec:
  replications: {seed: 1, count: 2}
  scenario:
    horizon: {HORIZON}
    pools:
POOLS
ROUTER
    workload:
      clients:
CLIENTS
EXTRA`

const (
	blindPools = `    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 4}`
	// pools of which one has room for some requests only.
	blindSmallPools = `    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2, kvCache: {blocks: 400}, engine: {maxNumSeqs: 32}}`
	blindPlain      = `      - {name: chat, arrivals: {rate: "30"}, inputTokens: {distribution: Uniform, min: 200, max: 1200}, outputTokens: {mean: "100"}}`
)

// blindEPP is a router of an EPP with a scorer beside that of the queue.
func blindEPP(scorer string) string {
	return `    router:
      endpointPickerConfig:
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          plugins:
          - type: active-request-scorer
          - type: ` + scorer + `
          schedulingProfiles:
          - name: default
            plugins:
            - {pluginRef: active-request-scorer, weight: 1}
            - {pluginRef: ` + scorer + `, weight: 2}`
}

const blindNative = "    router: {policies: {routing: {policy: least-loaded}}}"

const blindFlowControl = `    router:
      endpointPickerConfig:
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          featureGates: [flowControl]
          plugins:
          - type: queue-scorer
          - type: utilization-detector
            parameters: {queueDepthThreshold: 4}
          flowControl:
            saturationDetector: {pluginRef: utilization-detector}
            priorityBands:
            - {priority: 10, maxRequests: "40"}
            - {priority: 0, maxRequests: "40"}
          schedulingProfiles:
          - {name: default, plugins: [{pluginRef: queue-scorer, weight: 1}]}`

const blindDisaggregated = `    disaggregation: {network: {device: network-400gbit}}
    router:
      endpointPickerConfig:
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          plugins:
          - type: disagg-profile-handler
            parameters: {deciders: {prefill: prefix-based-pd-decider}}
          - type: prefix-based-pd-decider
            parameters: {nonCachedTokens: 512}
          - type: prefill-filter
          - type: decode-filter
          - type: queue-scorer
          - type: prefix-cache-scorer
          schedulingProfiles:
          - {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: queue-scorer, weight: 2}]}
          - {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: queue-scorer, weight: 2}, {pluginRef: prefix-cache-scorer, weight: 1}]}`

const blindRoles = `    - {name: prefill, role: Prefill, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 1}
    - {name: decode, role: Decode, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}`

const blindScaler = `    scalers:
    - {name: llama, pools: [llama], minReplicas: 2, maxReplicas: 4, policy: queue-length, parameters: {target: "5"}}
    router: {policies: {routing: {policy: least-loaded}}}`

const blindScaledPools = `    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2, startup: {modelLoad: 10s}, engine: {maxNumSeqs: 16}}`

func clientOf(rate, more string) string {
	return strings.NewReplacer(`"30"`, `"`+rate+`"`, `mean: "100"}}`, `mean: "100"}`+more+`}`).Replace(blindPlain)
}

// blindCases are changes with a workload or a load that cannot show them, and with one that
// looks alike and can.
var blindCases = map[string]struct {
	pools, router, extra string
	horizon              string
	was, is              string
	blind, seeing        string
	// seeingPools stand in place of the pools where the load is the same.
	seeingPools string
	why         string
}{
	"the weight of prefixes without shared prefixes": {
		router: blindEPP("prefix-cache-scorer"), was: "prefix-cache-scorer, weight: 2", is: "prefix-cache-scorer, weight: 0.3",
		blind: blindPlain, seeing: clientOf("120", `, copies: {count: 6, prefixes: Own}, prefix: {group: system, tokens: 2048}`),
		why: "no prompt found its beginning in a cache",
	},
	"the weight of adapters without adapters": {
		pools:  strings.Replace(blindPools, "replicas: 4", "replicas: 4, adapters: {max: 2, loadTime: 100ms}", 1),
		router: blindEPP("lora-affinity-scorer"), was: "lora-affinity-scorer, weight: 2", is: "lora-affinity-scorer, weight: 9",
		blind: blindPlain, seeing: clientOf("30", `, copies: {count: 6}, adapter: tuned`),
		why: "no request asks for a LoRA adapter",
	},
	"session affinity without sessions": {
		router: blindEPP("session-affinity-scorer"), was: "session-affinity-scorer, weight: 2", is: "session-affinity-scorer, weight: 0",
		blind: blindPlain, seeing: clientOf("10", `, sessions: {concurrent: 20, turns: {mean: "6"}, maxTokens: 8000}`),
		why: "no request belongs to a session",
	},
	"priorities of the engine with one priority": {
		pools: blindSmallPools, router: blindNative, was: "maxNumSeqs: 32", is: "maxNumSeqs: 32, scheduler: Priority",
		blind: clientOf("20", ""), seeing: clientOf("16", "") + "\n" + strings.Replace(clientOf("4", ", priority: 5"), "chat", "urgent", 1),
		why: "",
	},
	"bands of priorities with one priority": {
		router: blindFlowControl, was: `priority: 10, maxRequests: "40"`, is: `priority: 10, maxRequests: "4"`,
		pools: blindSmallPools,
		blind: clientOf("60", ""), seeing: clientOf("20", "") + "\n" + strings.Replace(clientOf("40", ", priority: 10"), "chat", "urgent", 1),
		why: "all requests have the same priority",
	},
	"flow control that never saturates": {
		router: blindFlowControl, was: "queueDepthThreshold: 4", is: "queueDepthThreshold: 2",
		blind: clientOf("2", ""), seeing: blindPlain, seeingPools: blindSmallPools,
		why: "no request was held back or refused",
	},
	"a P/D decider with one length": {
		pools: blindRoles, router: blindDisaggregated, was: "nonCachedTokens: 512", is: "nonCachedTokens: 900",
		blind: strings.Replace(clientOf("5", ""), "distribution: Uniform, min: 200, max: 1200", `mean: "1000"`, 1), seeing: clientOf("5", ""),
		why: "all prompts have the same length",
	},
	"a lower tier that nothing overflows into": {
		pools:  strings.Replace(blindPools, "replicas: 4", "replicas: 4, kvCache: {blocks: 4000}", 1),
		router: blindEPP("prefix-cache-scorer"), was: "{blocks: 4000}", is: "{blocks: 4000, tiers: [{kind: CPU, blocks: 32768}], link: {device: pcie-gen4-x16}}",
		blind:  clientOf("5", `, copies: {count: 6, prefixes: Own}, prefix: {group: system, tokens: 2048}`),
		seeing: clientOf("20", `, copies: {count: 80, prefixes: Own}, prefix: {group: system, tokens: 4096}`),
		why:    "no KV block came back from a lower tier",
	},
	"a scaler under constant load": {
		pools: blindScaledPools, router: blindScaler, horizon: "duration: 3m", was: `target: "5"`, is: `target: "8"`,
		blind: clientOf("1", ""), seeing: clientOf("26", ""),
		why: "no scaler changed the number of replicas",
	},
	"a limit of the admission that is never reached": {
		router: "    router: {policies: {routing: {policy: least-loaded}}, admission: {policy: ADMISSION}}", was: `rate: "900"`, is: `rate: "40"`,
		blind: clientOf("5", ""), seeing: clientOf("80", ""),
		why: "no request was held back or refused",
	},
	"a hint of chunks without a prompt of two": {
		router: "    router: {policies: {routing: {policy: least-loaded}}, priority: {policy: class, parameters: {prefillChunk: \"5000\"}}}", was: `prefillChunk: "5000"`, is: `prefillChunk: "1300"`,
		blind: blindPlain, seeing: strings.Replace(blindPlain, "max: 1200", "max: 4000", 1),
		why: "no request computed its prompt in other chunks",
	},
	"a victim where nothing is preempted": {
		router: blindNative, was: "replicas: 4", is: "replicas: 4, engine: {victim: MostBlocks}",
		blind: clientOf("5", ""), seeing: strings.Replace(clientOf("40", ""), `mean: "100"`, `mean: "900"`, 1),
		seeingPools: `    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, kvCache: {blocks: 600}, replicas: 4}`,
		why:         "no request was preempted",
	},
	// Two replicas serve 1 request/s for ever: there is room for more in either maximum.
	"a maximum that no scaler asks for": {
		pools: blindScaledPools, router: blindScaler, horizon: "duration: 3m", was: "maxReplicas: 4", is: "maxReplicas: 9",
		blind: clientOf("1", ""), seeing: clientOf("90", ""),
		why: "no scaler changed the number of replicas",
	},
	"the fairness between tenants of which there is one": {
		router: strings.NewReplacer(
			"priorityBands:\n            - {priority: 10, maxRequests: \"40\"}\n            - {priority: 0, maxRequests: \"40\"}", "defaultPriorityBand: {fairnessPolicyRef: global-strict-fairness-policy}",
			"- type: queue-scorer\n", "- type: queue-scorer\n          - type: global-strict-fairness-policy\n          - type: round-robin-fairness-policy\n",
		).Replace(blindFlowControl),
		was: "{fairnessPolicyRef: global-strict", is: "{fairnessPolicyRef: round-robin", pools: blindSmallPools,
		blind: clientOf("60", ""), seeing: clientOf("30", ", tenant: one") + "\n" + strings.Replace(clientOf("90", ", tenant: two"), "chat", "urgent", 1),
		why: "all requests are of one tenant",
	},
	"which KV blocks to evict where none are": {
		router: blindNative, was: "{blocks: ", is: "{eviction: LFU, blocks: ",
		pools:       strings.Replace(blindPools, "replicas: 4", "replicas: 4, kvCache: {blocks: 40000}", 1),
		seeingPools: strings.Replace(blindPools, "replicas: 4", "replicas: 4, kvCache: {blocks: 4000}", 1),
		blind:       clientOf("5", ""), seeing: clientOf("20", `, copies: {count: 80, prefixes: Own}, prefix: {group: system, tokens: 4096}`),
		why: "no KV block was evicted",
	},
	"retries where no attempt fails": {
		router: `    router: {policies: {routing: {policy: least-loaded}}, admission: {policy: token-bucket, parameters: {rate: "20", burst: "10"}}}`,
		was:    "retry: {max: 1}", is: "retry: {max: 5}",
		blind: clientOf("2", ", retry: {max: 1}"), seeing: clientOf("60", ", retry: {max: 1}"),
		why: "no attempt was refused or given up",
	},
	"a timeout that no request reaches": {
		router: blindNative, was: "total: 600s", is: "total: 9s", pools: blindSmallPools,
		blind: clientOf("2", ", timeout: {total: 600s}"), seeing: clientOf("60", ", timeout: {total: 600s}"),
		why: "no client gave a request up",
	},
}

// comparison runs compare on two manifests and returns its change and its exit code.
func comparison(t *testing.T, before, after string) (*result.Change, string, int) {
	t.Helper()
	printed, err := windtunnel(t, "compare", cmdtest.TempFile(t, "a.yaml", before), cmdtest.TempFile(t, "b.yaml", after), "-o", "json",
		"--gate", "throughput.outputTokens>=-99%", "--gate", "completionRate>=0%")
	code := cli.ExitCode(err)
	var out struct {
		Change  *result.Change
		Verdict string
	}
	if err := json.Unmarshal([]byte(printed), &out); err != nil || out.Change == nil {
		t.Fatalf("%v: exit code %d\n%s", err, code, printed)
	}
	return out.Change, out.Verdict, code
}

// TestChangesThatNothingExercisesAreUndecided: though every figure keeps to the gates. The same
// change under a workload that exercises it is judged.
func TestChangesThatNothingExercisesAreUndecided(t *testing.T) {
	for name, tc := range blindCases {
		scenario := func(pools, clients string) (before, after string) {
			if pools == "" {
				pools = blindPools
			}
			horizon := tc.horizon
			if horizon == "" {
				horizon = "requests: 300"
			}
			before = strings.NewReplacer("HORIZON", horizon, "POOLS", pools, "ROUTER", tc.router, "CLIENTS", clients, "EXTRA", tc.extra).Replace(blindScenario)
			before = strings.Replace(before, "ADMISSION", `token-bucket, parameters: {rate: "900", burst: "20"}`, 1)
			after = strings.Replace(before, tc.was, tc.is, 1)
			if after == before {
				t.Fatalf("%s: nothing changes", name)
			}
			return before, after
		}
		t.Run(name, func(t *testing.T) {
			before, after := scenario(tc.pools, tc.blind)
			change, verdict, code := comparison(t, before, after)
			if code != cli.ExitUnknown || change.EqualSeeds != 2 || !strings.Contains(verdict, tc.why) || !strings.HasPrefix(verdict, "undecided: 0 of ") {
				t.Errorf("exit code %d, %+v, %s", code, change, verdict)
			}
		})
		t.Run(name+", but exercised", func(t *testing.T) {
			pools := tc.pools
			if tc.seeingPools != "" {
				pools = tc.seeingPools
			}
			before, after := scenario(pools, tc.seeing)
			change, verdict, code := comparison(t, before, after)
			if code == cli.ExitUnknown || change.Unexercised != "" || change.EqualSeeds == change.Seeds {
				t.Errorf("exit code %d, %+v, %s", code, change, verdict)
			}
		})
	}
}

// TestWhatDoesNothingInAnEPPFileIsTheSameConfiguration: the order in which plugins are declared,
// that of the scorers of a profile, whose sum is taken, and names of plugins. It passes, with
// that reason. Another order of filters is another configuration.
func TestWhatDoesNothingInAnEPPFileIsTheSameConfiguration(t *testing.T) {
	for name, tc := range map[string]struct {
		was, is string
		code    int
	}{
		"order of plugins": {"          - type: active-request-scorer\n          - type: prefix-cache-scorer", "          - type: prefix-cache-scorer\n          - type: active-request-scorer", cli.ExitOK},
		"order of scorers": {
			"{pluginRef: active-request-scorer, weight: 1}\n            - {pluginRef: prefix-cache-scorer, weight: 2}",
			"{pluginRef: prefix-cache-scorer, weight: 2}\n            - {pluginRef: active-request-scorer, weight: 1}", cli.ExitOK,
		},
		"a name":                      {"type: active-request-scorer", "{name: load, type: active-request-scorer}", cli.ExitOK},
		"a weight that tells nothing": {"prefix-cache-scorer, weight: 2", "prefix-cache-scorer, weight: 3", cli.ExitUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			before := strings.NewReplacer("HORIZON", "requests: 100", "POOLS", blindPools, "ROUTER", blindEPP("prefix-cache-scorer"), "CLIENTS", blindPlain, "EXTRA", "").Replace(blindScenario)
			after := strings.Replace(before, tc.was, tc.is, 1)
			if name == "a name" {
				after = strings.Replace(after, "{pluginRef: active-request-scorer", "{pluginRef: load", 1)
			}
			change, verdict, code := comparison(t, before, after)
			if code != tc.code || after == before || change.SameConfiguration != (tc.code == cli.ExitOK) || strings.Contains(verdict, "both sides have the same effective configuration") != (tc.code == cli.ExitOK) {
				t.Errorf("exit code %d, %+v, %s", code, change, verdict)
			}
		})
	}
}
