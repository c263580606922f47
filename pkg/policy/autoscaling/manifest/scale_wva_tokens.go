// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Variant is a pool as the analyser by tokens sees it.
type Variant struct {
	wva.Variant
	// KVTokens are what the KV cache of an engine holds.
	KVTokens int
	// Inventory are the accelerators of the node pool, or -1 without a node pool.
	Inventory int
}

// tokens is the analyser by tokens, of one pool, or of a prefill pool and a decode pool.
type tokens struct {
	analyser *wva.Tokens
	pools    []Variant
	// queue says that the EPP exports the queue of its flow control.
	queue bool
}

func (a *tokens) interval() time.Duration { return wva.TokensInterval }

func (a *tokens) analyse(view *autoscaling.View, wanted, desired []int, bounded func(pool, replicas int) int) (why string, measured bool) {
	variants, measured := a.observe(view, wanted)
	if !measured {
		return unmeasured(desired), false
	}
	d := a.analyser.Decide(variants, a.queued(view))
	var reasons []string
	for k := range variants {
		found, need := &d.Variants[k], d.Needs[variants[k].Role]
		desired[k] = bounded(k, found.Target)
		prefix := ""
		if len(variants) > 1 {
			prefix = variants[k].Name + " "
		}
		view.Note(prefix+"WVA demand (tokens)", need.Demand)
		view.Note(prefix+"WVA supply (tokens)", need.Supply)
		view.Note(prefix+"WVA capacity of an engine (tokens)", found.Capacity)
		view.Note(prefix+"WVA asks for", float64(desired[k]))
		reasons = append(reasons, prefix+tokenWords(&variants[k], found, &need, desired[k]))
	}
	return strings.Join(reasons, "; "), true
}

// observe returns the pools as they are now; measured is false where no engine has metrics.
func (a *tokens) observe(view *autoscaling.View, wanted []int) (variants []wva.Variant, measured bool) {
	for k := range view.Pools {
		p, v := &view.Pools[k], a.pools[k].Variant
		v.Min, v.Max = p.Min, p.Max
		v.Current, v.Pending = len(p.Replicas), len(p.Replicas)-p.Ready()
		if v.Current == 0 {
			v.Current = wanted[k]
		}
		eachPod(view, p, func(place int, started simtime.Time) {
			if e, ok := measureTokens(view, place, started, a.pools[k].KVTokens); ok {
				v.Engines = append(v.Engines, e)
			}
		})
		variants, measured = append(variants, v), measured || len(v.Engines) > 0
	}
	return variants, measured
}

// measureTokens measures the engine at a place that began to serve at a time.
func measureTokens(view *autoscaling.View, place int, started simtime.Time, capacity int) (wva.Engine, bool) {
	kv, waiting, ok := maxima(view, place, started)
	if !ok {
		return wva.Engine{}, false
	}
	e := wva.Engine{Capacity: int64(capacity), Waiting: waiting}
	e.InUse = min(int64(math.Round(kv*float64(capacity))), e.Capacity)
	var oldest, newest *autoscaling.Engine
	eachSample(view, wva.LengthsWindow, place, started, func(x *autoscaling.Engine) {
		if newest == nil {
			newest = x
		}
		oldest = x
	})
	ratio := func(of, per int64) float64 {
		if per <= 0 {
			return 0
		}
		return float64(of) / float64(per)
	}
	before, after := &oldest.Finished, &newest.Finished
	e.Input = ratio(after.PromptTokens-before.PromptTokens, after.Requests-before.Requests)
	e.Output = ratio(after.AnswerTokens-before.AnswerTokens, after.Requests-before.Requests)
	e.HitRate = ratio(newest.Counters.PrefixCacheHits-oldest.Counters.PrefixCacheHits, newest.Counters.PrefixCacheQueries-oldest.Counters.PrefixCacheQueries)
	return e, true
}

// queued is what the EPP exports of its queue.
func (a *tokens) queued(view *autoscaling.View) wva.Queue {
	s := view.Monitor.Latest(view.Now)
	if s == nil || !a.queue {
		return wva.Queue{}
	}
	return wva.Queue{Requests: int64(s.Gateway.Queued), Bytes: s.Router.QueuedBytes}
}

// tokenWords says what the analyser asks for, and why.
func tokenWords(v *wva.Variant, found *wva.VariantAnalysis, need *wva.Need, asked int) string {
	text := fmt.Sprintf("WVA asks for %d: a demand of %.0f tokens and a supply of %.0f, with %.0f an engine (%s), ", asked, need.Demand, need.Supply, found.Capacity, found.Source)
	switch {
	case need.Required > 0 && found.Target > v.Current:
		return text + fmt.Sprintf("lack %.0f", need.Required)
	case need.Required > 0:
		return text + fmt.Sprintf("lack %.0f, and there can be no more", need.Required)
	case found.Target < v.Current:
		return text + fmt.Sprintf("spare %.0f", need.Spare)
	case need.Spare > 0:
		return text + fmt.Sprintf("spare %.0f, which is less than an engine, or the last", need.Spare)
	default:
		return text + "are between the thresholds, with what starts"
	}
}

// limits are the accelerators that the pools may have, by name; nil without a limiter.
func (l *limiter) limits(pools []Variant) map[string]int {
	if !l.enabled {
		return nil
	}
	limits := map[string]int{}
	for i := range pools {
		name := pools[i].Accelerator
		if l.quotas == nil {
			limits[name] = pools[i].Inventory
			continue
		}
		if n, ok := l.quotas[shortName(name)]; ok {
			limits[name] = n
		}
	}
	return limits
}

// limiter bounds the accelerators of a model.
type limiter struct {
	enabled bool
	// quotas are by the short names of accelerators; nil where those that the cluster has count.
	quotas map[string]int
}

// shortName is the part of an accelerator's name that names its generation: H100 of NVIDIA-H100-80GB-HBM3 and of
// h100-sxm.
func shortName(accelerator string) string {
	parts := strings.Split(strings.ToUpper(accelerator), "-")
	if vendor := parts[0]; len(parts) > 1 && (vendor == "NVIDIA" || vendor == "AMD" || vendor == "INTEL") {
		return parts[1]
	}
	return parts[0]
}
