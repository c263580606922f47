// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const root = "../../"

func TestSchemasAreThoseOfTheDefinitions(t *testing.T) {
	want, err := schemas(os.DirFS(root + crds))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	err = filepath.WalkDir(root+folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root+folder, path)
		if err != nil {
			return err
		}
		got[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run make manifests (−want +got):\n%s", diff)
	}
	for _, name := range []string{"sim.windtunnel.dev/simulationrun_v1alpha1.json", "sim.windtunnel.dev/policysweep_v1alpha1.json"} {
		if want[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
}

// A finished definition validates and defaults as the generated one, and a second step changes nothing.
func TestFinish(t *testing.T) {
	const file = "sim.windtunnel.dev_policysweeps.yaml"
	run, sweep := specOf(t, root+crds+"/sim.windtunnel.dev_simulationruns.yaml"), specOf(t, root+crds+"/"+file)
	for path, by := range shared {
		ofRun := at(bare(t, part(run, by)), "properties")
		if path == "execution" {
			delete(ofRun, "live") // The runs of a sweep are simulated.
		}
		if diff := cmp.Diff(ofRun, at(bare(t, part(sweep, path)), "properties")); diff != "" {
			t.Errorf("%s without descriptions (-run +sweep):\n%s", path, diff)
		}
	}
	for path, want := range map[string]string{
		"scenario.pools":                        "kubectl explain simulationrun.spec.scenario.pools",
		"scenario.pools.model":                  "",
		"parameters.alternatives.engine.victim": "",
		"execution.shards":                      "kubectl explain simulationrun.spec.execution.shards",
		"scenario.routers.adaptive":             "kubectl explain simulationrun.spec.scenario.router.adaptive",
	} {
		parent, name := path[:strings.LastIndex(path, ".")], path[strings.LastIndex(path, ".")+1:]
		if got, _ := at(part(sweep, parent), "properties", name)["description"].(string); got != want {
			t.Errorf("%s of a sweep is described by %q, want %q", path, got, want)
		}
	}
	for path, name := range map[string]string{"scenario.pools": "model", "scenario.routers": "inferencePool", "execution": "shards"} {
		if at(part(run, path), "properties", name)["description"] == nil {
			t.Errorf("no kind describes %s.%s", path, name)
		}
	}

	whole := definition(t, root+crds+"/"+file)
	describeShared(firstSchema(whole), object{"properties": object{"spec": run}})
	raw, err := yaml.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, file), raw)
	for range 2 {
		if err := finish(dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sweep, specOf(t, filepath.Join(dir, file))); diff != "" {
			t.Errorf("finished (-want +got):\n%s", diff)
		}
	}
}

// specOf reads the schema of spec from a definition.
func specOf(t *testing.T, file string) object {
	t.Helper()
	return at(firstSchema(definition(t, file)), "properties", "spec")
}

func definition(t *testing.T, file string) object {
	t.Helper()
	raw := testfile.Read(t, file)
	def := object{}
	if err := yaml.Unmarshal(raw, &def); err != nil {
		t.Fatal(err)
	}
	return def
}

// firstSchema is the schema of the first version of a definition.
func firstSchema(def object) object {
	return at(at(def, "spec")["versions"].([]any)[0].(object), "schema", "openAPIV3Schema")
}

// bare is a schema without descriptions.
func bare(t *testing.T, s object) object {
	t.Helper()
	raw := jsontest.Encode(t, s)
	o := jsontest.Decode[object](t, raw)
	undescribe(o)
	return o
}

// validator reads a schema as a tool that knows nothing of Kubernetes does.
func validator(t *testing.T, kind string) *validate.SchemaValidator {
	t.Helper()
	raw := testfile.Read(t, root+folder+"/sim.windtunnel.dev/"+strings.ToLower(kind)+"_v1alpha1.json")
	if strings.Contains(string(raw), "x-kubernetes-") {
		t.Errorf("%s: an extension of Kubernetes is left", kind)
	}
	s := jsontest.Decode[spec.Schema](t, raw)
	return validate.NewSchemaValidator(&s, nil, "", strfmt.Default)
}

func TestSamplesMeetTheSchemas(t *testing.T) {
	files, err := filepath.Glob(root + "config/samples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		raw := testfile.Read(t, file)
		for _, document := range strings.Split("\n"+string(raw), "\n---\n") {
			var o object
			if err := yaml.Unmarshal([]byte(document), &o); err != nil {
				t.Fatal(err)
			}
			kind, _ := o["kind"].(string)
			if kind != "SimulationRun" && kind != "PolicySweep" {
				continue
			}
			checked++
			if result := validator(t, kind).Validate(o); !result.IsValid() {
				t.Errorf("%s: %v", file, result.Errors)
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d samples are checked", checked)
	}
}

func TestSchemasAreStrict(t *testing.T) {
	const sample = `
apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: a, labels: {b: c}}
spec:
  scenario:
    horizon: {requests: 10}
    pools:
    - {name: llama, model: m, accelerator: h100-sxm}
    router: {endpointPickerConfig: {file: epp.yaml}}
    workload: {trace: {format: Mooncake, file: t.jsonl}}
`
	for name, tc := range map[string]struct {
		old, new string
		valid    bool
	}{
		"as it is":               {"", "", true},
		"an unknown field":       {"horizon:", "horizons: {}\n    horizon:", false},
		"one deep inside":        {"accelerator:", "gpu: x, accelerator:", false},
		"a string for a number":  {"requests: 10", `requests: "10"`, false},
		"out of bounds":          {"requests: 10", "requests: 0", false},
		"another kind":           {"kind: SimulationRun", "kind: PolicySweep", false},
		"another version":        {"dev/v1alpha1", "dev/v1", false},
		"without a spec's field": {"    workload: {trace: {format: Mooncake, file: t.jsonl}}\n", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			var o object
			if err := yaml.Unmarshal([]byte(strings.Replace(sample, tc.old, tc.new, 1)), &o); err != nil {
				t.Fatal(err)
			}
			if result := validator(t, "SimulationRun").Validate(o); result.IsValid() != tc.valid {
				t.Errorf("valid %t, want %t: %v", result.IsValid(), tc.valid, result.Errors)
			}
		})
	}
}
