// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// labelFilter keeps endpoints by their labels, which never change.
type labelFilter struct{ keeps []bool }

// newLabelFilter makes the filter of a type that says what passes. There is
// none where all pass.
func newLabelFilter(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
	keeps, all := make([]bool, b.Endpoints), true
	for e := range keeps {
		keeps[e] = p.Kind.Passes(p, b.LabelsOf(e))
		all = all && keeps[e]
	}
	if all {
		return nil
	}
	return labelFilter{keeps}
}

func (f labelFilter) Filter(_ *scheduler.Cycle, candidates []int) []int {
	kept := candidates[:0]
	for _, e := range candidates {
		if f.keeps[e] {
			kept = append(kept, e)
		}
	}
	return kept
}

func (labelFilter) Lasts() {}

func treatLabels(_ *config.Config, cluster *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
	if cluster.Labelled() {
		return config.Exact, ""
	}
	return config.Exact, "endpoints have no labels, and all stay"
}

// dropsUnlabelled says where a filter would turn every request away, or keep all
// from prefill endpoints, because endpoints have no labels.
func dropsUnlabelled(c *config.Config, cluster *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
	if cluster.Labelled() || !c.Runs(p, cluster) || p.Kind.Passes(p, nil) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, p.Name, "drops endpoints without its label, but no endpoint has labels here: set the role or the labels of pools")}
}
