// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// An engine is what the options of vLLM say of a pool.
type engine struct {
	pool  *v1alpha1.Pool
	model string
	// external is whether a router chooses the rank of a request.
	external bool
	// pipeline is the number of stages.
	pipeline int32
	// kvRole is that of the connector for KV blocks.
	kvRole string
	// notes are what has an effect in vLLM that the scenario does not have.
	notes []string
}

// settings are the options of vLLM that a scenario has a field for, and those that need a word.
// The names are those of vLLM 0.24. They are made at the first call: most commands read no manifest.
var settings = sync.OnceValue(func() map[string]func(e *engine, f *flag) error {
	return map[string]func(e *engine, f *flag) error{
		"model":                        func(e *engine, f *flag) error { e.model = f.value(); return nil },
		"tensor-parallel-size":         number(func(e *engine) *int32 { return &e.pool.TensorParallelism }),
		"data-parallel-size":           number(func(e *engine) *int32 { return &e.pool.DataParallelism }),
		"pipeline-parallel-size":       number(func(e *engine) *int32 { return &e.pipeline }),
		"data-parallel-external-lb":    on(func(e *engine, on bool) { e.external = on }),
		"data-parallel-hybrid-lb":      on(func(e *engine, on bool) { e.external = on }),
		"enable-expert-parallel":       switched(func(e *engine) *v1alpha1.Switch { return &e.pool.ExpertParallelism }),
		"max-num-seqs":                 number(func(e *engine) *int32 { return &e.pool.Engine.MaxNumSeqs }),
		"max-num-batched-tokens":       number(func(e *engine) *int32 { return &e.pool.Engine.MaxNumBatchedTokens }),
		"max-num-queued-reqs":          optional(func(e *engine) **int32 { return &e.pool.Engine.MaxNumQueuedReqs }),
		"max-num-queued-tokens":        optional(func(e *engine) **int32 { return &e.pool.Engine.MaxNumQueuedTokens }),
		"max-model-len":                maxModelLen,
		"block-size":                   number(func(e *engine) *int32 { return &e.pool.Engine.BlockSize }),
		"enable-prefix-caching":        switched(func(e *engine) *v1alpha1.Switch { return &e.pool.Engine.PrefixCaching }),
		"scheduling-policy":            schedulingPolicy,
		"long-prefill-token-threshold": number(func(e *engine) *int32 { return &e.pool.Engine.LongPrefillTokenThreshold }),
		"async-scheduling":             switched(func(e *engine) *v1alpha1.Switch { return &e.pool.Engine.AsynchronousScheduling }),
		"gpu-memory-utilization":       memoryUtilization,
		"num-gpu-blocks-override":      optional(func(e *engine) **int32 { return &e.pool.KVCache.Blocks }),
		"kv-cache-dtype":               kvCacheType,
		"quantization":                 quantization,
		"max-loras":                    number(func(e *engine) *int32 { return &e.adapters().Max }),
		"enable-lora":                  on(func(e *engine, on bool) { e.lora(on) }),
		"lora-modules":                 loraModules,
		"kv-transfer-config":           kvTransfer,
		"kv-offloading-size":           offloadingSize,
	}
})

// shortNames are the options of one letter or two, and older names.
var shortNames = map[string]string{
	"tp": "tensor-parallel-size", "dp": "data-parallel-size", "pp": "pipeline-parallel-size", "q": "quantization",
	"ep": "enable-expert-parallel", "model-tag": "model", "dpe": "data-parallel-external-lb", "dph": "data-parallel-hybrid-lb",
}

// withoutEffect are options that change no time and no decision of the simulation: names and ports,
// logs, formats of requests and answers, files, and the way of ranks to each other.
var withoutEffect = []string{
	"port", "host", "served-model-name", "trust-remote-code", "disable-log-requests", "enable-log-requests", "enable-log-outputs", "enable-log-deltas", "model-loader-extra-config", "disable-log-stats",
	"uvicorn-log-level", "disable-uvicorn-access-log", "disable-access-log-for-endpoints", "download-dir", "load-format", "tokenizer", "tokenizer-mode",
	"revision", "hf-config-path", "generation-config", "override-generation-config", "chat-template", "chat-template-content-format",
	"enable-auto-tool-choice", "tool-call-parser", "reasoning-parser", "tool-parser-plugin", "reasoning-parser-plugin", "response-role", "enable-request-id-headers",
	"ssl-keyfile", "ssl-certfile", "ssl-ca-certs", "enable-ssl-refresh", "api-key", "root-path", "seed",
	"otlp-traces-endpoint", "collect-detailed-traces", "kv-events-config", "prefix-caching-hash-algo", "enable-prompt-tokens-details",
	"data-parallel-size-local", "data-parallel-address", "data-parallel-rpc-port", "data-parallel-start-rank", "data-parallel-rank", "data-parallel-backend",
	"headless", "distributed-executor-backend", "nnodes", "node-rank", "master-addr", "master-port", "max-lora-rank", "max-cpu-loras", "enable-server-load-tracking",
	"enable-chunked-prefill", "dtype", "task", "runner", "allowed-local-media-path", "enable-force-include-usage", "disable-hybrid-kv-cache-manager", "show-hidden-metrics-for-version",
}

// take reads options in order, so that the last of equal ones counts. Errors are by option.
func (e *engine) take(options []flag) map[string]error {
	faults := map[string]error{}
	var others []string
	for _, f := range options {
		off := strings.HasPrefix(f.name, "no-")
		f.name = strings.TrimPrefix(f.name, "no-")
		f.name = fullName(f.name)
		delete(faults, f.name)
		set, known := settings()[f.name]
		switch {
		case known && off:
			f.values = []string{"false"}
			fallthrough
		case known:
			err := set(e, &f)
			switch v := f.value(); {
			case err != nil && (v == "" || strings.Contains(v, "$")):
				e.note("the value of --%s is not in the files", f.name)
			case err != nil:
				faults[f.name] = err
			}
		case !slices.Contains(withoutEffect, f.name) && !slices.Contains(others, "--"+f.name):
			others = append(others, "--"+f.name)
		}
	}
	if len(others) > 0 {
		e.notes = append(e.notes, "options of vLLM that are not simulated: "+strings.Join(others, ", "))
	}
	return faults
}

// fullName is the name of an option that is short, or that its first letters tell, as vLLM's parser reads them.
func fullName(name string) string {
	if long, ok := shortNames[name]; ok {
		return long
	}
	if settings()[name] != nil || slices.Contains(withoutEffect, name) {
		return name
	}
	var begun []string
	for _, full := range slices.Concat(slices.Sorted(maps.Keys(settings())), withoutEffect) {
		if strings.HasPrefix(full, name) {
			begun = append(begun, full)
		}
	}
	if len(begun) == 1 {
		return begun[0]
	}
	return name
}

func (e *engine) note(text string, values ...any) {
	if text = fmt.Sprintf(text, values...); !slices.Contains(e.notes, text) {
		e.notes = append(e.notes, text)
	}
}

// multiples are the endings of vLLM's numbers: decimal in small letters, and binary in capitals.
var multiples = map[byte]float64{'k': 1e3, 'm': 1e6, 'g': 1e9, 'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}

// errNumber is the fault of a text that is no number.
var errNumber = errors.New("must be a whole number, such as 8192 or 8k")

// count reads a number of vLLM, such as 8192, 32k or 25.6k. What is left of a decimal number is cut off, and a binary one is
// whole (human_readable_int of vLLM 0.24).
func count(text string) (int32, error) {
	factor, binary := 1.0, false
	if n := len(text); n > 1 && multiples[text[n-1]] != 0 {
		factor, binary, text = multiples[text[n-1]], text[n-1] <= 'Z', text[:n-1]
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x != math.Trunc(x) && (binary || factor == 1) || !(math.Abs(x*factor) <= math.MaxInt32) {
		return 0, errNumber
	}
	return int32(x * factor), nil
}

// number is an option whose value is a field.
func number(field func(*engine) *int32) func(*engine, *flag) error {
	return func(e *engine, f *flag) error {
		n, err := count(f.value())
		if err == nil && n < 1 {
			err = errors.New("must be at least 1")
		}
		if err == nil {
			*field(e) = n
		}
		return err
	}
}

// optional is an option whose value is a field that may be 0.
func optional(field func(*engine) **int32) func(*engine, *flag) error {
	return func(e *engine, f *flag) error {
		n, err := count(f.value())
		if err == nil && n < 0 {
			err = errors.New("must not be negative")
		}
		if err == nil {
			*field(e) = &n
		}
		return err
	}
}

// on is an option without a value, or with false.
func on(set func(e *engine, on bool)) func(*engine, *flag) error {
	return func(e *engine, f *flag) error {
		set(e, !strings.EqualFold(f.value(), "false"))
		return nil
	}
}

func switched(field func(*engine) *v1alpha1.Switch) func(*engine, *flag) error {
	return on(func(e *engine, on bool) {
		*field(e) = v1alpha1.Disabled
		if on {
			*field(e) = v1alpha1.Enabled
		}
	})
}

// maxModelLen is derived where vLLM chooses it.
func maxModelLen(e *engine, f *flag) error {
	if v := f.value(); v == "auto" || v == "-1" {
		return nil
	}
	return optional(func(e *engine) **int32 { return &e.pool.Engine.MaxModelLen })(e, f)
}

func memoryUtilization(e *engine, f *flag) error {
	x, err := strconv.ParseFloat(f.value(), 64)
	if err != nil || !(x > 0 && x <= 1) {
		return errors.New("must be greater than 0 and at most 1")
	}
	e.pool.KVCache.MemoryUtilization = v1alpha1.PositiveDecimal(strconv.FormatFloat(x, 'f', -1, 64))
	return nil
}

func schedulingPolicy(e *engine, f *flag) error {
	policies := map[string]v1alpha1.Scheduler{"fcfs": v1alpha1.FCFSScheduler, "priority": v1alpha1.PriorityScheduler}
	policy, ok := policies[f.value()]
	if !ok {
		return errors.New("must be fcfs or priority")
	}
	e.pool.Engine.Scheduler = policy
	return nil
}

// kvCacheType takes the formats that take as many bytes as one that is simulated.
func kvCacheType(e *engine, f *flag) error {
	switch v := f.value(); {
	case strings.HasPrefix(v, "fp8"):
		e.pool.Quantization.KVCache = "fp8"
	case v != "auto" && v != "bfloat16" && v != "float16":
		e.note("--kv-cache-dtype %s is not simulated", v)
	}
	return nil
}

// weightFormats are the values of --quantization with the format of the weights. Others say how
// weights are read, and the model has their format.
var weightFormats = map[string]v1alpha1.Precision{"fp8": "fp8", "awq": "int4", "awq_marlin": "int4", "gptq": "int4", "gptq_marlin": "int4", "mxfp4": "mxfp4", "modelopt_fp4": "nvfp4"}

func quantization(e *engine, f *flag) error {
	format, ok := weightFormats[f.value()]
	if !ok {
		e.note("--quantization %s does not tell the format of the weights: set quantization.weights", f.value())
		return nil
	}
	e.pool.Quantization.Weights = format
	return nil
}

// adapters are those of the pool.
func (e *engine) adapters() *v1alpha1.Adapters {
	if e.pool.Adapters == nil {
		e.pool.Adapters = &v1alpha1.Adapters{Max: 1} // vLLM's --max-loras
	}
	return e.pool.Adapters
}

func (e *engine) lora(on bool) {
	if e.pool.Adapters = nil; on {
		e.adapters()
	}
}

// loraModules names the adapters in a note: requests for them are the traffic's.
func loraModules(e *engine, f *flag) error {
	var names []string
	for _, v := range f.values {
		var module struct{ Name string }
		if json.Unmarshal([]byte(v), &module) != nil {
			module.Name, _, _ = strings.Cut(v, "=")
		}
		names = append(names, module.Name)
	}
	e.adapters()
	e.note("the LoRA adapters %s are served: a client asks for one with adapter", strings.Join(names, ", "))
	return nil
}

// kvTransfer reads the role of the connector, and names connectors that keep KV blocks elsewhere.
func kvTransfer(e *engine, f *flag) error {
	var config struct {
		Connector string         `json:"kv_connector"`
		Role      string         `json:"kv_role"`
		Extra     map[string]any `json:"kv_connector_extra_config"`
	}
	if err := json.Unmarshal([]byte(strings.Join(f.values, " ")), &config); err != nil {
		return fmt.Errorf("must be an object of JSON: %w", err)
	}
	e.kvRole = config.Role
	if strings.Contains(config.Connector, "Offloading") || strings.Contains(config.Connector, "LMCache") || strings.Contains(config.Connector, "Multi") || strings.Contains(config.Connector, "Mooncake") && strings.Contains(config.Connector, "Store") {
		e.note("%s keeps KV blocks outside the GPUs: state its size in kvCache.tiers", config.Connector)
	}
	return nil
}

// offloadingSize is the size in GiB of the memory of the host, for all GPUs of the replica.
func offloadingSize(e *engine, f *flag) error {
	x, err := strconv.ParseFloat(f.value(), 64)
	if err != nil || !(x > 0 && x < 1<<20) {
		return errors.New("must be a number of GiB")
	}
	e.pool.KVCache.Tiers = []v1alpha1.Tier{{Kind: v1alpha1.CPUTier, Capacity: v1alpha1.Bytes(strconv.FormatFloat(math.Ceil(x*1024), 'f', 0, 64) + "Mi")}}
	return nil
}
