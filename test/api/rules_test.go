// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// A ruleTable has values that a CEL rule lets pass and values that it refuses,
// for every place of the schema where the rule stands. A value is a scalar, or
// the fields of the object to set or to take out.
type ruleTable struct {
	good, bad []any
}

// fields are set in the object that a rule is about. Names may be paths.
type fields map[string]any

var gone = removed{}

var thresholdsRef = object{"name": "ours", "key": "thresholds.yaml"}

// calm is a workload of a sweep.
var calm = object{"name": "calm", "sources": []any{"chat"}}

var proposedConfig = object{"endpointPickerConfig": object{"inline": "kind: EndpointPickerConfig"}}

// noScaler leaves out every field that a scaler may have by its kind.
var noScaler = fields{
	"policy": gone, "horizontalPodAutoscaler": gone, "scaledObject": gone, "podAutoscaler": gone,
	"workloadVariantAutoscaler": gone, "minReplicas": gone, "maxReplicas": gone, "parameters": gone, "trigger": gone,
}

// Scalers by a policy, and by a manifest of each kind.
var (
	policyScaler = changed(noScaler, fields{"policy": "fixed", "minReplicas": 1, "maxReplicas": 9})
	hpaScaler    = changed(noScaler, fields{"horizontalPodAutoscaler": object{"inline": "x"}})
	wvaScaler    = changed(noScaler, fields{"workloadVariantAutoscaler": object{"inline": "x"}, "maxReplicas": 9})
	kedaScaler   = changed(noScaler, fields{"scaledObject": object{"inline": "x"}})
	aibrixScaler = changed(noScaler, fields{"podAutoscaler": object{"inline": "x"}})
)

// changed are fields with other values for some.
func changed(all, some fields) fields {
	all = maps.Clone(all)
	maps.Copy(all, some)
	return all
}

// Sweeps of the five modes, without what their modes must not have.
var (
	proposed = fields{"rollout": gone, "proposal": proposedConfig, "parameters": gone, "baseline": gone, "search": gone, "scenario.routers": gone, "scenario.router": object{"endpointPickerConfig": object{"inline": "x"}}}
	rolled   = fields{"rollout": object{"backend": "a", "steps": []any{int64(25), int64(100)}}, "proposal": gone, "parameters": gone, "rules": gone, "baseline": gone, "promote": gone, "search": gone, "follow": gone, "gates": []any{gate}, "scenario.router": gone, "scenario.routers": twoRouters, "scenario.route": toTwoRouters}
	measured = changed(varied, fields{"search": capacity, "constraints": []any{constraint}, "objectives": gone, "gates": gone, "promote": gone})
	varied   = fields{"rollout": gone, "proposal": gone, "parameters": []any{weight}, "baseline": gone}
	alone    = fields{"rollout": gone, "proposal": gone, "parameters": gone, "baseline": gone, "rules": gone, "follow": gone, "gates": gone, "promote": gone, "search": gone, "workloads": []any{calm}}
)

// searchBy is a sweep whose search has an algorithm and some of the settings.
func searchBy(algorithm string, settings object) fields {
	search := object{"algorithm": algorithm}
	maps.Copy(search, settings)
	return fields{"search": search}
}

// rules are keyed by the rule's message.
var rules = map[string]ruleTable{
	// Numbers written as strings.
	`must be a decimal in quotes, such as "2.5"`: {
		good: []any{"2.5", "0", "-1", "-0.25", "007"},
		bad:  []any{"", "abc", "1e3", "1.", ".5", "+1", " 1", "1 ", "0x10", "1,5", "NaN", "--1"},
	},
	`must be a decimal above 0 in quotes, such as "2.5"`: {
		good: []any{"2.5", "0.001", "10"},
		bad:  []any{"0", "0.00", "-1", "1e3", "abc", ".5"},
	},
	`must be a decimal of 0 or more in quotes, such as "2.5"`: {
		good: []any{"2.5", "0", "0.0"},
		bad:  []any{"-1", "-0", "1e3", "abc", ".5"},
	},
	`must be a decimal from 0 to 99999999 in quotes, such as "2.5"`: {
		good: []any{"2.5", "0", "99999999.9"},
		bad:  []any{"-1", "100000000", "1e3", "abc", ".5"},
	},
	`must be greater than 0 and at most 1, such as "0.9"`: {
		good: []any{"1", "1.0", "0.9", "0.001", "01.00"},
		bad:  []any{"0", "0.0", "1.1", "1.01", "2", "11", "-0.5", "abc"},
	},

	`must be greater than 0 and less than 1, such as "0.5"`: {
		good: []any{"0.5", "0.001", "00.95", "0.9999"},
		bad:  []any{"0", "0.0", "1", "1.0", "1.5", "-0.5", ".5", "0.", "abc"},
	},
	`must be from 0 to 1, such as "0.6"`: {
		good: []any{"0", "0.0", "0.6", "1", "1.0"},
		bad:  []any{"1.01", "2", "10", "0.", ".5"},
	},
	`must be a number of bytes greater than 0 in quotes, such as "512Gi" or "7G"`: {
		good: []any{"1", "7G", "512Gi", "28.5G", "0.5Ti", "1k", "1Ki", "64P"},
		bad:  []any{"0", "0Gi", "-7G", "7g", "7 G", "1e9", "7GB", "7Gi/s", "1ki", "K", ".5G", "1m", "1E", "abc"},
	},

	// Names of other objects.
	"must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts": {
		good: []any{"a", "0", "traces", "team-a.prompts", "a.b-c.d0"},
		bad:  []any{"../x/y", "100%", "Traces", "a_b", "-a", "a-", "a..b", ".a", "a.", "a/b", "a b", "é"},
	},
	"must be the key of a ConfigMap: letters, digits, -, _ and ., such as epp.yaml": {
		good: []any{"a", "epp.yaml", "EPP_v0-10.yaml", "..a"},
		bad:  []any{"../x", "a/b", "100%", "a b", "é"},
	},
	"must not be one of the system's own classes, whose names start with system-": {
		good: []any{"simulations", "systems"},
		bad:  []any{"system-node-critical", "system-cluster-critical"},
	},
	"must not be set: the pods have no resource claims": {
		good: []any{fields{"claims": gone}},
		bad:  []any{fields{"claims": []any{object{"name": "gpu"}}}},
	},

	// Gates.
	"point goes with subject Point, which needs it": {
		good: []any{fields{"subject": gone, "point": gone}, fields{"subject": "EveryOther", "point": gone}, fields{"subject": "Point", "point": []any{object{"name": "a", "value": "1"}}}},
		bad:  []any{fields{"subject": "Point", "point": gone}, fields{"subject": gone, "point": []any{object{"name": "a", "value": "1"}}}},
	},
	"subject EveryOther needs a baseline": {
		good: []any{fields{"gates": gone}},
		bad:  []any{fields{"proposal": gone, "rollout": gone, "baseline": gone, "promote": gone, "gates": []any{object{"name": "g", "metric": "ttft.p99", "operator": "AtMost", "value": "1s", "confidence": "0.95", "subject": "EveryOther"}}}},
	},

	// Modes of a sweep.
	"a sweep with a proposal needs objectives or gates": {
		good: []any{proposed},
		bad:  []any{changed(proposed, fields{"objectives": gone, "gates": gone, "promote": gone, "search": gone})},
	},
	"a sweep with a proposal needs scenario.router": {
		good: []any{proposed},
		bad:  []any{changed(proposed, fields{"scenario.router": gone, "scenario.routers": twoRouters})},
	},
	"a sweep with a proposal must not have parameters": {
		good: []any{proposed},
		bad:  []any{changed(proposed, fields{"parameters": []any{object{"name": "a", "path": "x", "values": []any{"1"}}}})},
	},
	"a sweep with a proposal must not have rollout": {
		good: []any{proposed},
		bad:  []any{changed(proposed, fields{"rollout": object{"backend": "a", "steps": []any{int64(100)}}})},
	},
	"a sweep with a proposal must not have baseline": {
		good: []any{proposed},
		bad:  []any{changed(proposed, fields{"baseline": baseline("a")})},
	},
	"a sweep with a proposal must not have scenario.router.policies": {
		good: []any{proposed},
		bad:  []any{changed(proposed, fields{"scenario.router": object{"policies": object{"routing": object{"policy": "random"}}}})},
	},
	"a sweep with a proposal must have algorithm Grid": {
		good: []any{proposed},
		bad: []any{
			changed(proposed, fields{"search": object{"algorithm": "Random"}}),
			changed(proposed, fields{"search": capacity}),
		},
	},
	"a sweep with a rollout needs gates": {
		good: []any{rolled},
		bad:  []any{changed(rolled, fields{"gates": gone})},
	},
	"a sweep with a rollout needs scenario.route": {
		good: []any{rolled},
		bad:  []any{changed(rolled, fields{"scenario.route": gone})},
	},
	"a sweep with a rollout must not have parameters": {
		good: []any{rolled},
		bad:  []any{changed(rolled, fields{"parameters": []any{weight}})},
	},
	"a sweep with a rollout must not have rules": {
		good: []any{rolled},
		bad:  []any{changed(rolled, fields{"rules": []any{object{"expression": "1 > 0"}}})},
	},
	"a sweep with a rollout must not have baseline": {
		good: []any{rolled},
		bad:  []any{changed(rolled, fields{"baseline": baseline("a")})},
	},
	"a sweep with a rollout must not have promote": {
		good: []any{rolled},
		bad:  []any{changed(rolled, fields{"promote": object{}})},
	},
	"a sweep with a rollout must have algorithm Grid": {
		good: []any{rolled},
		bad: []any{
			changed(rolled, fields{"search": object{"algorithm": "Random"}}),
			changed(rolled, fields{"search": capacity}),
		},
	},
	"gates of a rollout judge each step; leave subject out": {
		good: []any{rolled, changed(rolled, fields{"gates": []any{with(gate, place{"subject"}, "EveryOther")}})},
		bad:  []any{changed(rolled, fields{"gates": []any{with(gate, place{"subject"}, "Best")}})},
	},
	"must rise from step to step": {
		good: []any{[]any{int64(10), int64(25), int64(100)}, []any{int64(50)}},
		bad:  []any{[]any{int64(25), int64(10)}},
	},
	"a sweep with algorithm Capacity needs parameters": {
		good: []any{measured, changed(proposed, fields{"search": capacity})},
		bad:  []any{changed(alone, fields{"search": capacity, "constraints": []any{constraint}})},
	},
	"a sweep with algorithm Capacity needs constraints": {
		good: []any{measured},
		bad:  []any{changed(varied, fields{"search": capacity, "constraints": gone})},
	},
	"a sweep with parameters needs objectives": {
		good: []any{varied, changed(varied, fields{"follow": gone, "workloads": []any{calm}})},
		bad:  []any{changed(varied, fields{"objectives": gone, "gates": gone, "promote": gone, "search": gone})},
	},
	"a sweep without parameters, proposal and rollout needs workloads": {
		good: []any{alone},
		bad:  []any{changed(alone, fields{"workloads": gone})},
	},
	"a sweep without parameters, proposal and rollout needs objectives": {
		good: []any{alone},
		bad:  []any{changed(alone, fields{"objectives": gone, "promote": gone})},
	},
	"a sweep without parameters, proposal and rollout must not have baseline": {
		good: []any{alone},
		bad:  []any{changed(alone, fields{"baseline": baseline("weight")})},
	},
	"a sweep without parameters, proposal and rollout must not have rules": {
		good: []any{alone, changed(varied, fields{"rules": []any{object{"expression": "weight > 1"}}})},
		bad:  []any{changed(alone, fields{"rules": []any{object{"expression": "1 > 0"}}})},
	},
	"a sweep without parameters, proposal and rollout must have algorithm Grid": {
		good: []any{alone, changed(alone, fields{"search": capacity})},
		bad:  []any{changed(alone, fields{"search": object{"algorithm": "TPE"}})},
	},
	"must not be set together with workloads: a run has one workload, so write a SimulationRun with the sources of one of them": {
		good: []any{fields{"follow": gone}, fields{"workloads": gone}},
		bad:  []any{fields{"follow": object{"best": int64(2)}, "workloads": []any{calm}}},
	},

	// Durations.
	"must be a duration above 0s, up to 8760h, such as 500ms": {
		good: []any{"1ns", "1.5µs", "500ms", "1h30m", "8760h"},
		bad:  []any{"0s", "-1s", "8760h1s", "10", "5 m", "1d", "soon"},
	},
	"must be a duration up to 8760h, such as 10m": {
		good: []any{"0s", "5s", "8760h"},
		bad:  []any{"-1s", "8761h", "10", "soon"},
	},
	"must be a duration of at least 50ms, as in the EPP, and at most 1h": {
		good: []any{"50ms", "1s", "1h"},
		bad:  []any{"49ms", "0s", "1h1s", "-50ms", "often"},
	},

	// Scenario.
	"one of requests and duration must be set": {
		good: []any{fields{"requests": 1, "duration": gone, "warmup": gone}, fields{"requests": gone, "duration": "1m"}},
		bad:  []any{fields{"requests": gone, "duration": gone, "warmup": gone}},
	},
	"warmup must be shorter than duration, or nothing is measured": {
		good: []any{fields{"warmup": "59s", "duration": "1m"}, fields{"warmup": "1h", "duration": gone, "requests": 1}},
		bad:  []any{fields{"warmup": "1m", "duration": "60s"}, fields{"warmup": "2m", "duration": "1m"}},
	},
	"warmup is given or found by a rule: set warmup or warmupRule, not both": {
		good: []any{fields{"warmup": "1s", "warmupRule": gone}, fields{"warmup": gone, "warmupRule": "MSER"}, fields{"warmup": gone, "warmupRule": gone}},
		bad:  []any{fields{"warmup": "1s", "warmupRule": "MSER"}, fields{"warmup": "0s", "warmupRule": "MSER"}},
	},
	"maxNumBatchedTokens must be at least maxNumSeqs": {
		good: []any{fields{"maxNumBatchedTokens": 64, "maxNumSeqs": 64}, fields{"maxNumBatchedTokens": gone, "maxNumSeqs": gone}},
		bad:  []any{fields{"maxNumBatchedTokens": 63, "maxNumSeqs": 64}, fields{"maxNumBatchedTokens": 255, "maxNumSeqs": gone}},
	},
	"linear must be set exactly when model is linear": {
		good: []any{
			fields{"model": "linear", "linear": linear, "roofline": gone, "table": gone},
			fields{"model": "roofline", "linear": gone, "table": gone},
			fields{"model": "physics", "linear": gone, "table": gone, "roofline": gone},
			fields{"model": gone, "linear": gone, "table": gone},
		},
		bad: []any{fields{"model": "linear", "linear": gone, "roofline": gone}, fields{"model": "roofline", "linear": linear}, fields{"model": gone, "linear": linear}},
	},
	"table must be set exactly when model is table": {
		good: []any{
			fields{"model": "table", "table": table, "linear": gone, "roofline": gone},
			fields{"model": "physics", "table": gone, "linear": gone, "roofline": gone},
			fields{"model": gone, "table": gone, "linear": gone},
		},
		bad: []any{
			fields{"model": "table", "table": gone, "linear": gone, "roofline": gone},
			fields{"model": "physics", "table": table},
			fields{"model": gone, "table": table},
		},
	},
	"roofline may be set only when model is roofline": {
		good: []any{fields{"model": "roofline", "roofline": fields{}, "linear": gone, "table": gone}},
		bad: []any{
			fields{"model": "linear", "linear": linear, "roofline": fields{}},
			fields{"model": "physics", "roofline": fields{}},
			fields{"model": "table", "table": table, "roofline": fields{}},
		},
	},
	"allReduce excludes allReduceLatencyMicroseconds: it was measured with the latency in it": {
		good: []any{
			fields{"allReduce": allReduce, "allReduceLatencyMicroseconds": gone},
			fields{"allReduce": gone, "allReduceLatencyMicroseconds": "10"},
			fields{"allReduce": gone, "allReduceLatencyMicroseconds": gone},
		},
		bad: []any{fields{"allReduce": allReduce, "allReduceLatencyMicroseconds": "10"}},
	},
	"exactly one of the fields in [inline configMapRef file] must be set": {
		good: []any{
			fields{"inline": "x", "configMapRef": gone, "file": gone},
			fields{"inline": gone, "configMapRef": reference, "file": gone},
			fields{"inline": gone, "configMapRef": gone, "file": "x"},
		},
		bad: []any{
			fields{"inline": gone, "configMapRef": gone, "file": gone},
			fields{"inline": "x", "configMapRef": reference, "file": gone},
			fields{"inline": "x", "configMapRef": gone, "file": "x"},
			fields{"inline": gone, "configMapRef": reference, "file": "x"},
		},
	},

	// Scalers.
	"at most one of the fields in [policy horizontalPodAutoscaler scaledObject podAutoscaler] may be set": {
		good: []any{policyScaler, hpaScaler, kedaScaler, wvaScaler, aibrixScaler},
		bad: []any{
			changed(hpaScaler, fields{"scaledObject": object{"inline": "x"}}),
			changed(aibrixScaler, fields{"scaledObject": object{"inline": "x"}}),
			changed(policyScaler, fields{"scaledObject": object{"inline": "x"}}),
		},
	},
	"state policy or a manifest, and not both": {
		good: []any{policyScaler, hpaScaler, wvaScaler, aibrixScaler, changed(kedaScaler, fields{"workloadVariantAutoscaler": object{"inline": "x"}})},
		bad: []any{
			changed(hpaScaler, fields{"horizontalPodAutoscaler": gone, "maxReplicas": 9}),
			changed(policyScaler, fields{"workloadVariantAutoscaler": object{"inline": "x"}}),
		},
	},
	"must be at most maxReplicas": {
		good: []any{policyScaler, changed(policyScaler, fields{"minReplicas": 9}), changed(policyScaler, fields{"minReplicas": gone})},
		bad:  []any{changed(policyScaler, fields{"minReplicas": 10})},
	},
	"policy, and workloadVariantAutoscaler alone, need maxReplicas; horizontalPodAutoscaler, scaledObject and podAutoscaler have bounds of their own": {
		good: []any{policyScaler, hpaScaler, kedaScaler, wvaScaler, aibrixScaler, changed(wvaScaler, fields{"minReplicas": 2})},
		bad: []any{
			changed(policyScaler, fields{"maxReplicas": gone}),
			changed(wvaScaler, fields{"maxReplicas": gone}),
			changed(hpaScaler, fields{"minReplicas": 1}),
			changed(hpaScaler, fields{"maxReplicas": 9}),
			changed(aibrixScaler, fields{"maxReplicas": 9}),
		},
	},
	"parameters and trigger go with policy": {
		good: []any{policyScaler, changed(policyScaler, fields{"parameters": object{"target": "5"}}), hpaScaler},
		bad: []any{
			changed(wvaScaler, fields{"parameters": object{"target": "5"}}),
			changed(kedaScaler, fields{"parameters": object{"target": "5"}}),
			changed(kedaScaler, fields{"trigger": object{"name": "queue"}}),
		},
	},
	"must be at most maxNodes": {
		good: []any{fields{"nodes": 4, "maxNodes": 4}, fields{"nodes": gone}},
		bad:  []any{fields{"nodes": 5, "maxNodes": 4}},
	},
	"exactly one of the fields in [router routers] must be set": {
		good: []any{fields{"router": object{"policies": roundRobin}, "routers": gone}, fields{"router": gone, "routers": twoRouters}},
		bad:  []any{fields{"router": gone, "routers": gone}, fields{"router": object{"policies": roundRobin}, "routers": twoRouters}},
	},
	"exactly one of the fields in [endpointPickerConfig policies] must be set": {
		good: []any{fields{"endpointPickerConfig": gone, "policies": roundRobin}, fields{"endpointPickerConfig": fields{"inline": "x"}, "policies": gone}},
		bad:  []any{fields{"endpointPickerConfig": gone, "policies": gone}, fields{"endpointPickerConfig": fields{"inline": "x"}, "policies": roundRobin}},
	},
	"exactly one of the fields in [routing bundle] must be set": {
		good: []any{fields{"routing": roundRobin["routing"], "bundle": gone}, fields{"routing": gone, "bundle": fields{"inline": "x"}}},
		bad:  []any{fields{"routing": gone, "bundle": gone}, fields{"routing": roundRobin["routing"], "bundle": fields{"inline": "x"}}},
	},
	"scorers must be set exactly when policy is weighted": {
		good: []any{fields{"policy": "random", "scorers": gone, "weights": gone}, fields{"policy": "weighted", "scorers": scorers, "weights": gone}},
		bad:  []any{fields{"policy": "random", "scorers": scorers, "weights": gone}, fields{"policy": "weighted", "scorers": gone}},
	},
	"weights may be set only when policy is weighted": {
		good: []any{fields{"policy": "weighted", "scorers": scorers, "weights": "AsGiven"}, fields{"policy": "random", "scorers": gone, "weights": gone}},
		bad:  []any{fields{"policy": "random", "scorers": gone, "weights": "AsGiven"}},
	},
	"one of ttft, tpot and e2e must be set": {
		good: []any{fields{"ttft": gone, "tpot": "30ms", "e2e": gone}},
		bad:  []any{fields{"ttft": gone, "tpot": gone, "e2e": gone}},
	},

	// Speculative decoding.
	"must have one share for each of tokens": {
		good: []any{fields{"tokens": 2, "acceptance": []any{"0.8", "0.5"}}, fields{"tokens": 1, "acceptance": []any{"0"}}},
		bad:  []any{fields{"tokens": 2, "acceptance": []any{"0.8"}}, fields{"tokens": 1, "acceptance": []any{"0.8", "0.5"}}},
	},
	"NGram has no draft model: set searchMicroseconds": {
		good: []any{
			fields{"method": "NGram", "draftMicroseconds": gone, "searchMicroseconds": "5"},
			fields{"method": "MTP", "draftMicroseconds": "5", "searchMicroseconds": gone},
		},
		bad: []any{fields{"method": "NGram", "draftMicroseconds": "5"}},
	},
	"goes with method NGram": {
		good: []any{fields{"method": "EAGLE", "draftMicroseconds": gone, "searchMicroseconds": gone}},
		bad:  []any{fields{"method": "EAGLE", "searchMicroseconds": "5"}, fields{"method": "MTP", "searchMicroseconds": "5"}},
	},

	// Tiers.
	"tiers need engine.prefixCaching: what they hold is found as the prefix of a prompt": {
		good: []any{
			fields{"kvCache.tiers": tiers, "engine.prefixCaching": "Enabled"},
			fields{"kvCache.tiers": tiers, "engine": gone},
			fields{"kvCache": gone, "engine.prefixCaching": "Disabled"},
		},
		bad: []any{fields{"kvCache.tiers": tiers, "engine.prefixCaching": "Disabled"}},
	},
	"the label llm-d.ai/role comes from role": {
		good: []any{object{"llm-d.ai/rolex": "prefill"}},
		bad:  []any{object{"llm-d.ai/role": "prefill"}},
	},
	"link and offload go with tiers": {
		good: []any{
			fields{"tiers": tiers, "link": link, "offload": object{}},
			fields{"tiers": tiers, "link": gone, "offload": gone},
			fields{"tiers": gone, "link": gone, "offload": gone},
		},
		bad: []any{
			fields{"tiers": gone, "link": link, "offload": gone},
			fields{"tiers": gone, "link": gone, "offload": object{}},
		},
	},
	"exactly one of the fields in [blocks capacity] must be set": {
		good: []any{fields{"blocks": 1, "capacity": gone}, fields{"blocks": gone, "capacity": "1Gi"}},
		bad:  []any{fields{"blocks": 1, "capacity": "1Gi"}, fields{"blocks": gone, "capacity": gone}},
	},
	"a Storage tier needs a path: set device, or readBytesPerSecond and writeBytesPerSecond": {
		good: []any{
			fields{"kind": "Storage", "device": "nvme-gen3", "readBytesPerSecond": gone, "writeBytesPerSecond": gone},
			fields{"kind": "Storage", "device": gone, "readBytesPerSecond": "7G", "writeBytesPerSecond": "5G"},
			fields{"kind": "CPU", "device": gone, "readBytesPerSecond": gone, "writeBytesPerSecond": gone},
		},
		bad: []any{
			fields{"kind": "Storage", "device": gone, "readBytesPerSecond": gone, "writeBytesPerSecond": gone},
			fields{"kind": "Storage", "device": gone, "readBytesPerSecond": "7G", "writeBytesPerSecond": gone},
			fields{"kind": "Storage", "device": gone, "readBytesPerSecond": gone, "writeBytesPerSecond": "5G"},
		},
	},
	"one of device and bytesPerSecond must be set": {
		good: []any{fields{"device": "pcie-gen5-x16", "bytesPerSecond": gone}, fields{"device": gone, "bytesPerSecond": "50G"}},
		bad:  []any{fields{"device": gone, "bytesPerSecond": gone}},
	},

	// Workload.
	"at least one of the fields in [clients trace traces] must be set": {
		good: []any{
			fields{"clients": []any{oneClient}, "trace": gone, "traces": gone}, fields{"clients": gone, "trace": trace, "traces": gone},
			fields{"clients": []any{oneClient}, "trace": trace, "traces": gone}, fields{"clients": gone, "trace": gone, "traces": traces},
		},
		bad: []any{fields{"clients": gone, "trace": gone, "traces": gone}},
	},
	"at most one of the fields in [trace traces] may be set": {
		good: []any{
			fields{"clients": []any{oneClient}, "trace": gone, "traces": gone}, fields{"trace": trace, "traces": gone},
			fields{"trace": gone, "traces": traces},
		},
		bad: []any{fields{"trace": trace, "traces": traces}},
	},
	"exactly one of arrivals, closedLoop and preset.rate must be set": {
		good: []any{
			fields{"arrivals": arrivals, "closedLoop": gone, "sessions": gone, "preset": gone},
			fields{"arrivals": gone, "closedLoop": closedLoop, "sessions": gone, "copies": gone, "preset": gone},
			fields{"arrivals": gone, "closedLoop": gone, "sessions": gone, "preset": object{"name": "Chatbot", "rate": "2"}},
			fields{"arrivals": arrivals, "closedLoop": gone, "sessions": gone, "preset": object{"name": "Chatbot"}},
		},
		bad: []any{
			fields{"arrivals": gone, "closedLoop": gone, "sessions": gone, "preset": gone},
			fields{"arrivals": gone, "closedLoop": gone, "sessions": gone, "preset": object{"name": "Chatbot"}},
			fields{"arrivals": arrivals, "closedLoop": closedLoop, "sessions": gone, "copies": gone, "preset": gone},
			fields{"arrivals": arrivals, "closedLoop": gone, "sessions": gone, "preset": object{"name": "Chatbot", "rate": "2"}},
		},
	},
	"inputTokens and outputTokens must be set, except with a preset": {
		good: []any{
			fields{"preset": gone, "inputTokens": tokens, "outputTokens": tokens},
			fields{"preset": object{"name": "Chatbot"}, "inputTokens": gone, "outputTokens": gone},
		},
		bad: []any{
			fields{"preset": gone, "inputTokens": gone}, fields{"preset": gone, "outputTokens": gone},
		},
	},
	"sessions take concurrent, or thinkTime if their turns wait for answers; in a closed loop turns always wait, and each user has one session at a time": {
		good: []any{
			fields{"arrivals": arrivals, "closedLoop": gone, "prompts": gone, "sessions": sessions},
			fields{"arrivals": arrivals, "closedLoop": gone, "prompts": gone, "sessions": waitingSessions},
			fields{"arrivals": gone, "closedLoop": closedLoop, "copies": gone, "prompts": gone, "sessions": waitingSessions},
			fields{"arrivals": gone, "closedLoop": closedLoop, "copies": gone, "prompts": gone, "sessions": object{"turns": object{"mean": "2"}}},
		},
		bad: []any{
			fields{"arrivals": arrivals, "closedLoop": gone, "prompts": gone, "sessions": object{"turns": object{"mean": "2"}}},
			fields{"arrivals": arrivals, "closedLoop": gone, "prompts": gone, "sessions": object{"concurrent": 1, "thinkTime": object{"mean": "1s"}, "turns": object{"mean": "2"}}},
			fields{"arrivals": gone, "closedLoop": closedLoop, "copies": gone, "prompts": gone, "sessions": sessions},
		},
	},
	"copies with a closedLoop have the same number of users each: they take no arrivals and no zipfExponent": {
		good: []any{
			fields{"arrivals": gone, "closedLoop": closedLoop, "sessions": gone, "copies": object{"count": 2}},
			fields{"arrivals": gone, "closedLoop": closedLoop, "sessions": gone, "copies": object{"count": 2, "arrivals": "Own"}},
			fields{"arrivals": arrivals, "closedLoop": gone, "sessions": gone, "copies": object{"count": 2, "zipfExponent": "1"}},
		},
		bad: []any{
			fields{"arrivals": gone, "closedLoop": closedLoop, "sessions": gone, "copies": object{"count": 2, "zipfExponent": "1"}},
			fields{"arrivals": gone, "closedLoop": closedLoop, "sessions": gone, "copies": object{"count": 2, "arrivals": "Cycle"}},
		},
	},
	"at least one of the fields in [ttft tpot e2e] must be set": {
		good: []any{fields{"ttft": gone, "tpot": gone}, fields{"e2e": gone}},
		bad:  []any{fields{"ttft": gone, "tpot": gone, "e2e": gone}},
	},
	"at least one of the fields in [promptSize prefixAffinity burstCV meanTurns] must be set": {
		good: []any{fields{"promptSize": gone, "burstCV": gone, "meanTurns": gone}, fields{"prefixAffinity": gone}},
		bad:  []any{fields{"promptSize": gone, "prefixAffinity": gone, "burstCV": gone, "meanTurns": gone}},
	},
	"at least one of the fields in [firstToken total] must be set": {
		good: []any{fields{"firstToken": "1s", "total": gone}, fields{"firstToken": gone, "total": "1s"}, fields{"firstToken": "1s", "total": "2s"}},
		bad:  []any{fields{"firstToken": gone, "total": gone}},
	},
	"mean must be set, except for Uniform durations, which take min and max": {
		good: []any{
			fields{"distribution": "Uniform", "mean": gone, "max": "2s", "stdDev": gone, "min": gone},
			fields{"distribution": gone, "mean": "5s", "stdDev": gone, "min": gone, "max": gone},
			fields{"distribution": "Exponential", "mean": "5s", "stdDev": gone, "min": gone, "max": gone},
		},
		bad: []any{
			fields{"distribution": "Uniform", "mean": "5s", "max": "9s", "stdDev": gone, "min": gone},
			fields{"distribution": "Uniform", "mean": gone, "max": gone, "stdDev": gone, "min": gone},
			fields{"distribution": gone, "mean": gone, "stdDev": gone, "min": gone, "max": gone},
		},
	},
	"stdDev must be set exactly when the durations are LogNormal": {
		good: []any{fields{"distribution": "LogNormal", "mean": "5s", "stdDev": "1s", "min": gone, "max": gone}, fields{"distribution": gone, "mean": "5s", "stdDev": gone, "min": gone, "max": gone}},
		bad: []any{
			fields{"distribution": "LogNormal", "mean": "5s", "stdDev": gone, "min": gone, "max": gone},
			fields{"distribution": "Exponential", "mean": "5s", "stdDev": "1s", "min": gone, "max": gone},
		},
	},
	"min must not be longer than max": {
		good: []any{fields{"min": "5s", "max": "5000ms"}, fields{"min": "500ms", "max": "1m"}, fields{"min": "1h", "max": gone}},
		bad:  []any{fields{"min": "6s", "max": "5s"}, fields{"min": "1m", "max": "59s"}},
	},
	"exactly one of the fields in [file configMapRef persistentVolumeClaim image] must be set": {
		good: []any{
			fields{"file": "x", "configMapRef": gone, "persistentVolumeClaim": gone, "image": gone},
			fields{"file": gone, "configMapRef": reference, "persistentVolumeClaim": gone, "image": gone},
			fields{"file": gone, "configMapRef": gone, "persistentVolumeClaim": claim, "image": gone, "sha256": sha256},
			fields{"file": gone, "configMapRef": gone, "persistentVolumeClaim": gone, "image": imageFile, "sha256": sha256},
		},
		bad: []any{
			fields{"file": gone, "configMapRef": gone, "persistentVolumeClaim": gone, "image": gone},
			fields{"file": "x", "configMapRef": reference, "persistentVolumeClaim": gone, "image": gone},
			fields{"file": gone, "configMapRef": gone, "persistentVolumeClaim": claim, "image": imageFile, "sha256": sha256},
		},
	},
	"a trace that only pods can read needs its sha256, which windtunnel trace inspect prints": {
		good: []any{
			fields{"file": "x", "configMapRef": gone, "persistentVolumeClaim": gone, "image": gone, "sha256": gone},
			fields{"file": gone, "configMapRef": gone, "persistentVolumeClaim": claim, "image": gone, "sha256": sha256},
		},
		bad: []any{
			fields{"file": gone, "configMapRef": gone, "persistentVolumeClaim": claim, "image": gone, "sha256": gone},
			fields{"file": gone, "configMapRef": gone, "persistentVolumeClaim": gone, "image": imageFile, "sha256": gone},
		},
	},
	"must be a path from the volume's root, such as traces/day.jsonl.gz, without . and ..": {
		good: []any{"day.jsonl", "traces/day.jsonl.gz", "..data/day.jsonl", "a/.b/..."},
		bad:  []any{"/day.jsonl", "../day.jsonl", "a/../b", ".", "a//b", "a/"},
	},
	"exactly one of the fields in [rate stages] must be set": {
		good: []any{fields{"rate": "1", "stages": gone}, fields{"rate": gone, "stages": stages}},
		bad:  []any{fields{"rate": gone, "stages": gone}, fields{"rate": "1", "stages": stages}},
	},
	"prompts excludes sessions: a conversation does not repeat itself": {
		good: []any{
			fields{"prompts": object{"count": 5}, "sessions": gone},
			fields{"prompts": gone, "sessions": sessions},
			fields{"prompts": gone, "sessions": gone},
		},
		bad: []any{fields{"prompts": object{"count": 5}, "sessions": sessions}},
	},
	"cv must be set exactly when process is Gamma or Weibull": {
		good: []any{fields{"process": "Gamma", "cv": "2"}, fields{"process": "Weibull", "cv": "2"}, fields{"process": "Constant", "cv": gone}, fields{"process": gone, "cv": gone}},
		bad:  []any{fields{"process": "Gamma", "cv": gone}, fields{"process": "Weibull", "cv": gone}, fields{"process": "Poisson", "cv": "2"}, fields{"process": gone, "cv": "2"}},
	},
	"mean must be set, except for Uniform and Zipf, which take min and max, and for Mixture and Histogram": {
		good: []any{
			fields{"distribution": "Uniform", "mean": gone, "max": 100, "stdDev": gone},
			fields{"distribution": "Zipf", "mean": gone, "max": 100, "stdDev": gone},
			fields{"distribution": "Mixture", "mean": gone, "stdDev": gone},
			fields{"distribution": gone, "mean": "5", "stdDev": gone},
			fields{"distribution": "Exponential", "mean": "5", "stdDev": gone},
		},
		bad: []any{
			fields{"distribution": "Uniform", "mean": "5", "max": 100, "stdDev": gone},
			fields{"distribution": "Uniform", "mean": gone, "max": gone, "stdDev": gone},
			fields{"distribution": gone, "mean": gone, "stdDev": gone},
			fields{"distribution": "Histogram", "mean": "5", "stdDev": gone},
			fields{"distribution": "Zipf", "mean": gone, "max": gone, "stdDev": gone},
			fields{"distribution": "Normal", "mean": gone, "stdDev": "1"},
		},
	},
	"stdDev must be set exactly when distribution is Normal, LogNormal or Gamma": {
		good: []any{
			fields{"distribution": "Normal", "mean": "5", "stdDev": "1"},
			fields{"distribution": "LogNormal", "mean": "5", "stdDev": "1"},
			fields{"distribution": "Gamma", "mean": "5", "stdDev": "1"},
			fields{"distribution": "Constant", "mean": "5", "stdDev": gone},
		},
		bad: []any{
			fields{"distribution": "Normal", "mean": "5", "stdDev": gone},
			fields{"distribution": "LogNormal", "mean": "5", "stdDev": gone},
			fields{"distribution": "Exponential", "mean": "5", "stdDev": "1"},
			fields{"distribution": "Uniform", "mean": gone, "max": 100, "stdDev": "1"},
		},
	},
	"min must not be greater than max": {
		// Lengths and ranges say the same in their own types.
		good: []any{fields{"min": 5, "max": 5}, fields{"min": "-10", "max": "9"}, fields{"min": "1.50", "max": "1.5"}},
		bad:  []any{fields{"min": 6, "max": 5}, fields{"min": "10", "max": "9"}, fields{"min": "0.5", "max": "-0.5"}},
	},

	"must be a percentage greater than 0, such as 5%": {
		good: []any{"5%", "0.5%", "100%"},
		bad:  []any{"0%", "5", "-5%", "5 %"},
	},
	"must be a change in percent, such as -1% or 5%": {
		good: []any{"5%", "-1.5%", "+2%", "0%"},
		bad:  []any{"5", "0.05", "5 %"},
	},
	"must be a number, a percentage such as 99%, or a duration such as 500ms": {
		good: []any{"5", "-0.5", "99%", "500ms", "1.5s"},
		bad:  []any{"fast", "5 %", "500 ms", "1d"},
	},

	// Replications.
	"seeds excludes seed and count": {
		good: []any{fields{"seeds": []any{1}, "seed": gone, "count": gone}, fields{"seeds": gone, "seed": 1, "count": 2}, fields{"seeds": gone, "seed": gone, "count": gone}},
		bad:  []any{fields{"seeds": []any{1}, "seed": 1, "count": gone}, fields{"seeds": []any{1}, "seed": gone, "count": 2}},
	},

	"a list of seeds has no others to reach a precision with; use seed and count": {
		good: []any{fields{"seeds": gone, "seed": gone, "count": gone, "precision": "5%", "maxCount": gone, "metric": gone}},
		bad:  []any{fields{"seeds": []any{1}, "seed": gone, "count": gone, "precision": "5%", "maxCount": gone, "metric": gone}},
	},
	"maxCount and metric go with precision": {
		good: []any{fields{"seeds": gone, "count": gone, "precision": "5%", "maxCount": 5, "metric": "e2e.mean"}, fields{"precision": gone, "maxCount": gone, "metric": gone}},
		bad:  []any{fields{"precision": gone, "maxCount": 5, "metric": gone}, fields{"precision": gone, "maxCount": gone, "metric": "e2e.mean"}},
	},
	"maxCount must not be less than count": {
		good: []any{fields{"seeds": gone, "precision": "5%", "count": 5, "maxCount": 5, "metric": gone}},
		bad:  []any{fields{"seeds": gone, "precision": "5%", "count": 6, "maxCount": 5, "metric": gone}},
	},
	"exactly one of the fields in [value versusBaseline] must be set": {
		good: []any{fields{"value": "1", "versusBaseline": gone}},
		bad:  []any{fields{"value": "1", "versusBaseline": "1%"}, fields{"value": gone, "versusBaseline": gone}},
	},

	// Run.
	"decisions goes with level Decisions or Full": {
		good: []any{fields{"level": "Decisions", "decisions": 1}, fields{"level": "Full", "decisions": 1}, fields{"level": "Minimal", "decisions": gone, "sample": gone}},
		bad:  []any{fields{"level": "Minimal", "decisions": 1, "sample": gone}, fields{"level": gone, "decisions": 1, "sample": gone}},
	},
	"sample goes with level Decisions or Full": {
		good: []any{fields{"level": "Decisions", "sample": "0.5"}, fields{"level": "Full", "sample": "1"}, fields{"level": "Minimal", "decisions": gone, "sample": gone}},
		bad:  []any{fields{"level": "Minimal", "decisions": gone, "sample": "0.5"}, fields{"level": gone, "decisions": gone, "sample": "0.5"}},
	},

	"must not be set together with thresholds, which replaces it": {
		good: []any{
			fields{"anomalies": object{"storm": 5}, "thresholds": gone}, fields{"anomalies": gone, "thresholds": object{"preset": "Tolerant"}},
			fields{"anomalies": gone, "thresholds": gone},
		},
		bad: []any{fields{"anomalies": object{"storm": 5}, "thresholds": object{}}, fields{"anomalies": object{}, "thresholds": object{"preset": "Standard"}}},
	},
	"at most one of the fields in [inline configMapRef file] may be set": {
		good: []any{
			fields{"inline": "storm: 5", "configMapRef": gone, "file": gone}, fields{"inline": gone, "configMapRef": thresholdsRef, "file": gone},
			fields{"inline": gone, "configMapRef": gone, "file": "x.yaml"}, fields{"inline": gone, "configMapRef": gone, "file": gone},
		},
		bad: []any{
			fields{"inline": "storm: 5", "configMapRef": thresholdsRef, "file": gone}, fields{"inline": "storm: 5", "configMapRef": gone, "file": "x.yaml"},
			fields{"inline": gone, "configMapRef": thresholdsRef, "file": "x.yaml"},
		},
	},

	// Sweep.
	"a Grid needs the step of every range; set step, or use algorithm Random": {
		good: []any{
			fields{"search.algorithm": "Grid", "proposal": gone, "parameters": []any{weight}},
			fields{"search.algorithm": "Random", "proposal": gone, "parameters": []any{without(weight, "range", "step")}},
			fields{"search": gone, "proposal": gone, "parameters": []any{weight}},
		},
		bad: []any{
			fields{"search.algorithm": "Grid", "proposal": gone, "parameters": []any{without(weight, "range", "step")}},
			fields{"search": gone, "proposal": gone, "parameters": []any{without(weight, "range", "step")}},
		},
	},
	"baseline must give every parameter of the sweep a value, and no other": {
		good: []any{
			fields{"proposal": gone, "parameters": []any{weight}, "baseline": baseline("weight")},
			fields{"proposal": gone, "parameters": []any{weight}, "baseline": gone},
		},
		bad: []any{
			fields{"proposal": gone, "parameters": []any{weight}, "baseline": baseline("wait")},
			fields{"proposal": gone, "parameters": []any{weight}, "baseline": baseline("weight", "other")},
			fields{"proposal": gone, "parameters": []any{weight, with(weight, place{"name"}, "other")}, "baseline": baseline("weight")},
		},
	},
	"capacity.load must be the name of a parameter": {
		good: []any{fields{"search": capacity, "proposal": gone, "parameters": []any{weight}, "baseline": gone, "constraints": []any{constraint}}},
		bad:  []any{fields{"search": with(capacity, place{"capacity", "load"}, "other"), "proposal": gone, "parameters": []any{weight}, "baseline": gone, "constraints": []any{constraint}}},
	},
	"versusBaseline needs a baseline": {
		good: []any{fields{"gates": []any{gate}, "baseline": gone}, fields{"gates": []any{relative}, "proposal": gone, "parameters": []any{weight}, "baseline": baseline("weight")}},
		bad:  []any{fields{"gates": []any{relative}, "proposal": gone, "rollout": gone, "parameters": []any{weight}, "baseline": gone}},
	},
	"a sweep without gates never passes; state gates, or promote when Complete": {
		good: []any{fields{"gates": []any{gate}, "promote": object{}}, fields{"gates": gone, "promote": object{"when": "Complete"}}},
		bad:  []any{fields{"gates": gone, "promote": object{}}, fields{"gates": gone, "promote": object{"when": "Passed"}}},
	},
	"only algorithm Capacity may have capacity": {
		good: []any{searchBy("Capacity", object{"capacity": object{"load": "x"}}), searchBy("Random", nil)},
		bad:  []any{searchBy("Random", object{"capacity": object{"load": "x"}})},
	},
	"algorithm Capacity needs capacity": {
		good: []any{searchBy("Capacity", object{"capacity": object{"load": "x"}}), searchBy("Random", nil)},
		bad:  []any{searchBy("Capacity", nil)},
	},
	"only algorithm MAPElites may have features": {
		good: []any{searchBy("MAPElites", object{"features": []any{feature}}), searchBy("Random", nil)},
		bad:  []any{searchBy("Random", object{"features": []any{feature}})},
	},
	"algorithm MAPElites needs features": {
		good: []any{searchBy("MAPElites", object{"features": []any{feature}}), searchBy("Random", nil)},
		bad:  []any{searchBy("MAPElites", nil)},
	},
	"only algorithm MAPElites may have islands": {
		good: []any{searchBy("MAPElites", object{"features": []any{feature}, "islands": object{"count": 2}}), searchBy("MAPElites", nil)},
		bad:  []any{searchBy("Random", object{"islands": object{"count": 2}})},
	},
	"only algorithms SuccessiveHalving and Hyperband may have halving": {
		good: []any{searchBy("Hyperband", object{"halving": object{}}), searchBy("SuccessiveHalving", nil)},
		bad:  []any{searchBy("Random", object{"halving": object{}})},
	},
	"only algorithms TPE, GP, CMAES, NSGA2 and MAPElites may have generationSize": {
		good: []any{searchBy("TPE", object{"generationSize": 4}), searchBy("MAPElites", object{"generationSize": 4})},
		bad:  []any{searchBy("Random", object{"generationSize": 4})},
	},
	"exactly one of the fields in [range values profiles alternatives evolve] must be set": {
		good: []any{
			fields{"evolve": gone, "range": gone, "profiles": gone, "alternatives": gone, "values": []any{"1"}},
			fields{"evolve": gone, "range": interval, "profiles": gone, "alternatives": gone, "values": gone},
			fields{"evolve": gone, "path": "router", "range": gone, "profiles": gone, "alternatives": routers, "values": gone},
			fields{"evolve": object{}, "path": "x", "range": gone, "profiles": gone, "alternatives": gone, "values": gone},
		},
		bad: []any{
			fields{"evolve": object{}, "path": "x", "range": gone, "profiles": gone, "alternatives": gone, "values": []any{"1"}},
			fields{"evolve": gone, "range": gone, "profiles": gone, "alternatives": gone, "values": gone},
			fields{"evolve": gone, "range": interval, "profiles": gone, "alternatives": gone, "values": []any{"1"}},
			fields{"evolve": gone, "path": "router", "range": gone, "profiles": gone, "alternatives": routers, "values": []any{"1"}},
		},
	},
	"with profiles, path must be router.endpointPickerConfig, or routers[MODEL].endpointPickerConfig": {
		good: []any{
			fields{"evolve": gone, "path": "router.endpointPickerConfig", "profiles": profiles, "range": gone, "values": gone, "alternatives": gone},
			fields{"evolve": gone, "path": "routers[llama].endpointPickerConfig", "profiles": profiles, "range": gone, "values": gone, "alternatives": gone},
			fields{"evolve": gone, "path": "x", "profiles": gone, "values": []any{"1"}, "range": gone, "alternatives": gone},
		},
		bad: []any{
			fields{"evolve": gone, "path": "router", "profiles": profiles, "range": gone, "values": gone, "alternatives": gone},
			fields{"evolve": gone, "path": "routers[llama].policies", "profiles": profiles, "range": gone, "values": gone, "alternatives": gone},
		},
	},
	"with alternatives, path must be router, router.admission, routers[MODEL], routers[MODEL].admission or pools[NAME].engine, and each alternative must have what the path leads to": {
		good: []any{
			fields{"evolve": gone, "path": "router", "alternatives": routers, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "routers[llama]", "alternatives": routers, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "router.admission", "alternatives": admissions, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "routers[llama].admission", "alternatives": admissions, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "pools[llama].engine", "alternatives": engines, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "x", "alternatives": gone, "profiles": gone, "range": gone, "values": []any{"1"}},
		},
		bad: []any{
			fields{"evolve": gone, "path": "router.policies", "alternatives": routers, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "routers", "alternatives": routers, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "router", "alternatives": admissions, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "router.admission", "alternatives": routers, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "pools[llama].engine", "alternatives": admissions, "profiles": gone, "range": gone, "values": gone},
			fields{"evolve": gone, "path": "pools[llama]", "alternatives": engines, "profiles": gone, "range": gone, "values": gone},
		},
	},
	"exactly one of the fields in [router admission engine] must be set": {
		good: []any{
			fields{"router": object{"policies": roundRobin}, "admission": gone, "engine": gone},
			fields{"router": gone, "admission": object{"policy": "always"}, "engine": gone},
			fields{"router": gone, "admission": gone, "engine": object{"scheduler": "FCFS"}},
		},
		bad: []any{
			fields{"router": gone, "admission": gone, "engine": gone},
			fields{"router": object{"policies": roundRobin}, "admission": object{"policy": "always"}, "engine": gone},
		},
	},
	"min must be greater than 0 when scale is Log": {
		good: []any{fields{"min": "0.1", "scale": "Log"}, fields{"min": "0", "scale": "Linear"}, fields{"min": "-1", "scale": gone}},
		bad:  []any{fields{"min": "0", "scale": "Log"}, fields{"min": "-1", "scale": "Log"}, fields{"min": "0.0", "scale": "Log"}},
	},
}

var (
	reference  = object{"name": "a", "key": "b"}
	roundRobin = object{"routing": object{"policy": "round-robin"}}
	scorers    = []any{object{"name": "queue-depth", "weight": "1"}}
	linear     = object{"baseMicroseconds": "1", "perPrefillTokenMicroseconds": "1", "perDecodeTokenMicroseconds": "1"}
	table      = object{"inline": "x"}
	allReduce  = []any{object{"bytes": 1024, "microseconds": "20"}, object{"bytes": 4096, "microseconds": "25"}}
	tiers      = []any{object{"kind": "CPU", "blocks": 1000}}
	link       = object{"device": "pcie-gen5-x16"}
	oneClient  = object{"name": "c", "arrivals": object{"rate": "1"}, "inputTokens": object{"mean": "1"}, "outputTokens": object{"mean": "1"}}
	stages     = []any{object{"rate": "1", "duration": "1m"}}
	sessions   = object{"concurrent": 1, "turns": object{"mean": "2"}}
	arrivals   = object{"rate": "1"}
	tokens     = object{"mean": "64"}
	closedLoop = object{"concurrency": 2}
	// waitingSessions have turns that wait for answers.
	waitingSessions = object{"thinkTime": object{"mean": "1s"}, "turns": object{"mean": "2"}}
	claim           = object{"claimName": "a", "path": "b"}
	imageFile       = object{"reference": "a", "path": "b"}
	sha256          = strings.Repeat("a", 64)
	trace           = object{"format": "Azure", "file": "x"}
	traces          = []any{object{"name": "day", "format": "Azure", "file": "x"}}
	interval        = object{"min": "0", "max": "1", "step": "0.5"}
	weight          = object{"name": "weight", "path": "x", "range": interval}
	gate            = object{"name": "g", "metric": "e2e.mean", "operator": "AtMost", "value": "1s", "confidence": "0.95"}
	relative        = object{"name": "g", "metric": "e2e.mean", "operator": "AtMost", "versusBaseline": "1%", "confidence": "0.95"}
	constraint      = object{"metric": "e2e.mean", "operator": "AtMost", "value": "1s"}
	capacity        = object{"algorithm": "Capacity", "capacity": object{"load": "weight"}}
	feature         = object{"metric": "e2e.mean", "min": "0", "max": "1", "bins": 4}
	toTwoRouters    = object{"backends": []any{object{"router": "a", "weight": int64(9)}, object{"router": "org/b", "weight": int64(1)}}}
	twoRouters      = []any{object{"model": "a", "policies": roundRobin}, object{"model": "org/b", "policies": roundRobin}}
	profiles        = []any{object{"name": "p", "endpointPickerConfig": object{"inline": "x"}}}
	routers         = []any{object{"name": "r", "router": object{"policies": roundRobin}}}
	admissions      = []any{object{"name": "a", "admission": object{"policy": "always"}}}
	engines         = []any{object{"name": "e", "engine": object{"scheduler": "FCFS"}}}
)

func without(o object, at ...any) object {
	return with(o, place(at), gone).(object)
}

func baseline(names ...string) object {
	var parameters []any
	for _, name := range names {
		parameters = append(parameters, object{"name": name, "value": "1"})
	}
	return object{"parameters": parameters}
}

// ruleCases apply the table wherever one of its rules stands.
func ruleCases(name string, doc object, all []node) []testCase {
	var cases []testCase
	for _, n := range all {
		for _, rule := range n.schema.XValidations {
			table := rules[rule.Message]
			for i, value := range append(table.good[:len(table.good):len(table.good)], table.bad...) {
				if !fits(n, value) {
					continue
				}
				cases = append(cases, testCase{
					name:  fmt.Sprintf("%s/%s/%s/%v", name, n.at, rule.Message, value),
					doc:   apply(doc, n.at, value).(object),
					at:    n.at.String() + rule.FieldPath,
					fault: rule.Message,
					bad:   i >= len(table.good),
				})
			}
		}
	}
	return cases
}

// fits tells apart rules of one message that are about different types.
func fits(n node, value any) bool {
	set, ok := value.(fields)
	if !ok {
		return true
	}
	for name, v := range set {
		field, known := n.schema.Properties[name]
		if !known {
			continue
		}
		if _, isText := v.(string); isText != (field.Type == "string") && v != gone {
			return false
		}
	}
	return true
}

func apply(doc any, at place, value any) any {
	set, ok := value.(fields)
	if !ok {
		return with(doc, at, value)
	}
	for name, v := range set {
		to := at
		for _, step := range strings.Split(name, ".") {
			to = to.child(step)
		}
		if f, ok := v.(fields); ok {
			v = object(f)
		}
		doc = with(doc, to, v)
	}
	return doc
}

func TestEveryRuleHasPassingAndFailingCases(t *testing.T) {
	used := map[string]bool{}
	for kind := range files {
		walkSchema(place{"spec"}, specSchema(t, kind), func(at place, s *props) {
			for _, rule := range s.XValidations {
				used[rule.Message] = true
				if table := rules[rule.Message]; len(table.good) == 0 || len(table.bad) == 0 {
					t.Errorf("rule at %s of a %s has no case that passes or none that fails: %s", at, kind, rule.Message)
				}
			}
		})
	}
	for message := range rules {
		if !used[message] {
			t.Errorf("no rule says: %s", message)
		}
	}
}
