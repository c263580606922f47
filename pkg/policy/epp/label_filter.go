// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// labelFilter keeps endpoints by their labels, which never change.
type labelFilter struct{ keeps []bool }

// newLabelFilter makes the filter of a type that says what passes. There is
// none where all pass.
func newLabelFilter(b *builder, p *plugin) filter {
	keeps, all := make([]bool, b.Endpoints), true
	for e := range keeps {
		keeps[e] = p.kind.passes(p, b.labelsOf(e))
		all = all && keeps[e]
	}
	if all {
		return nil
	}
	return labelFilter{keeps}
}

func (f labelFilter) filter(_ *cycle, candidates []int) []int {
	kept := candidates[:0]
	for _, e := range candidates {
		if f.keeps[e] {
			kept = append(kept, e)
		}
	}
	return kept
}

func treatLabels(_ *Config, cluster *Cluster, _ *plugin) (Treatment, string) {
	if cluster.labelled() {
		return Exact, ""
	}
	return Exact, "endpoints have no labels, and all stay"
}

// dropsUnlabelled says where a filter would turn every request away, or keep all
// from prefill endpoints, because endpoints have no labels.
func dropsUnlabelled(c *Config, cluster *Cluster, p *plugin, at *field.Path) field.ErrorList {
	if cluster.labelled() || !c.runs(p, cluster) || p.kind.passes(p, nil) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, p.Name, "drops endpoints without its label, and endpoints have none here: state the role or the labels of pools")}
}
