// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A flowControlLoader completes and checks the section flowControl.
type flowControlLoader struct{ *Loader }

// checkFlowControl checks the limits and policies of the flow controller, which
// the EPP only looks at where its gate is on.
func (l flowControlLoader) checkFlowControl() {
	if !l.on(flowControlGate) {
		return
	}
	l.step = flowControlStep
	section, at := l.Doc.FlowControl, l.path.Child("flowControl")
	l.checkCap(at.Child("maxBytes"), section.MaxBytes)
	l.checkCap(at.Child("maxRequests"), section.MaxRequests)
	l.checkBand(section.DefaultPriorityBand, at.Child("defaultPriorityBand"))
	l.checkBand(section.DefaultNegativePriorityBand, at.Child("defaultNegativePriorityBand"))
	seen := map[int]bool{}
	for i := range section.PriorityBands {
		band, at := &section.PriorityBands[i], at.Child("priorityBands").Index(i)
		l.checkBand(band, at)
		if seen[band.Priority] {
			l.Add(field.Duplicate(at.Child("priority"), band.Priority))
		}
		seen[band.Priority] = true
	}
	l.checkTTL(at.Child("defaultRequestTTL"), section.DefaultRequestTTL)
	l.checkTTL(at.Child("noEndpointRequestTTL"), section.NoEndpointRequestTTL)
	if ref := section.UsageLimitPolicyPluginRef; ref != "" {
		l.refer(ref, UsageLimitRole, "a usage limit policy", at.Child("usageLimitPolicyPluginRef"))
	}
	if ref := section.BandSelectionPolicyPluginRef; ref != "" {
		l.refer(ref, noRole, "a band selection policy", at.Child("bandSelectionPolicyPluginRef"))
	}
	section.spellOut(l.Dialect.Framework)
}

func (l flowControlLoader) checkBand(band *priorityBand, at *field.Path) {
	if band == nil {
		return
	}
	l.checkCap(at.Child("maxBytes"), band.MaxBytes)
	l.checkCap(at.Child("maxRequests"), band.MaxRequests)
	l.checkTTL(at.Child("defaultRequestTTL"), band.DefaultRequestTTL)
	if ref := band.OrderingPolicyRef; ref != "" {
		l.refer(ref, OrderingRole, "an ordering policy", at.Child("orderingPolicyRef"))
	}
	if ref := band.FairnessPolicyRef; ref != "" {
		l.refer(ref, FairnessRole, "a fairness policy", at.Child("fairnessPolicyRef"))
	}
}

func (l flowControlLoader) checkTTL(at *field.Path, ttl *document.Duration) {
	if ttl != nil && *ttl < 0 {
		l.Add(field.Invalid(at, fmt.Sprint(*ttl), "must not be negative"))
	}
}

// checkCap checks a limit; 0 is the default.
func (l flowControlLoader) checkCap(at *field.Path, limit *document.Quantity) {
	switch value := limit.Value(); {
	case value >= 0 && limit.Wraps():
		l.Notice(at, "replaced-value", "%s does not fit in 64 bits and is replaced by %d", *limit, value)
	case value >= 0:
	case strings.HasPrefix(string(*limit), "-"):
		l.Add(field.Invalid(at, string(*limit), "must not be negative"))
	default:
		l.Add(field.Invalid(at, string(*limit), "must be below 8Ei: the EPP takes it for a negative number"))
	}
}

// defaultFlowControl makes the policies that the EPP makes whether or not flow
// control is on.
func (l flowControlLoader) defaultFlowControl() {
	for _, made := range []struct {
		typeName string
		since    version.Release
	}{
		{FCFSOrderingPolicyType, version.Scheduler06},
		{GlobalStrictFairnessPolicyType, version.Scheduler06},
		{StaticUsageLimitPolicyType, version.GIE15},
	} {
		if l.Dialect.Framework >= made.since {
			l.ensure(made.typeName)
		}
	}
	rest := *l.Doc.FlowControl
	rest.SaturationDetector = nil
	if !l.on(flowControlGate) && !rest.isZero() {
		text := "ignored: feature gate %s is off"
		if l.Dialect.Framework >= version.Router09 {
			text = "ignored, saturationDetector excepted: feature gate %s is off"
		}
		l.Notice(l.path.Child("flowControl"), "flow-control-without-gate", text, flowControlGate)
	}
}

func (f *FlowControl) isZero() bool {
	return f.MaxBytes == nil && f.MaxRequests == nil && f.DefaultRequestTTL == nil && f.NoEndpointRequestTTL == nil &&
		f.DefaultPriorityBand == nil && f.DefaultNegativePriorityBand == nil && len(f.PriorityBands) == 0 &&
		f.UsageLimitPolicyPluginRef == "" && f.BandSelectionPolicyPluginRef == "" && f.SaturationDetector == nil && !f.EnableEviction
}

// defaultSaturationDetector fills in who tells how saturated the pool is. Up to
// gie-v1.4 that is no plugin, but built in.
func (l flowControlLoader) defaultSaturationDetector() {
	if l.Dialect.Framework < version.GIE15 {
		return
	}
	section, at := l.Doc.FlowControl, l.path.Child("flowControl", "saturationDetector")
	if l.movedDetector {
		at = l.path.Child("saturationDetector")
	}
	if section.SaturationDetector == nil {
		section.SaturationDetector = &Reference{}
	}
	detector := section.SaturationDetector
	SetDefault(&detector.PluginRef, UtilizationDetectorType)
	if detector.PluginRef == UtilizationDetectorType {
		l.ensure(UtilizationDetectorType)
	}
	l.step = detectorStep
	if l.ByName[detector.PluginRef] == nil {
		l.step = detectorRefStep
	}
	l.refer(detector.PluginRef, SaturationDetectorRole, "a saturation detector", at.Child("pluginRef"))
}

func (d *dataLayer) Lists(source string) bool {
	return slices.ContainsFunc(d.Sources, func(s DataSource) bool { return s.PluginRef == source })
}
