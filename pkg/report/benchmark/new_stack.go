// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"cmp"
	"maps"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// engineTool is what a report calls a simulated engine, and engineVersion its version.
const (
	engineTool    = "windtunnel (simulated vLLM)"
	engineVersion = "engine " + simulator.EngineVersion
	// unstated stands for the name of a model or an accelerator that the scenario does not
	// give, because its step times need none. The schema wants a name.
	unstated = "unstated"
)

// roles are those of pools without a role and with one.
var roles = map[v1alpha1.Role]string{
	"": "replica", v1alpha1.BothRole: "replica", v1alpha1.PrefillRole: "prefill", v1alpha1.DecodeRole: "decode",
}

// stack has one engine a pool, and one generic component a router.
func (in *Input) stack() []Component {
	var stack []Component
	pools, _ := in.Tree["pools"].([]any)
	for i := range in.Scenario.Pools {
		p := &in.Scenario.Pools[i]
		gpus, ranks := int64(max(p.TensorParallelism, 1)), int64(max(p.DataParallelism, 1))
		parallelism := Parallelism{TP: &gpus}
		if ranks > 1 {
			parallelism.DP = &ranks
		}
		all := gpus * ranks
		if p.ExpertParallelism == v1alpha1.Enabled {
			parallelism.EP = &all
		}
		stack = append(stack, Component{
			Metadata: ComponentMetadata{Label: p.Name, CfgID: digest(pools[i]), Description: "simulated pool"},
			Standardized: Standardized{Engine: &InferenceEngine{
				Kind: EngineKind, Tool: engineTool, ToolVersion: engineVersion,
				Role: roles[p.Role], Replicas: int64(max(p.Replicas, 1)),
				Model:       Model{Name: cmp.Or(p.Model, unstated)},
				Accelerator: Accelerator{Model: cmp.Or(p.Accelerator, unstated), Count: all, Parallelism: parallelism},
			}},
			Native: Native{Config: pools[i]},
		})
	}
	if routers, several := in.Tree["routers"].([]any); several {
		for i, router := range routers {
			stack = append(stack, routerComponent("router-"+in.Scenario.Routers[i].Model, router))
		}
		return stack
	}
	return append(stack, routerComponent("router", in.Tree["router"]))
}

// routerComponent is a router with its own configuration: the EndpointPickerConfig, or the
// policies.
func routerComponent(label string, tree any) Component {
	of, _ := tree.(map[string]any)
	config, version := any(of), "policies"
	if document, is := of["endpointPickerConfig"].(map[string]any); is {
		// The version is one of the fields of the EPP's own document.
		document = maps.Clone(document)
		version, _ = document["version"].(string)
		delete(document, "version")
		config, version = document, cmp.Or(version, "auto")
	}
	return Component{
		Metadata: ComponentMetadata{Label: label, CfgID: digest(tree), Description: "simulated router"},
		Standardized: Standardized{Generic: &Generic{
			Kind: GenericKind, Tool: "windtunnel (simulated EPP)", ToolVersion: version,
			Extra: map[string]any{"kind_draft": "router"},
		}},
		Native: Native{Config: config},
	}
}
