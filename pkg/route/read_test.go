// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/pkg/route"
)

// anHTTPRoute is one with rules.
func anHTTPRoute(rules string) string {
	return "kind: Gateway\nmetadata: {name: g}\n---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: llm}\nspec:\n  parentRefs: [{name: g}]\n  rules:\n" + rules
}

const (
	toStable = "backendRefs: [{group: inference.networking.k8s.io, kind: InferencePool, name: stable}]"
	toCanary = "backendRefs: [{group: inference.networking.k8s.io, kind: InferencePool, name: canary, weight: 5}]"
)

func TestReadHTTPRoutes(t *testing.T) {
	stable, canary := []route.PoolShare{{Pool: "stable", Weight: 1}}, []route.PoolShare{{Pool: "canary", Weight: 5}}
	for name, tc := range map[string]struct {
		rules, path string
		want        []route.HTTPRule
	}{
		"weights, of which one is missing": {
			"  - backendRefs:\n    - {group: inference.networking.k8s.io, kind: InferencePool, name: stable, weight: 90}\n    - {group: inference.networking.x-k8s.io, kind: InferencePool, name: canary}\n", "",
			[]route.HTTPRule{{Name: "llm", Backends: []route.PoolShare{{Pool: "stable", Weight: 90}, {Pool: "canary", Weight: 1}}}},
		},
		"more headers go before fewer": {
			"  - {" + toStable + "}\n  - {name: testers, matches: [{headers: [{name: x-canary, value: always}]}], " + toCanary + "}\n", "",
			[]route.HTTPRule{{Name: "testers", Headers: map[string]string{"X-Canary": "always"}, Backends: canary}, {Name: "llm", Backends: stable}},
		},
		"the header of a body-based router is the model": {
			"  - {matches: [{headers: [{type: Exact, name: X-Gateway-Model-Name, value: reviews}]}], " + toCanary + "}\n", "",
			[]route.HTTPRule{{Name: "llm", Model: "reviews", Backends: canary}},
		},
		"the longest prefix of a path that is stated": {
			"  - {matches: [{path: {type: PathPrefix, value: /v1}}], " + toStable + "}\n  - {matches: [{path: {type: PathPrefix, value: /v1/chat/}}], " + toCanary + "}\n", "/v1/chat/completions",
			[]route.HTTPRule{{Name: "llm-1", Backends: canary}},
		},
		"a prefix ends with an element": {
			"  - {matches: [{path: {type: PathPrefix, value: /v1/ch}}], " + toStable + "}\n  - {matches: [{path: {value: /v1}}], " + toCanary + "}\n", "/v1/chat/completions",
			[]route.HTTPRule{{Name: "llm-1", Backends: canary}},
		},
		"an exact path goes before a prefix": {
			"  - {matches: [{path: {value: /v1/completions}}], " + toStable + "}\n  - {matches: [{path: {type: Exact, value: /v1/completions}}], " + toCanary + "}\n", "/v1/completions",
			[]route.HTTPRule{{Name: "llm-1", Backends: canary}},
		},
		"without a path, that of the first match": {
			"  - {matches: [{path: {value: /a/b}}], " + toStable + "}\n  - {matches: [{path: {value: /a}}], backendRefs: [{name: service}]}\n", "",
			[]route.HTTPRule{{Name: "llm", Backends: stable}},
		},
		"each match is a rule with a name of its own": {
			"  - {matches: [{headers: [{name: a, value: x}]}, {headers: [{name: a, value: y}]}], " + toCanary + "}\n  - {name: llm, " + toStable + "}\n", "",
			[]route.HTTPRule{{Name: "llm", Headers: map[string]string{"A": "x"}, Backends: canary}, {Name: "llm-1", Headers: map[string]string{"A": "y"}, Backends: canary}, {Name: "llm-2", Backends: stable}},
		},
		"of headers with one name the first counts": {
			"  - {matches: [{headers: [{name: x-a, value: first}, {name: X-A, value: second}]}], " + toCanary + "}\n", "",
			[]route.HTTPRule{{Name: "llm", Headers: map[string]string{"X-A": "first"}, Backends: canary}},
		},
		"requests are POSTs without a query": {
			"  - {matches: [{method: GET}], " + toStable + "}\n  - {matches: [{queryParams: [{name: a, value: b}]}], " + toStable + "}\n  - {matches: [{method: POST}], " + toCanary + "}\n", "",
			[]route.HTTPRule{{Name: "llm-2", Backends: canary}},
		},
	} {
		got, errs := route.ReadHTTPRoutes([]byte(anHTTPRoute(tc.rules)), tc.path, nil)
		if len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
			continue
		}
		if diff := cmp.Diff(tc.want, got.Rules, cmpopts.IgnoreFields(route.PoolShare{}, "At")); diff != "" {
			t.Errorf("%s: (−want +got):\n%s", name, diff)
		}
	}
}

// Routes of one age are asked in the order of their namespaces and names.
func TestTheFirstHTTPRouteByName(t *testing.T) {
	one := func(namespace, name, to string) string {
		return "---\nkind: HTTPRoute\nmetadata: {namespace: " + namespace + ", name: " + name + "}\nspec: {rules: [{" + to + "}]}\n"
	}
	got, errs := route.ReadHTTPRoutes([]byte(one("b", "a", toStable)+one("a", "z", toStable)+one("a", "c", toCanary)), "", nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if len(got.Rules) != 1 || got.Rules[0].Name != "c" || got.Rules[0].Backends[0].Pool != "canary" {
		t.Errorf("the rules are %+v, want that of a/c", got.Rules)
	}
}

func TestReadHTTPRoutesRefuses(t *testing.T) {
	at := field.NewPath("inline")
	for name, tc := range map[string]struct{ text, want string }{
		"another kind":     {"kind: AIGatewayRoute", `has no HTTPRoute; it has objects of kind "AIGatewayRoute"`},
		"no YAML":          {"a: [", "is not YAML"},
		"an unknown field": {anHTTPRoute("  - {backends: []}\n"), `unknown field "rules[0].backends"`},
		"a Service":        {anHTTPRoute("  - {backendRefs: [{name: s, port: 80}]}\n"), "inline.spec.rules[0].backendRefs[0].kind"},
		"no backends":      {anHTTPRoute("  - {}\n"), "inline.spec.rules[0].backendRefs: Required"},
		"a mirror":         {anHTTPRoute("  - {filters: [{type: RequestMirror}], " + toStable + "}\n"), "inline.spec.rules[0].filters[0].type"},
		"sticky sessions":  {anHTTPRoute("  - {sessionPersistence: {type: Cookie}, " + toStable + "}\n"), "inline.spec.rules[0].sessionPersistence"},
		"a pattern":        {anHTTPRoute("  - {matches: [{path: {type: RegularExpression, value: /v.}}], " + toStable + "}\n"), "inline.spec.rules[0].matches[0].path.type"},
		"a pattern in a header": {
			anHTTPRoute("  - {matches: [{headers: [{type: RegularExpression, name: x, value: a.}]}], " + toStable + "}\n"), "inline.spec.rules[0].matches[0].headers[0].type",
		},
		"another group":    {anHTTPRoute("  - {backendRefs: [{group: apps, kind: InferencePool, name: s}]}\n"), `inline.spec.rules[0].backendRefs[0].group: Unsupported value: "apps"`},
		"no group":         {anHTTPRoute("  - {backendRefs: [{kind: InferencePool, name: s}]}\n"), "inline.spec.rules[0].backendRefs[0].group"},
		"a weight below 0": {anHTTPRoute("  - {backendRefs: [{group: inference.networking.k8s.io, kind: InferencePool, name: s, weight: -1}]}\n"), "inline.spec.rules[0].backendRefs[0].weight"},
		"no rules":         {"kind: HTTPRoute\nspec: {}\n", "no rule matches"},
	} {
		_, errs := route.ReadHTTPRoutes([]byte(tc.text), "", at)
		if len(errs) == 0 || !strings.Contains(errs.ToAggregate().Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, errs, tc.want)
		}
	}
}

func TestReadModelRewrites(t *testing.T) {
	text := `
kind: InferenceModelRewrite
metadata: {name: young, creationTimestamp: "2026-02-01T00:00:00Z"}
spec:
  poolRef: {name: llama}
  rules:
  - matches: [{model: {value: reviews}}, {model: {type: Exact, value: critics}}]
    targets: [{modelRewrite: v1, weight: 90}, {modelRewrite: v2, weight: 10}]
---
kind: InferenceModelRewrite
metadata: {name: old, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {poolRef: {name: llama}, rules: [{targets: [{modelRewrite: base}]}]}
`
	got, errs := route.ReadModelRewrites([]byte(text), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	split := []route.Target{{Model: "v1", Weight: ptr.To[int32](90)}, {Model: "v2", Weight: ptr.To[int32](10)}}
	want := []route.ModelRewrite{
		{Name: "old", Pool: "llama", Targets: []route.Target{{Model: "base"}}},
		{Name: "young", Pool: "llama", Model: "reviews", Targets: split},
		{Name: "young-1", Pool: "llama", Model: "critics", Targets: split},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(route.ModelRewrite{}, "At")); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}
