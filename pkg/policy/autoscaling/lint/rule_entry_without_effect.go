// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var entryWithoutEffect = Rule{
	ID: "entry-without-effect", Severity: lint.Warning, Kind: manifest.ConfigMap,
	Summary: "an entry of the workload-variant-autoscaler's ConfigMap other than default",
	Why:     "The controller at commit b08b1c77 reads the entry default only, also for a model that another entry names with model_id.",
	Fix:     "Put the values into the entry default, or into the ConfigMap of a namespace that holds the model alone.",
	check: func(p *pass) {
		for _, name := range p.Ignored {
			p.report(field.NewPath("data").Child(name), "the entry %s has no effect", name)
		}
	},
}
