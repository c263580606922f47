// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// words says why the autoscaler decided so.
func (s *hpaScaler) words(d *hpa.SyncResult) string {
	was := int(s.scale.Spec)
	head := fmt.Sprintf("stays at %d", was)
	if d.Rescale {
		head = fmt.Sprintf("from %d to %d", was, d.Replicas)
	}
	switch {
	case d.Active == hpa.ScalingDisabled:
		return head + ": the autoscaler does nothing without replicas (ScalingDisabled)"
	case len(d.Proposals) == 0:
		return head + fmt.Sprintf(": the bounds are %d and %d", max(s.spec.Min, 1), s.spec.Max)
	case d.Active != hpa.ValidMetricFound:
		return head + ": " + s.failed(d) + fmt.Sprintf(" (%s)", d.Active)
	}
	why := head + ": "
	if d.Chosen >= 0 {
		why += s.proposed(d.Chosen, &d.Proposals[d.Chosen], was)
	}
	if missing := s.failed(d); missing != "" {
		why += "; " + missing
	}
	return why + s.held(d)
}

// proposed says what a metric proposes.
func (s *hpaScaler) proposed(i int, p *hpa.Proposal, was int) string {
	m := &s.spec.Metrics[i]
	each := ""
	if m.Target.Type == hpa.AverageValue {
		each = " for each replica"
	}
	text := fmt.Sprintf("%s is %s%s, for a target of %s", s.sources[i].name, decimal(p.Usage), each, decimal(m.Target.Value))
	if int(p.Replicas) == was {
		return text + ", which asks for no change"
	}
	return text + fmt.Sprintf(", which asks for %d", p.Replicas)
}

// failed says which metrics have no value.
func (s *hpaScaler) failed(d *hpa.SyncResult) string {
	var names []string
	for i := range d.Proposals {
		if d.Proposals[i].Failed != "" {
			names = append(names, s.sources[i].name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "no value of " + strings.Join(names, ", ")
}

// held says what keeps the count from what the metrics ask for.
func (s *hpaScaler) held(d *hpa.SyncResult) string {
	text := ""
	switch d.Stabilised {
	case hpa.ScaleUpStabilized:
		text += fmt.Sprintf("; held down by lower recommendations within the window of scaling up (%s)", d.Stabilised)
	case hpa.ScaleDownStabilized:
		text += fmt.Sprintf("; held up by higher recommendations within the window of scaling down (%s)", d.Stabilised)
	}
	switch d.Limited {
	case hpa.ScaleUpLimit, hpa.ScaleDownLimit:
		text += fmt.Sprintf("; the rules allow no faster change (%s)", d.Limited)
	case hpa.TooManyReplicas:
		text += fmt.Sprintf("; at most %d (%s)", s.spec.Max, d.Limited)
	case hpa.TooFewReplicas:
		text += fmt.Sprintf("; at least %d (%s)", max(s.spec.Min, 1), d.Limited)
	}
	return text
}

// decimal writes thousandths.
func decimal(n int64) string { return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) }

// unmeasured says what the analyser does without metrics.
func unmeasured(desired []int) string {
	if noneAsked(desired) {
		return "WVA asks for nothing: no replica has metrics"
	}
	return fmt.Sprintf("WVA still asks for %s: no replica has metrics", strings.Trim(fmt.Sprint(desired), "[]"))
}

// percentageWords says what the analyser asks for, and why.
func percentageWords(d *wva.Analysis, state wva.State, desired int) string {
	if d.Reason == wva.Unmeasured {
		return unmeasured([]int{desired})
	}
	text := fmt.Sprintf("WVA asks for %d: ", desired)
	switch {
	case d.Reason == wva.InTransition && d.Target != state.Current:
		return text + fmt.Sprintf("waits until there are as many; the pool has %d", state.Current)
	case d.Reason == wva.InTransition:
		return text + fmt.Sprintf("waits until all replicas have metrics: %d of %d", d.Measured, state.Current)
	}
	if d.Free == 0 {
		return text + fmt.Sprintf("every replica with metrics is saturated, of %d", d.Measured)
	}
	text += fmt.Sprintf("not saturated: %d of %d replicas, with a spare KV of %.3g and a spare queue of %.3g", d.Free, d.Measured, d.SpareKV, d.SpareQueue)
	switch {
	case d.Reason == wva.ScaleUp:
		return text + ", too little"
	case d.Reason == wva.ScaleDown:
		return text + ", enough with one replica fewer"
	case d.Lacks:
		return text + fmt.Sprintf(", too little, while replicas start: %d", state.Pending)
	default:
		return text + ", enough, but not with one replica fewer"
	}
}
