// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

func (b *Builder) buildPools(in []v1alpha1.Pool, catalogue *latency.Catalogue, path *field.Path) ([]simulator.Pool, field.ErrorList) {
	pools := make([]simulator.Pool, len(in))
	var errs field.ErrorList
	for i := range in {
		var es field.ErrorList
		pools[i], es = b.buildPool(&in[i], catalogue, path.Index(i))
		errs = append(errs, es...)
	}
	return pools, errs
}

// validateOneModel says which pools behind one router serve another model than the first.
func validateOneModel(in []v1alpha1.Pool, catalogue *latency.Catalogue, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in {
		if !sameModel(catalogue, in[i].Model, in[0].Model) {
			errs = append(errs, field.Invalid(path.Index(i).Child("model"), in[i].Model,
				"all pools behind one router serve the same model, and the first one serves "+in[0].Model+": list a router for each model in routers"))
		}
	}
	return errs
}

func sameModel(catalogue *latency.Catalogue, a, b string) bool {
	first, _ := catalogue.Model(a)
	second, _ := catalogue.Model(b)
	return a == b || first.Name == second.Name && first.Name != ""
}

func (b *Builder) buildPool(in *v1alpha1.Pool, catalogue *latency.Catalogue, path *field.Path) (simulator.Pool, field.ErrorList) {
	instance, errs := buildInstance(in, catalogue, path)
	if len(errs) > 0 {
		return simulator.Pool{}, errs
	}
	pool := simulator.Pool{
		Name:                in.Name,
		Replicas:            int(in.Replicas) * ranksOf(in),
		Ranks:               ranksOf(in),
		OnePort:             in.DataParallelBalancing == v1alpha1.InternalBalancing,
		BlockTokens:         int(in.Engine.BlockSize),
		PrefixCaching:       in.Engine.PrefixCaching != v1alpha1.Disabled,
		MaxNumSeqs:          int(in.Engine.MaxNumSeqs),
		MaxNumBatchedTokens: int(in.Engine.MaxNumBatchedTokens),
		MaxQueuedRequests:   bound(in.Engine.MaxNumQueuedReqs),
		MaxQueuedTokens:     bound(in.Engine.MaxNumQueuedTokens),
		LongPrefillTokens:   int(in.Engine.LongPrefillTokenThreshold),
		ReserveFullPrompt:   in.Engine.ReserveFullPrompt != v1alpha1.Disabled,
		WatchQueue:          in.Engine.QueueMetrics == v1alpha1.Enabled,
		MaxModelLen:         instance.Model.ContextTokens,
		Cost:                buildRequestCost(in.RequestCost),
	}
	pool.AsynchronousScheduling = schedulesAsynchronously(in, instance.EngineVersion)
	if in.Engine.MaxModelLen != nil {
		pool.MaxModelLen = int(*in.Engine.MaxModelLen)
	}
	errs = pool.Cost.Validate(path.Child("requestCost"))
	if in.DataParallelBalancing != "" && pool.Ranks < 2 {
		errs = append(errs, field.Invalid(path.Child("dataParallelBalancing"), in.DataParallelBalancing, "needs dataParallelism of at least 2: a replica without ranks has none to choose"))
	}
	var es field.ErrorList
	pool.Speculation, es = buildSpeculation(in, path)
	errs = append(errs, es...)
	kept := inMemory(in, instance)
	pool.ReportedBlocks, es = buildKVBlocks(in, kept, path)
	errs = append(errs, es...)
	pool.KVBlocks = pool.ReportedBlocks - nullBlocks
	pool.Windows.Groups, pool.Windows.Blocks = kept.KVWindows(pool.BlockTokens)
	errs = append(errs, validateWindows(&pool, path)...)
	errs = append(errs, validateModelLen(in, &pool, path)...)
	pool.BlockBytes = kept.KVBytesPerToken() * int64(in.TensorParallelism) * int64(pool.BlockTokens)
	pool.InitialCacheHitRate, es = buildInitialHits(in, path)
	errs = append(errs, es...)
	pool.Eviction = evictions[in.KVCache.Eviction]
	pool.Tiers, es = buildTiers(&in.KVCache, int(in.TensorParallelism), pool.BlockBytes, path.Child("kvCache"))
	errs = append(errs, es...)
	pool.Adapters = buildAdapters(in.Adapters)
	pool.Stability, es = buildStability(in.KVCache.Stability, &pool, path.Child("kvCache", "stability"))
	errs = append(errs, es...)
	limits := latency.EngineLimits{MaxNumSeqs: pool.MaxNumSeqs, MaxNumBatchedTokens: pool.MaxNumBatchedTokens, MaxModelLen: pool.MaxModelLen}
	pool.Timer, es = b.buildTimer(&in.Latency, instance, limits, path.Child("latency"))
	errs = append(errs, es...)
	if pool.Speculation != nil && len(errs) == 0 {
		pool.Timer = withDrafts(pool.Timer, in, instance)
	}
	if instance.StepTogether() && len(errs) == 0 {
		pool.LockStep = pool.Timer.(simulator.GroupTimer)
	}
	return pool, errs
}

// bound is a bound of the API; nil is none.
func bound(in *int32) *int {
	if in == nil {
		return nil
	}
	n := int(*in)
	return &n
}

// buildInitialHits is the share of prompts that the cache holds at the start.
func buildInitialHits(in *v1alpha1.Pool, path *field.Path) (float64, field.ErrorList) {
	rate, at := in.KVCache.InitialCacheHitRate.Float(), path.Child("kvCache", "initialCacheHitRate")
	switch {
	case rate < 0 || rate > 1:
		return 0, field.ErrorList{field.Invalid(at, in.KVCache.InitialCacheHitRate, "must be from 0 to 1")}
	case rate > 0 && in.Engine.PrefixCaching == v1alpha1.Disabled:
		return 0, field.ErrorList{field.Forbidden(at, "has no effect with engine.prefixCaching: Disabled")}
	case rate > 0 && in.KVCache.Stability != nil:
		return 0, field.ErrorList{field.Forbidden(at, "cannot be set together with kvCache.stability, which counts the blocks without content that the rate would take")}
	}
	return rate, nil
}

// buildInstance finds a pool's model and accelerator and says in what numbers
// it is served.
func buildInstance(in *v1alpha1.Pool, catalogue *latency.Catalogue, path *field.Path) (latency.Instance, field.ErrorList) {
	var errs field.ErrorList
	model, ok := catalogue.Model(in.Model)
	if !ok {
		errs = append(errs, notInCatalogue(path.Child("model"), "model", in.Model, catalogue.ModelNames()))
	}
	accelerator, ok := catalogue.Accelerator(in.Accelerator)
	if !ok {
		errs = append(errs, notInCatalogue(path.Child("accelerator"), "accelerator", in.Accelerator, catalogue.AcceleratorNames()))
	}
	version, err := buildEngineVersion(in.Engine.Version, path.Child("engine", "version"))
	errs = append(errs, err...)
	if len(errs) > 0 {
		return latency.Instance{}, errs
	}
	instance := latency.Instance{
		Model:             model,
		Accelerator:       accelerator,
		TensorParallelism: int(in.TensorParallelism),
		DataParallelism:   ranksOf(in),
		ExpertParallel:    in.ExpertParallelism == v1alpha1.Enabled,
		Quantization: latency.Quantization{
			Weights:     precision(in.Quantization.Weights),
			KVCache:     precision(in.Quantization.KVCache),
			Activations: precision(in.Quantization.Activations),
		},
		EngineVersion: version,
		WholeKV:       hasConnector(in),
	}
	return instance, instance.Validate(path)
}

// hasConnector says that the engine's blocks leave it: to tiers, or to other replicas.
func hasConnector(in *v1alpha1.Pool) bool { return len(in.KVCache.Tiers) > 0 || in.Role != "" }

// buildEngineVersion reads the release of the engine; without one, the default's.
func buildEngineVersion(written string, path *field.Path) (latency.EngineVersion, field.ErrorList) {
	if written == "" {
		return latency.DefaultEngineVersion, nil
	}
	version, err := latency.ParseEngineVersion(written, path)
	if err != nil {
		return 0, field.ErrorList{err}
	}
	return version, nil
}

// schedulesAsynchronously says when the engine makes the schedule of a step, where the pool
// does not. The request costs that were published with linear and physics were fitted to
// engines that schedule between steps, and have what they wait for in them.
func schedulesAsynchronously(in *v1alpha1.Pool, version latency.EngineVersion) bool {
	switch {
	case in.Engine.AsynchronousScheduling != "":
		return in.Engine.AsynchronousScheduling == v1alpha1.Enabled
	case in.Latency.Model == v1alpha1.LinearModel, in.Latency.Model == v1alpha1.PhysicsModel:
		return false
	case in.Engine.Speculation != nil && !hasDraftModel(in):
		return false // vLLM searches drafts in the tokens of the step before
	}
	return version.AsynchronousScheduling()
}

// precision is a format, or nothing where it is left to model and accelerator.
func precision[T ~string](name T) latency.Precision {
	if name == v1alpha1.AutoPrecision {
		return ""
	}
	return latency.Precision(name)
}

// notInCatalogue says that a catalogue has no such entry, and which ones are near.
func notInCatalogue(path *field.Path, what, name string, known []string) *field.Error {
	near, hint := "", ""
	if what == "model" {
		hint = "; the config.json that a model is published with on Hugging Face will do too: scenario.catalogue reads it (docs/catalogue.md)"
	}
	if names := spelling.Nearest(name, known); len(names) > 0 {
		near = "; near to it are " + spelling.Quote(names)
	}
	return &field.Error{
		Type:     field.ErrorTypeNotSupported,
		Field:    path.String(),
		BadValue: name,
		Detail:   fmt.Sprintf("the catalogue has no such %s%s; windtunnel catalogue lists all%s", what, near, hint),
	}
}

// nullBlocks is how many of its blocks vLLM keeps to itself, to point at where a
// sequence has none.
const nullBlocks = 1

// buildKVBlocks returns how many blocks a replica has, as vLLM logs it; at least
// one that can be used.
func buildKVBlocks(in *v1alpha1.Pool, instance latency.Instance, path *field.Path) (int, field.ErrorList) {
	if in.KVCache.Blocks != nil {
		return int(*in.KVCache.Blocks), nil
	}
	at := path.Child("kvCache", "memoryUtilization")
	budget := instance.DefaultMemoryBudget()
	budget.Utilization = in.KVCache.MemoryUtilization.Float()
	if budget.Utilization > 1 {
		return 0, field.ErrorList{field.Invalid(at, in.KVCache.MemoryUtilization, "must be at most 1")}
	}
	if in.KVCache.ActivationBytes != nil {
		budget.ActivationBytes = *in.KVCache.ActivationBytes
	}
	if in.KVCache.RuntimeBytes != nil {
		budget.RuntimeBytes = *in.KVCache.RuntimeBytes
	}
	blocks, err := instance.KVBlocks(int(in.Engine.BlockSize), budget)
	if err == nil && blocks <= nullBlocks {
		err = errors.New("there is memory for one KV block, and the engine keeps that to itself")
	}
	if err != nil {
		return 0, field.ErrorList{field.Invalid(path.Child("tensorParallelism"), in.TensorParallelism, err.Error())}
	}
	return blocks, nil
}

// validateWindows refuses a cache in which no request has a block in addition to those that it
// takes for sliding windows.
func validateWindows(pool *simulator.Pool, path *field.Path) field.ErrorList {
	if pool.KVBlocks < 1 || pool.KVTokens() > 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("kvCache", "blocks"), pool.ReportedBlocks, fmt.Sprintf(
		"must be at least %d: a request takes a block, and one for each of the %d groups of layers with sliding windows", nullBlocks+1+pool.Windows.Groups, pool.Windows.Groups))}
}

// validateModelLen refuses requests that no cache can hold, as vLLM does when it
// starts. Where nothing is said the cache is the bound.
func validateModelLen(in *v1alpha1.Pool, pool *simulator.Pool, path *field.Path) field.ErrorList {
	tokens := pool.KVTokens()
	if in.Engine.MaxModelLen == nil || pool.ReportedBlocks == 0 || pool.MaxModelLen <= tokens {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("engine", "maxModelLen"), pool.MaxModelLen, fmt.Sprintf(
		"one request of that length does not fit into the KV cache, which holds %d tokens: lower it, or make the cache larger", tokens))}
}

func buildRequestCost(in *v1alpha1.RequestCost) latency.RequestCost {
	if in == nil {
		return latency.RequestCost{}
	}
	cost := latency.RequestCostPreset(in.Preset).Cost()
	for _, f := range []struct {
		in  v1alpha1.Microseconds
		out *time.Duration
	}{
		{in.QueueBaseMicroseconds, &cost.QueueBase},
		{in.QueuePerTokenMicroseconds, &cost.QueuePerInputToken},
		{in.PerOutputTokenMicroseconds, &cost.PerOutputToken},
		{in.CompletionMicroseconds, &cost.Completion},
	} {
		if f.in != "" {
			*f.out = microseconds(f.in)
		}
	}
	return cost
}
