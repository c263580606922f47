// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/printable"
)

// Fields are the fields of a scenario that summaries may name. All other names are those that
// the explanations of the router and the scalers give.
var Fields = []string{
	"pools[].replicas", "pools[].engine.scheduler", "pools[].engine.victim", "pools[].engine.maxNumSeqs",
	"pools[].engine.longPrefillTokenThreshold", "pools[].kvCache.blocks", "pools[].kvCache.tiers",
	"scalers[].parameters", "scalers[].interval", "router.endpointPickerConfig", "router.policies", "router.admission",
}

// focusLines says which parameters to look at for the first issues.
func focusLines(r *Report, _ *SummaryOptions) []line {
	var lines []line
	for _, a := range r.Issues() {
		text := r.focus(&a)
		if text == "" || slices.ContainsFunc(lines, func(l line) bool { return l.text == text }) {
			continue
		}
		lines = append(lines, line{levelFocus, text})
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]line{heading("Suggested focus")}, lines[:min(len(lines), 5)]...)
}

// focus is what may help against an anomaly.
func (r *Report) focus(a *Anomaly) string {
	prefixes, loads := r.scorers()
	if seen := r.programSignals(); len(seen) > 0 {
		prefixes, loads = strings.Join(seen, ", "), programLoads
	}
	switch a.Type {
	case PrefixBlind:
		if prefixes == "" {
			return "- " + string(a.Type) + ": no scorer looks at prefixes or sessions; add one in `router.endpointPickerConfig` or `router.policies`" + unlessEmpty(loads, ", in addition to ")
		}
		return "- " + string(a.Type) + ": more weight for " + prefixes + unlessEmpty(loads, " against ")
	case HotReplica:
		if prefixes == "" && loads == "" {
			return "- " + string(a.Type) + ": a policy in `router.policies` that looks at queues, in place of " + r.names("picker")
		}
		return "- " + string(a.Type) + ": less weight for " + orNone(prefixes) + unlessEmpty(loads, ", more for ")
	case ShadowDivergence:
		return "- " + string(a.Type) + ": " + r.indexes() + "; more of `pools[].kvCache.blocks` makes an index that does not see evictions right for longer"
	case CacheThrashing:
		return "- " + string(a.Type) + ": `pools[].kvCache.blocks` and `pools[].kvCache.tiers` hold too little for what comes back" + unlessEmpty(prefixes, "; weight of ")
	case PriorityInversion:
		return "- " + string(a.Type) + ": `pools[].engine.scheduler`, which orders the queue"
	case TenantBurst:
		return "- " + string(a.Type) + ": `router.admission`, which may bound a tenant" + unlessEmpty(r.names("admission"), " (now ") + closing(r.names("admission")) + ", or `pools[].engine.scheduler`"
	case PDBackpressure:
		return "- " + string(a.Type) + ": `pools[].replicas` and `pools[].engine.maxNumSeqs` of the decode pool" + unlessEmpty(r.names("decider"), ", and the threshold of ")
	case ScaleOscillation:
		return "- " + string(a.Type) + ": `scalers[].parameters` and `scalers[].interval` of " + printable.Markdown(a.About) + r.valuesOf(a.About)
	case PreemptionStorm:
		return "- " + string(a.Type) + ": `pools[].engine.maxNumSeqs`, `pools[].engine.victim` and `pools[].kvCache.blocks`"
	case HeadOfLineBlocking:
		return "- " + string(a.Type) + ": `pools[].engine.longPrefillTokenThreshold` and `pools[].engine.scheduler`"
	default:
		return ""
	}
}

// scorers names the scorers that look at prefixes, and the others, with their weights.
func (r *Report) scorers() (prefixes, others string) {
	var looking, rest []string
	for i := range r.Router {
		p := &r.Router[i]
		if p.Kind != "scorer" {
			continue
		}
		text := "`" + p.Name + "` (" + number(p.Weight) + " in profile " + p.Profile + ")"
		if p.looksAtPrefixes() {
			looking = append(looking, text)
		} else {
			rest = append(rest, text)
		}
	}
	return strings.Join(looking, ", "), strings.Join(rest, ", ")
}

// programLoads are the fields by which a program sees how busy an endpoint is.
const programLoads = "`endpoints.waiting`, `endpoints.running`, `endpoints.kv_usage`"

// programSignals are the fields by which the program of a bundle sees what an endpoint has of
// the prompt: no scorer is between the indexes and its choice. Without a program there are none.
func (r *Report) programSignals() []string {
	var indexes []string
	program := false
	for i := range r.Router {
		p := &r.Router[i]
		switch p.Kind {
		case "scorer":
			return nil
		case "prefix index":
			indexes = append(indexes, "`endpoints."+strings.ReplaceAll(p.Name, "-", "_")+"`")
		case "picker":
			program = program || p.Name == "bundle"
		}
	}
	if !program {
		return nil
	}
	return indexes
}

// names are those of one kind of plugin.
func (r *Report) names(kind string) string {
	var all []string
	for i := range r.Router {
		if r.Router[i].Kind == kind {
			all = append(all, "`"+r.Router[i].Name+"`")
		}
	}
	return strings.Join(all, ", ")
}

// indexes are the producers of what the router believes, with how fresh that is.
func (r *Report) indexes() string {
	var all []string
	for i := range r.Router {
		if p := &r.Router[i]; p.Kind == "prefix index" {
			all = append(all, "`"+p.Name+"` ("+p.Freshness+")")
		}
	}
	if len(all) == 0 {
		return "the router's index"
	}
	return strings.Join(all, ", ")
}

// valuesOf names the values that the decisions of a scaler rest on.
func (r *Report) valuesOf(about string) string {
	for _, s := range r.Scalers {
		if about == "scaler "+s.Name && len(s.Values) > 0 {
			return ", whose decisions rest on " + strings.Join(s.Values, ", ")
		}
	}
	return ""
}

func unlessEmpty(text, before string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func closing(text string) string {
	if text == "" {
		return ""
	}
	return ")"
}

func orNone(text string) string {
	if text == "" {
		return "what prefers one replica"
	}
	return text
}
