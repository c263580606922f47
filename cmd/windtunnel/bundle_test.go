// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

// bundleRun is a short run whose router is what stands below policies.bundle.
func bundleRun(t *testing.T, bundle string) string {
	t.Helper()
	raw := cmdtest.TextOf(t, "../../config/samples/simulationrun-bundle.yaml")
	before, rest, found := strings.Cut(raw, "          inline: |\n")
	_, after, ends := strings.Cut(rest, "    workload:\n")
	if !found || !ends {
		t.Fatal("the sample is another one")
	}
	text := before + "          " + strings.ReplaceAll(bundle, "\n", "\n          ") + "\n    workload:\n" + after
	return cmdtest.TempFile(t, "run.yaml", strings.NewReplacer("requests: 5000", "requests: 50", "seeds: [1, 2, 3]", "seeds: [1]").Replace(text))
}

// configMapFile is the manifest of a ConfigMap with one key.
func configMapFile(t *testing.T, name, key, text string) string {
	t.Helper()
	raw, err := json.Marshal(corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: text},
	})
	if err != nil {
		t.Fatal(err)
	}
	return cmdtest.TempFile(t, "configmap.yaml", string(raw))
}

// moduleOf is a module in base64 that has only the function frame and those that are given.
func moduleOf(functions ...wasmtest.Function) string {
	m := wasmtest.Module{Pages: 1, Functions: append([]wasmtest.Function{wasmtest.Frame(0)}, functions...)}
	return base64.StdEncoding.EncodeToString(m.Bytes())
}

const bundleHead = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n"

// refusedBundles are documents with what is wrong with them: a field's path or a line, and
// words.
var refusedBundles = map[string]struct {
	text string
	want []string
}{
	"two kinds for a component":          {bundleHead + "routing: {decisionTree: {root: {value: 1}}, starlark: {source: x}}", []string{"routing: Invalid value: \"decisionTree, starlark\"", "exactly one of"}},
	"no kind":                            {bundleHead + "routing: {}", []string{"routing: Invalid value", "exactly one of"}},
	"no routing":                         {bundleHead + "priority: {builtIn: {policy: class}}", []string{"policies.bundle.routing: Required", "a bundle states the routing"}},
	"a tree on a signal that is not":     {bundleHead + "routing: {decisionTree: {root: {sum: [{field: endpoints.output_tokens, times: 1}]}}}", []string{"routing.decisionTree.root.sum[0].field", "output_tokens", "endpoints.waiting"}},
	"a tree on a tenant that is not":     {bundleHead + "routing: {decisionTree: {root: {if: {field: request.tenant, is: nobody}, then: {value: 1}, else: {value: 2}}}}", []string{"routing.decisionTree.root.if.is", "nobody"}},
	"a signal that is not":               {bundleHead + "routing: {signals: [clairvoyance], starlark: {source: x}}", []string{"routing.signals[0].name", "clairvoyance", "prefix-affinity"}},
	"a language that is not":             {bundleHead + "routing: {lua: {source: x}}", []string{`routing.lua: Forbidden: unknown field`}},
	"another version of the bundle":      {"apiVersion: sim.windtunnel.dev/v2\nkind: PolicyBundle\nrouting: {builtIn: {policy: random}}", []string{"apiVersion", `"sim.windtunnel.dev/v2"`, "v1alpha1"}},
	"another version of Starlark":        {bundleHead + "routing: {starlark: {version: '20200101', source: x}}", []string{"routing.starlark.version", "20200101"}},
	"another version of a template":      {bundleHead + "routing: {parameterized: {template: weighted_affinity_routing, version: '0'}}", []string{"routing.parameterized.version"}},
	"a template that is not":             {bundleHead + "routing: {parameterized: {template: magic}}", []string{"routing.parameterized.template", "magic", "weighted_affinity_routing"}},
	"a template of another component":    {bundleHead + "routing: {parameterized: {template: slack_scheduler}}", []string{"routing.parameterized.template", "weighted_affinity_routing"}},
	"a parameter that is not":            {bundleHead + "routing: {parameterized: {template: weighted_affinity_routing, parameters: {luck: 1}}}", []string{"routing.parameterized.parameters", "luck", "queue_depth_weight"}},
	"a number out of its range":          {bundleHead + "routing: {parameterized: {template: weighted_affinity_routing, parameters: {utilization_threshold: 2}}}", []string{"routing.parameterized.parameters.utilization_threshold", "a number from 0 to 1"}},
	"a parameter that is NaN":            {bundleHead + "routing:\n  starlark:\n    parameters: {weight: .nan}\n    source: x", []string{"line 5", ".nan is no finite number"}},
	"a parameter that is infinite":       {bundleHead + "routing:\n  decisionTree: {root: {value: -.Inf}}", []string{"line 4", "-.Inf is no finite number"}},
	"a parameter that is too large":      {bundleHead + "routing: {starlark: {parameters: {weight: 1e999}, source: x}}", []string{"routing.starlark.parameters", "of type float64"}},
	"a parameter that is text":           {bundleHead + "routing: {starlark: {parameters: {weight: much}, source: x}}", []string{"routing.starlark.parameters", "string"}},
	"a policy that is not":               {bundleHead + "routing: {builtIn: {policy: best}}", []string{"routing.builtIn.policy", "best", "round-robin"}},
	"a victim of a router":               {bundleHead + "routing: {builtIn: {policy: random, victim: x}}", []string{"routing.builtIn.victim", "only the scheduler"}},
	"no program":                         {bundleHead + "routing: {starlark: {source: ''}}", []string{"routing.starlark.source", "Required"}},
	"a source that is too long":          {bundleHead + "routing: {starlark: {source: '" + strings.Repeat("x", 70<<10) + "'}}", []string{"policies.bundle.", "may not be more than 65536"}},
	"a module that is no base64":         {bundleHead + "routing: {wasm: {module: '(module)'}}", []string{"routing.wasm.module", "must be base64"}},
	"no module":                          {bundleHead + "routing: {wasm: {parameters: {a: 1}}}", []string{"routing.wasm.module", "Required"}},
	"a field twice":                      {bundleHead + "routing: {builtIn: {policy: random}}\nrouting: {builtIn: {policy: random}}", []string{"line 4", "already"}},
	"text that is no YAML":               {bundleHead + "routing: [", []string{"yaml: line"}},
	"a scaling that no scaler uses":      {bundleHead + "routing: {builtIn: {policy: random}}\nautoscale: {parameterized: {template: utilization_band_autoscale}}", []string{"policies.bundle.autoscale", "has no effect"}},
	"signals beside a template":          {bundleHead + "routing: {signals: [queue-depth], parameterized: {template: weighted_affinity_routing}}", []string{"routing.signals", "its own signals"}},
	"a source that is no program":        {bundleHead + "routing:\n  starlark:\n    source: |\n      x = 1\n      def score(:\n", []string{"the routing program, when it was read, line 2"}},
	"a source that imports":              {bundleHead + "routing: {starlark: {source: \"load('os', 'system')\"}}", []string{"the routing program, when it was read, line 1", "load is not offered"}},
	"a source without the function":      {bundleHead + "routing: {starlark: {source: 'def admit(request): return 1'}}", []string{"the routing program, when it was read", "no function score(request, endpoints)"}},
	"a function of other arguments":      {bundleHead + "routing: {starlark: {source: 'def score(request): return 1'}}", []string{"the routing program, when it was read, line 1", "score(request, endpoints)"}},
	"a module without the export":        {bundleHead + "routing: {wasm: {module: " + moduleOf() + "}}", []string{"the routing program, when it was read", "score"}},
	"a module with another type":         {bundleHead + "routing: {wasm: {module: " + moduleOf(wasmtest.Function{Export: "score", Params: "f64", Results: "i32", Body: "i32.const 0"}) + "}}", []string{"the routing program, when it was read", "score"}},
	"a module that is none":              {bundleHead + "routing: {wasm: {module: AAAA}}", []string{"the routing program, when it was read"}},
	"a module without the parameter":     {bundleHead + "routing: {wasm: {parameters: {luck: 1}, module: " + moduleOf(wasmtest.Function{Export: "score", Params: "i32", Results: "i32", Body: "i32.const 0"}) + "}}", []string{"the routing program, when it was read", "set_luck"}},
	"several faults at once, all listed": {bundleHead + "routing: {starlark: {version: '1', source: ''}}\nscheduler: {parameterized: {template: x}}", []string{"routing.starlark.version", "routing.starlark.source", "scheduler.parameterized.template"}},
}

// What is wrong with a bundle has its place and exit code 2, whether the document is in the
// object, in a file or in a ConfigMap. Nothing is printed.
func TestRefusedBundles(t *testing.T) {
	for name, tc := range refusedBundles {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			testfile.Write(t, filepath.Join(folder, "bundle.yaml"), []byte(tc.text))
			configMap := configMapFile(t, "bundles", "bundle.yaml", tc.text)
			from := map[string]string{
				"file":         "file: " + filepath.Join(folder, "bundle.yaml"),
				"configMapRef": "configMapRef: {name: bundles, key: bundle.yaml}",
			}
			if len(tc.text) < 60<<10 {
				from["inline"] = "inline: |\n  " + strings.ReplaceAll(tc.text, "\n", "\n  ")
			}
			for place, bundle := range from {
				out, err := windtunnel(t, "run", "-f", bundleRun(t, bundle), "--configmap", configMap)
				if cli.ExitCode(err) != cli.ExitBadInput || out != "" {
					t.Errorf("%s: exit code %d, %q, %v", place, cli.ExitCode(err), out, err)
					continue
				}
				for _, want := range tc.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%s: no %q in %v", place, want, err)
					}
				}
			}
		})
	}
}

// What a bundle contradicts in its scenario has the field's path, too.
func TestRefusedBundlesOfAScenario(t *testing.T) {
	for name, tc := range map[string]struct{ bundle, want string }{
		"a ConfigMap that is not":  {"configMapRef: {name: none, key: bundle.yaml}", "bundle.configMapRef"},
		"a key that is not":        {"configMapRef: {name: bundles, key: other.yaml}", "other.yaml"},
		"a file that is not":       {"file: none.yaml", "bundle.file"},
		"two sources":              {"inline: x\nfile: y", "bundle"},
		"an admission beside it":   {"inline: |\n  " + strings.ReplaceAll(bundleHead+"routing: {builtIn: {policy: random}}\nadmission: {builtIn: {policy: always}}", "\n", "\n  ") + "\n@admission", "router.admission"},
		"a native routing as well": {"inline: |\n  " + strings.ReplaceAll(bundleHead+"routing: {builtIn: {policy: random}}", "\n", "\n  ") + "\n@routing", "router.policies"},
	} {
		t.Run(name, func(t *testing.T) {
			configMap := configMapFile(t, "bundles", "bundle.yaml", bundleHead+"routing: {builtIn: {policy: random}}")
			file := bundleRun(t, tc.bundle)
			text := cmdtest.TextOf(t, file)
			edited := strings.NewReplacer("          @admission\n", "      admission: {policy: always}\n", "          @routing\n", "        routing: {policy: random}\n").Replace(text)
			testfile.Write(t, file, []byte(edited))
			out, err := windtunnel(t, "run", "-f", file, "--configmap", configMap)
			if cli.ExitCode(err) != cli.ExitBadInput || out != "" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d, %q, %v; want %q", cli.ExitCode(err), out, err, tc.want)
			}
		})
	}
}

// A program that answers wrongly is no bad input: the run has begun, and fails.
func TestAProgramThatFailsInACall(t *testing.T) {
	source := fmt.Sprintf("inline: |\n  %s", strings.ReplaceAll(bundleHead+"routing: {starlark: {source: 'def score(request, endpoints): return [1 // 0]'}}", "\n", "\n  "))
	_, err := windtunnel(t, "run", "-f", bundleRun(t, source))
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(err.Error(), "in a call, line 1") {
		t.Errorf("exit code %d, %v", cli.ExitCode(err), err)
	}
}

// A module may lie in the folder of its bundle, and in no other one.
func TestAModuleInTheFolderOfItsBundle(t *testing.T) {
	folder := t.TempDir()
	module := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{
		wasmtest.Frame(0), {Export: "score", Params: "i32", Results: "i32", Locals: "i32 i32", Body: wasmtest.ForEachRow(9, 9, "f64.const 1")},
	}}
	for name, raw := range map[string][]byte{
		"policy.wasm": module.Bytes(),
		"good.yaml":   []byte(bundleHead + "routing: {wasm: {moduleFrom: policy.wasm}}"),
		"bad.yaml":    []byte(bundleHead + "routing: {wasm: {moduleFrom: ../policy.wasm}}"),
		"none.yaml":   []byte(bundleHead + "routing: {wasm: {moduleFrom: other.wasm}}"),
	} {
		testfile.Write(t, filepath.Join(folder, name), raw)
	}
	for name, want := range map[string]string{"good.yaml": "", "bad.yaml": "a file in the folder of the document", "none.yaml": "no such file"} {
		_, err := windtunnel(t, "run", "-f", bundleRun(t, "file: "+filepath.Join(folder, name)))
		if want == "" && err != nil || want != "" && (cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: exit code %d, %v", name, cli.ExitCode(err), err)
		}
	}
}
