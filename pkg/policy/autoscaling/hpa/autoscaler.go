// SPDX-License-Identifier: Apache-2.0

package hpa

import "windtunnel.dev/windtunnel/pkg/simtime"

// Autoscaler is one HorizontalPodAutoscaler and what the controller remembers of it. Its memory
// is bounded by its windows.
type Autoscaler struct {
	spec      Spec
	options   Options
	tolerance tolerance
	proposals []Proposal

	recommendations []recommendation
	ups, downs      events
}

// New returns an autoscaler that has not yet seen its target. The spec may lack what has a
// default; the API server would accept the rest of it.
func New(spec Spec, options Options) *Autoscaler {
	spec = Defaults(spec)
	if spec.Behavior != nil {
		spec.Behavior.ScaleDown = spec.Behavior.ScaleDown.withWindow(options.DownscaleStabilisation)
	}
	return &Autoscaler{
		spec:      spec,
		options:   options,
		tolerance: tolerances(&spec, options.Tolerance),
		proposals: make([]Proposal, 0, len(spec.Metrics)),
	}
}

// Sync decides on the count of replicas. observed has one entry for each metric of the spec,
// after defaults. The write of the count always succeeds.
func (a *Autoscaler) Sync(now simtime.Time, scale Scale, observed []Observation) SyncResult {
	if a.recommendations == nil {
		a.recommendations = append(a.recommendations, recommendation{scale.Spec, now})
	}
	d := a.decide(now, &scale, observed)
	if d.Rescale = d.Replicas != scale.Spec; d.Rescale {
		d.Able = SucceededRescale
		a.remember(now, scale.Spec, d.Replicas)
	}
	return d
}

// decide returns the decision without what follows from a change of the count.
func (a *Autoscaler) decide(now simtime.Time, scale *Scale, observed []Observation) SyncResult {
	d := SyncResult{Replicas: scale.Spec, Chosen: -1, Able: SucceededGetScale}
	switch {
	case scale.Spec == 0:
		d.Active = ScalingDisabled
		return d
	case scale.Spec > a.spec.Max:
		d.Replicas = a.spec.Max
		return d
	case scale.Spec < a.spec.Min:
		d.Replicas = a.spec.Min
		return d
	}
	if !a.recommend(now, scale, observed, &d) {
		return d
	}
	if a.spec.Behavior == nil {
		a.normalise(now, scale.Spec, &d)
	} else {
		a.normaliseWithBehavior(now, scale.Spec, &d)
	}
	return d
}

// normalise applies the rules of a spec without behaviour.
func (a *Autoscaler) normalise(now simtime.Time, current int32, d *SyncResult) {
	stable := a.stabiliseDown(now, d.Recommended)
	d.Stabilised = ReadyForNewScale
	if stable != d.Recommended {
		d.Stabilised = ScaleDownStabilized
	}
	d.Able = d.Stabilised
	d.Replicas, d.Limited = limitPlainly(current, stable, a.spec.Min, a.spec.Max)
}

// normaliseWithBehavior applies the rules of a spec with behaviour.
func (a *Autoscaler) normaliseWithBehavior(now simtime.Time, current int32, d *SyncResult) {
	stable := a.stabilise(now, current, d.Recommended)
	switch {
	case stable == d.Recommended:
		d.Stabilised = ReadyForNewScale
	case d.Recommended >= current:
		d.Stabilised = ScaleUpStabilized
	default:
		d.Stabilised = ScaleDownStabilized
	}
	d.Able = d.Stabilised
	d.Replicas, d.Limited = a.limit(now, current, stable)
}
