// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/base64"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// A Form is a way to state the policy that adds prefix 3, queue 2 and KV 2.
type Form string

// The forms.
const (
	Native   Form = "native"
	Tree     Form = "tree"
	WASM     Form = "wasm"
	Starlark Form = "starlark"
)

// Forms are all of them.
var Forms = []Form{Native, Tree, WASM, Starlark}

// scorers are the terms of the policy.
var scorers = []native.Scorer{{Name: "prefix-affinity", Weight: 3}, {Name: "queue-depth", Weight: 2}, {Name: "kv-utilization", Weight: 2}}

// components are the forms that are programs.
var components = map[Form]string{
	Tree: `decisionTree: {root: {sum: [
    {field: endpoints.prefix_affinity, times: 3}, {field: endpoints.queue_depth, times: 2}, {field: endpoints.kv_utilization, times: 2}]}}`,
	WASM: "wasm: {module: " + module() + "}",
	Starlark: `starlark:
    parameters: {prefix: 3, queue: 2, kv: 2}
    source: |
      def score(request, endpoints):
          p = parameters
          return [p.prefix * e.prefix_affinity + p.queue * e.queue_depth + p.kv * e.kv_utilization for e in endpoints]`,
}

// module is the policy as a WebAssembly module in base64.
func module() string {
	l := sandbox.RoutingLayout(sandbox.Names{})
	first := l.Columns() // of prefix_affinity; the tokens that it believes in are next
	return base64.StdEncoding.EncodeToString(wasmtest.Weighted(l.Function, l.Scalars(), first+4, map[int]float64{first: 3, first + 2: 2, first + 3: 2}).Bytes())
}

// Programmed is R with the policy that adds prefix 3, queue 2 and KV 2 in one of its forms,
// outside of a fence. All forms decide the same.
func Programmed(form Form) func(requests, replicas int, seed int64) simulator.Config {
	routing := programmed(form)
	return func(requests, replicas int, seed int64) simulator.Config {
		cfg := R(requests, replicas, seed)
		cfg.Policies.Routing = native.New(routing, replicas, seed).Routing()
		return cfg
	}
}

// programmed reads the policy.
func programmed(form Form) *native.Config {
	config, errs := native.Load(native.Spec{Policy: "weighted", Scorers: scorers}, nil)
	if form != Native {
		spec := native.ProgramSpec{Load: func(l *sandbox.Layout) (sandbox.Code, field.ErrorList) { return component(form).Load(l, true, nil) }}
		for _, s := range component(form).AllSignals() {
			spec.Signals = append(spec.Signals, native.ProgramSignal{Field: s.FieldName(), Name: s.Name})
		}
		config, errs = native.LoadProgram(spec, nil)
	}
	if len(errs) > 0 {
		panic(fmt.Sprintf("reference: %s: %v", form, errs.ToAggregate()))
	}
	return config
}

func component(form Form) *bundle.Component {
	b, errs := bundle.Read([]byte("apiVersion: "+bundle.APIVersion+"\nkind: "+bundle.Kind+"\nrouting:\n  signals: [prefix-affinity, queue-depth, kv-utilization]\n  "+components[form]), nil)
	if len(errs) > 0 {
		panic(fmt.Sprintf("reference: %s: %v", form, errs.ToAggregate()))
	}
	return b.Routing
}
