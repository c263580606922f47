// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// weightedModule is the policy of [asModule] in binary form.
func weightedModule() []byte {
	l := sandbox.RoutingLayout(sandbox.Names{})
	first := l.Columns()
	return wasmtest.Weighted(l.Function, l.Scalars(), first+4, map[int]float64{first: 3, first + 2: 2, first + 3: 2}).Bytes()
}

// padded is a module with a custom section of so many random bytes.
func padded(module []byte, bytes int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	section := []byte{1, 'x'}
	for range bytes {
		section = append(section, byte(r.Uint32()))
	}
	return append(binary.AppendUvarint(append(module, 0), uint64(len(section))), section...)
}

// besideRun is a run whose bundle is the key bundle.yaml of a ConfigMap with more keys.
func besideRun(t *testing.T, text string, keys map[string][]byte) (*compile.Compiled, string) {
	t.Helper()
	run := experimenttest.Run(t)
	bundled(run, "")
	run.Spec.Scenario.Router.Policies.Bundle = &v1alpha1.ManifestSource{ConfigMapRef: &v1alpha1.ConfigMapKeyReference{Name: "bundles", Key: "bundle.yaml"}}
	inputs := experimenttest.TraceInputs(t)
	inputs["bundles/bundle.yaml"] = []byte(bundleHead + text)
	for name, raw := range keys {
		inputs["bundles/"+name] = raw
	}
	c, errs, err := compile.Run(t.Context(), run, inputs)
	if err != nil {
		t.Fatal(err)
	}
	if len(errs) > 0 {
		return nil, errs.ToAggregate().Error()
	}
	return c, ""
}

const besideText = "routing:\n  signals: [prefix-affinity, queue-depth, kv-utilization]\n  wasm: {moduleFrom: policy.wasm}"

// A module in a key of the bundle's ConfigMap is as one in the document: it has the same key
// and rows. It may be larger than a document.
func TestAModuleBesideItsBundle(t *testing.T) {
	run := experimenttest.Run(t)
	bundled(run, asModule())
	want := rowsOf(t, run, 2)
	c, fault := besideRun(t, besideText, map[string][]byte{"policy.wasm": weightedModule()})
	if fault != "" {
		t.Fatal(fault)
	}
	rows := func(c *compile.Compiled) (all []result.Row) {
		for _, s := range experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)) {
			all = append(all, s.Row)
		}
		return all
	}
	if diff := cmp.Diff(want, rows(c)); diff != "" {
		t.Errorf("rows (-in the document +beside it):\n%s", diff)
	}
	if !slices.ContainsFunc(c.Plan.Inputs, func(in v1alpha1.InputDigest) bool { return in.Name == "ConfigMap/bundles/policy.wasm" }) {
		t.Errorf("the inputs lack the module: %+v", c.Plan.Inputs)
	}
	began := time.Now()
	large, fault := besideRun(t, besideText, map[string][]byte{"policy.wasm": padded(weightedModule(), 700<<10)})
	if fault != "" {
		t.Fatal(fault)
	}
	if diff := cmp.Diff(want, rows(large), cmpopts.IgnoreFields(result.Row{}, "Key")); diff != "" {
		t.Errorf("rows of a large module:\n%s", diff)
	}
	t.Logf("a module of 700 KiB: %v, and the plan has %d KiB", time.Since(began), len(large.Plan.Encode())>>10)
}

func TestFaultyModulesBesideABundle(t *testing.T) {
	module := map[string][]byte{"policy.wasm": weightedModule(), "empty.wasm": {}}
	inDocument := base64.StdEncoding.EncodeToString(weightedModule())
	for name, tc := range map[string]struct{ wasm, want string }{
		"a key that is not": {"{moduleFrom: other.wasm}", `wasm.moduleFrom: Not found: "bundles/other.wasm"`},
		"an empty module":   {"{moduleFrom: empty.wasm}", "wasm.moduleFrom: Invalid value"},
		"two modules":       {"{moduleFrom: policy.wasm, module: " + inDocument + "}", "wasm.moduleFrom: Forbidden: cannot be set together with module"},
		"another version":   {"{moduleFrom: policy.wasm, version: '0'}", "wasm.version: Unsupported value"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, fault := besideRun(t, "routing: {wasm: "+tc.wasm+"}", module); !strings.Contains(fault, tc.want) {
				t.Errorf("%q, want %q", fault, tc.want)
			}
		})
	}
	run := experimenttest.Run(t)
	bundled(run, besideText)
	_, errs, err := compile.Run(t.Context(), run, experimenttest.TraceInputs(t))
	if err != nil || len(errs) != 1 || !strings.Contains(errs[0].Error(), "wasm.moduleFrom: Forbidden") {
		t.Errorf("a document in the object: %v %v", errs, err)
	}
}
