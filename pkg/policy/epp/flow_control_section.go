// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkFlowControl checks the limits and policies of the flow controller, which
// the EPP only looks at where its gate is on.
func (l *loader) checkFlowControl() {
	if !l.on(flowControlGate) {
		return
	}
	l.step = flowControlStep
	section, at := l.doc.FlowControl, l.path.Child("flowControl")
	checkCap(l, at.Child("maxBytes"), section.MaxBytes)
	checkCap(l, at.Child("maxRequests"), section.MaxRequests)
	l.checkBand(section.DefaultPriorityBand, at.Child("defaultPriorityBand"))
	l.checkBand(section.DefaultNegativePriorityBand, at.Child("defaultNegativePriorityBand"))
	seen := map[int]bool{}
	for i := range section.PriorityBands {
		band, at := &section.PriorityBands[i], at.Child("priorityBands").Index(i)
		l.checkBand(band, at)
		if seen[band.Priority] {
			l.add(field.Duplicate(at.Child("priority"), band.Priority))
		}
		seen[band.Priority] = true
	}
	for _, ttl := range []struct {
		name  string
		value *duration
	}{{"defaultRequestTTL", section.DefaultRequestTTL}, {"noEndpointRequestTTL", section.NoEndpointRequestTTL}} {
		if ttl.value != nil && *ttl.value < 0 {
			l.add(field.Invalid(at.Child(ttl.name), fmt.Sprint(*ttl.value), "must not be negative"))
		}
	}
	if ref := section.UsageLimitPolicyPluginRef; ref != "" {
		l.refer(ref, usageLimitRole, "a usage limit policy", at.Child("usageLimitPolicyPluginRef"))
	}
	if ref := section.BandSelectionPolicyPluginRef; ref != "" {
		l.refer(ref, noRole, "a band selection policy", at.Child("bandSelectionPolicyPluginRef"))
	}
	section.spellOut(l.dialect.framework)
}

func (l *loader) checkBand(band *priorityBand, at *field.Path) {
	if band == nil {
		return
	}
	checkCap(l, at.Child("maxBytes"), band.MaxBytes)
	checkCap(l, at.Child("maxRequests"), band.MaxRequests)
	if ref := band.OrderingPolicyRef; ref != "" {
		l.refer(ref, orderingRole, "an ordering policy", at.Child("orderingPolicyRef"))
	}
	if ref := band.FairnessPolicyRef; ref != "" {
		l.refer(ref, fairnessRole, "a fairness policy", at.Child("fairnessPolicyRef"))
	}
}

// checkCap checks a limit; 0 is the default.
func checkCap(l *loader, at *field.Path, limit *quantity) {
	if limit != nil && limit.negative() {
		l.add(field.Invalid(at, string(*limit), "must not be negative"))
	}
}
