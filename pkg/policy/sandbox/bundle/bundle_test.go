// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/template"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

const head = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n"

func TestRead(t *testing.T) {
	b, errs := Read([]byte(head+`
metadata: {name: one}
generation: 3
parent: zero
mutations: ["the weight of the queue is 4"]
admission:
  builtIn: {policy: token-bucket, parameters: {rate: 50, scope: tenant}}
routing:
  signals: [queue-depth, {name: prefix-affinity, field: prefix, parameters: {indexSize: 1000}}]
  starlark:
    parameters: {queue: 4}
    source: |
      def score(request, endpoints):
        return [parameters.queue * e.queue_depth + e.prefix for e in endpoints]
`), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got := Texts(b.Admission.BuiltIn.Parameters)["rate"]; got != "50" {
		t.Errorf("a number is %q", got)
	}
	if got := b.Routing.Signals[0].FieldName() + " " + b.Routing.Signals[1].FieldName(); got != "queue_depth prefix" {
		t.Errorf("fields are %q", got)
	}
	if !b.Foreign() {
		t.Error("code is not foreign")
	}
}

// Equal policies have equal texts, wherever they come from, and a text is read as itself.
func TestCanonical(t *testing.T) {
	one, _ := Read([]byte(head+"generation: 1\nparent: x\npriority: {builtIn: {policy: class}}"), nil)
	two, _ := Read([]byte("kind: PolicyBundle\npriority:\n  builtIn:\n    policy: class\napiVersion: sim.windtunnel.dev/v1alpha1\n"), nil)
	if one.Canonical() != two.Canonical() {
		t.Errorf("%s\n%s", one.Canonical(), two.Canonical())
	}
	again, errs := Read([]byte(one.Canonical()), nil)
	if len(errs) > 0 || again.Canonical() != one.Canonical() {
		t.Errorf("%v %s", errs, again.Canonical())
	}
}

// The text of a template has its version and all numbers, as other versions may have others.
func TestTemplatesAreWhole(t *testing.T) {
	b, errs := Read([]byte(head+"scheduler: {parameterized: {template: slack_scheduler, parameters: {slack_seconds: 3}}}"), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	again, errs := Read([]byte(b.Canonical()), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := &Parameterized{
		Template: "slack_scheduler", Version: template.Find("slack_scheduler").Version(),
		Parameters: map[string]float64{"slack_seconds": 3, "prompt_weight": 0.0001, "priority_weight": 1},
	}
	if diff := cmp.Diff(want, again.Scheduler.Parameterized); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b.Foreign() || !b.Scheduler.Program() {
		t.Error("a template is foreign, or no program")
	}
}

func TestFaultyBundles(t *testing.T) {
	for name, tc := range map[string]struct{ text, path, message string }{
		"not YAML":                  {"a: [", "b", "yaml"},
		"another kind":              {"apiVersion: sim.windtunnel.dev/v1alpha1\nkind: Policy\nrouting: {builtIn: {policy: random}}", "b.kind", "PolicyBundle"},
		"nothing":                   {head, "b", "at least one of admission"},
		"a field that is not there": {head + "routing: {starlrk: {}}", "b.routing.starlrk", `unknown field; there are builtIn, parameterized, decisionTree, starlark, wasm, signals; did you mean starlark?`},
		"a language that is not":    {head + "routing: {lua: {source: x}}", "b.routing.lua", `unknown field; there are builtIn, parameterized, decisionTree, starlark, wasm, signals`},
		"a file of a module":        {head + "routing: {wasm: {file: p.wasm}}", "b.routing.wasm.file", `unknown field; there are version, module, moduleFrom, parameters; moduleFrom is the name of a file next to the bundle, and module its bytes in base64`},
		"a file of a program":       {head + "routing: {starlark: {file: p.star}}", "b.routing.starlark.file", `unknown field; there are version, source, parameters; source is the text of the program`},
		"a field of a scorer":       {head + "routing: {builtIn: {policy: weighted, scorers: [{name: x, wieght: 1}]}}", "b.routing.builtIn.scorers[0].wieght", `there are name, weight, parameters; did you mean weight?`},
		"a field of the document":   {head + "rooting: {}", "b.rooting", `did you mean routing?`},
		"a field twice":             {head + "routing: {builtIn: {policy: random}}\nrouting: {builtIn: {policy: random}}", "b", "already"},
		"two kinds":                 {head + "routing: {builtIn: {policy: random}, starlark: {source: x}}", "b.routing", "exactly one of builtIn, parameterized, decisionTree, starlark and wasm"},
		"no kind":                   {head + "routing: {signals: []}", "b.routing", "exactly one of"},
		"no policy":                 {head + "routing: {builtIn: {}}", "b.routing.builtIn.policy", "state the name"},
		"scorers of an admission":   {head + "admission: {builtIn: {policy: always, scorers: [{name: x, weight: 1}]}}", "b.admission.builtIn.scorers", "only the routing has it"},
		"signals of an admission":   {head + "admission: {signals: [queue-depth], starlark: {source: x}}", "b.admission.signals", "only a program of the routing"},
		"signals of a policy":       {head + "routing: {signals: [queue-depth], builtIn: {policy: random}}", "b.routing.signals", "only a program of the routing"},
		"no source":                 {head + "routing: {starlark: {source: ''}}", "b.routing.starlark.source", "state the program"},
		"a long source":             {head + "routing: {starlark: {source: " + strings.Repeat("x", 65<<10) + "}}", "b.routing.starlark.source", "may not be more than 65536"},
		"another version":           {head + "routing: {starlark: {version: '1', source: x}}", "b.routing.starlark.version", "20"},
		"no module":                 {head + "routing: {wasm: {}}", "b.routing.wasm.module", "state the module"},
		"a module that is text":     {head + "routing: {wasm: {module: (module)}}", "b.routing.wasm.module", "must be base64"},
		"a module of half a byte":   {head + "routing: {wasm: {module: A}}", "b.routing.wasm.module", "must be base64"},
		"a long module":             {head + "routing: {wasm: {module: " + strings.Repeat("AAAA", 1400<<10) + "}}", "b.routing.wasm.module", "may not be more than 4194304"},
		"a template that is not":    {head + "routing: {parameterized: {template: x}}", "b.routing.parameterized.template", `"affinity_or_load_routing", "weighted_affinity_routing"`},
		"another's template":        {head + "routing: {parameterized: {template: slack_scheduler}}", "b.routing.parameterized.template", `"affinity_or_load_routing", "weighted_affinity_routing"`},
		"a number that is not":      {head + "scheduler: {parameterized: {template: slack_scheduler, parameters: {slack: 1}}}", "b.scheduler.parameterized.parameters", `"slack_seconds"`},
		"a number out of range":     {head + "scheduler: {parameterized: {template: slack_scheduler, parameters: {slack_seconds: 0}}}", "b.scheduler.parameterized.parameters.slack_seconds", "from 0.01 to 3600"},
		"a number as text":          {head + "scheduler: {parameterized: {template: slack_scheduler, parameters: {slack_seconds: x}}}", "b", "scheduler.parameterized.parameters of type float64"},
		"a number that is none":     {head + "scheduler: {parameterized: {template: slack_scheduler, parameters: {slack_seconds: .nan}}}", "b", "line 3: .nan is no finite number"},
		"another version of it":     {head + "scheduler: {parameterized: {template: slack_scheduler, version: '1'}}", "b.scheduler.parameterized.version", "supported values"},
		"signals of a template":     {head + "routing: {signals: [queue-depth], parameterized: {template: weighted_affinity_routing}}", "b.routing.signals", "has its own signals"},
		"no tree":                   {head + "routing: {decisionTree: {}}", "b.routing.decisionTree.root", "first node"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Read([]byte(tc.text), field.NewPath("b"))
			if len(errs) != 1 || errs[0].Field != tc.path || !strings.Contains(errs[0].Error(), tc.message) {
				t.Errorf("%v", errs)
			}
		})
	}
}

// A fault of code is one of the simulation; a fault of a tree is an error of the document.
func TestLoad(t *testing.T) {
	l := sandbox.RoutingLayout(sandbox.Names{})
	b, errs := Read([]byte(head+"routing: {starlark: {source: 'def score('}}\npriority: {decisionTree: {root: {if: {field: x, above: 1}, then: {value: 1}, else: {value: 2}}}}"), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	code, errs := b.Routing.Load(l, true, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if _, fault := code.New(nil); fault == nil || fault.Kind != policy.SyntaxFault || fault.Line != 1 {
		t.Errorf("%v", fault)
	}
	if code, errs := b.Routing.Load(l, false, nil); len(errs) > 0 || code != (sandbox.Unread{}) {
		t.Errorf("%v %v", code, errs)
	}
	if _, errs := b.Priority.Load(sandbox.PriorityLayout(sandbox.Names{}), false, field.NewPath("priority")); len(errs) != 1 || errs[0].Field != "priority.decisionTree.root.if.field" {
		t.Errorf("%v", errs)
	}
}

// A module is the same in one line and in several ones, runs, and has its parameters.
func TestModules(t *testing.T) {
	l := sandbox.SchedulerLayout(sandbox.Names{})
	m := wasmtest.Module{Pages: 1, Globals: []wasmtest.Global{{Type: "f64", Value: "f64.const 0"}}, Functions: []wasmtest.Function{
		wasmtest.Frame(0), {Export: "set_rank", Params: "f64", Body: "local.get 0 global.set 0"},
		{Export: "rank", Params: "i32", Results: "i32", Body: fmt.Sprintf("i32.const 0 global.get 0 f64.store %d i32.const 0", 8*l.Scalars())},
	}}
	module := base64.StdEncoding.EncodeToString(m.Bytes())
	one, errs := Read([]byte(head+"scheduler: {wasm: {parameters: {rank: 7}, module: "+module+"}}"), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	two, errs := Read([]byte(head+"scheduler:\n  wasm:\n    parameters: {rank: 7}\n    module: |\n      "+module[:20]+"\n      "+module[20:]+"\n"), nil)
	if len(errs) > 0 || one.Canonical() != two.Canonical() {
		t.Errorf("%v\n%s\n%s", errs, one.Canonical(), two.Canonical())
	}
	if !one.Foreign() {
		t.Error("a module is not foreign")
	}
	code, errs := one.Scheduler.Load(l, true, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, fault := code.New(nil)
	if fault != nil {
		t.Fatal(fault)
	}
	answer := make([]float64, 1)
	if fault := p.Run(sandbox.NewFrame(l, 0), answer); fault != nil || answer[0] != 7 {
		t.Errorf("%v %v", answer, fault)
	}
	one.Scheduler.WASM.Parameters["weight"] = 1
	code, _ = one.Scheduler.Load(l, true, nil)
	if _, fault := code.New(nil); fault == nil || !strings.Contains(fault.Message, "set_weight") {
		t.Errorf("%v", fault)
	}
}

// FuzzRead: what is read is a bundle, whose text is read as itself, and whose trees decide or
// have errors.
func FuzzRead(f *testing.F) {
	f.Add([]byte(head + "routing: {parameterized: {template: weighted_affinity_routing, parameters: {utilization_threshold: 0.5}}}"))
	f.Add([]byte(head + "scheduler: {decisionTree: {root: {if: {field: job.tokens, above: 1}, then: {value: 1}, else: {sum: [{field: job.turn, times: 2}], plus: 1}}}}"))
	f.Add([]byte(head + "priority: {decisionTree: {root: {if: {field: request.tenant, is: a}, then: {value: 1}, else: {sum: [{field: endpoints.waiting.max, times: 1e300}]}}}}"))
	f.Add([]byte(head + "admission: {builtIn: {policy: always, parameters: {a: 1, b: true}}}\ngeneration: 2\nmutations: [a]"))
	f.Add([]byte(head + "routing: {starlark: {source: x}}"))
	f.Add([]byte(head + "routing: {wasm: {module: AGFzbQEAAAA=}}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, errs := Read(raw, nil)
		if len(errs) > 0 {
			return
		}
		if again, errs := Read([]byte(b.Canonical()), nil); len(errs) > 0 || again.Canonical() != b.Canonical() {
			t.Errorf("%q is read as %q", raw, b.Canonical())
		}
		names := sandbox.Names{Tenants: []string{"a"}, Classes: []string{"b"}}
		for _, l := range []*sandbox.Layout{
			sandbox.AdmissionLayout(names), sandbox.PriorityLayout(names), sandbox.RoutingLayout(names), sandbox.SchedulerLayout(names), sandbox.AutoscaleLayout(),
		} {
			c := b.Components()[l.Component]
			if !c.Program() {
				continue
			}
			if code, errs := c.Load(l, false, nil); len(errs) == 0 && code != (sandbox.Unread{}) {
				p, _ := code.New(nil)
				frame := sandbox.NewFrame(l, 2)
				if l.Rows != nil {
					frame.Resize(l, 2)
				}
				_ = p.Run(frame, make([]float64, 2)) // it may have a fault
			}
		}
	})
}
