// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

func newObject(kind string) runtime.Object {
	switch kind {
	case "SimulationRun":
		return &v1alpha1.SimulationRun{}
	case "PolicySweep":
		return &v1alpha1.PolicySweep{}
	default:
		return &corev1.ConfigMap{}
	}
}

// object is a document before it has a type.
type object = map[string]any

// documents are what the tables vary. Together they hold every field of both kinds' specs.
// The time of a case grows with its document, so each client has a small document of its own.
func documents(t *testing.T) map[string]object {
	t.Helper()
	docs := map[string]object{}
	for _, client := range loadAs[[]object](t, "clients") {
		docs["run-client-"+client["name"].(string)] = withClient(t, client)
	}
	for _, name := range []string{"run-bundle-inline", "run-bundle-reference", "run-bundle-file"} {
		docs[name] = load(t, name)
	}
	runs := []string{"run-clients", "run-trace", "run-file", "run-policies", "run-volume", "run-models", "run-scalers"}
	for _, name := range append(runs, "run-traces") {
		run := severalTraces(t, runs)
		if name != "run-traces" {
			run = load(t, name)
		}
		docs[name] = run
		sweep := load(t, "sweep")
		for field, value := range run["spec"].(object) {
			if field != "trace" { // which a sweep has not
				sweep["spec"].(object)[field] = value
			}
		}
		if execution, ok := run["spec"].(object)["execution"].(object); ok {
			execution = maps.Clone(execution)
			delete(execution, "live") // which a sweep has not
			sweep["spec"].(object)["execution"] = execution
		}
		if search, ok := searches[name]; ok {
			sweep["spec"].(object)["search"] = search
		}
		if name == "run-clients" {
			delete(sweep["spec"].(object), "follow") // which is not allowed beside workloads
			sweep["spec"].(object)["workloads"] = []any{object{"name": "calm", "sources": []any{"chat"}}}
		}
		docs[strings.Replace(name, "run", "sweep", 1)] = sweep
	}
	for name, config := range map[string]object{
		"sweep-proposal":        {"configMapRef": object{"name": "proposed", "key": "epp.yaml"}, "version": "router-v0.10"},
		"sweep-proposal-inline": {"inline": "kind: EndpointPickerConfig"},
		"sweep-proposal-file":   {"file": "epp.yaml"},
	} {
		docs[name] = proposal(t, config)
	}
	for _, name := range []string{"run-route", "run-route-inline", "run-route-reference", "run-route-file"} {
		docs[name] = load(t, name)
		sweep := unvaried(t)
		sweep["spec"].(object)["scenario"] = load(t, name)["spec"].(object)["scenario"]
		docs[strings.Replace(name, "run", "sweep", 1)] = sweep
	}
	docs["sweep-alternatives"] = alternatives(t)
	docs["sweep-rollout"] = rollingOut(t)
	return docs
}

// withClient is a run with one client.
func withClient(t *testing.T, client object) object {
	t.Helper()
	workload := object{"clients": []any{client}}
	return with(load(t, "run-file"), place{"spec", "scenario", "workload"}, workload).(object)
}

// severalTraces is a run that replays the traces of others, each under a name.
func severalTraces(t *testing.T, runs []string) object {
	t.Helper()
	workload := func(run object) object {
		return run["spec"].(object)["scenario"].(object)["workload"].(object)
	}
	var traces []any
	for _, name := range runs {
		if trace, ok := workload(load(t, name))["trace"].(object); ok {
			trace["name"] = name
			traces = append(traces, trace)
		}
	}
	run := load(t, "run-file")
	delete(workload(run), "trace")
	workload(run)["traces"] = traces
	return run
}

// alternatives is a sweep of whole parts: routers, admissions and engines. One of the engines is
// that of a run, which sets every field.
func alternatives(t *testing.T) object {
	t.Helper()
	sweep := unvaried(t)
	parameters := loadAs[[]any](t, "alternatives")
	scenario := load(t, "run-clients")["spec"].(object)["scenario"].(object)
	engine := scenario["pools"].([]any)[0].(object)["engine"]
	for _, p := range parameters {
		if p := p.(object); strings.HasSuffix(p["path"].(string), "].engine") {
			p["alternatives"] = append(p["alternatives"].([]any), object{"name": "every-field", "engine": engine})
		}
	}
	sweep["spec"].(object)["parameters"] = parameters
	return sweep
}

// unvaried is a sweep of a small run, without what its parameters are about.
func unvaried(t *testing.T) object {
	t.Helper()
	sweep := load(t, "sweep")
	spec := sweep["spec"].(object)
	for field, value := range load(t, "run-file")["spec"].(object) {
		if field != "trace" {
			spec[field] = value
		}
	}
	for _, field := range []string{"parameters", "rules", "baseline", "search", "gates"} {
		delete(spec, field)
	}
	return sweep
}

// proposal is a sweep that holds a proposed configuration against the scenario's.
func proposal(t *testing.T, config object) object {
	t.Helper()
	sweep := unvaried(t)
	spec := sweep["spec"].(object)
	gate := object{"name": "no-worse", "metric": "ttft.p99", "operator": "AtMost", "versusBaseline": "5%", "confidence": "0.95"}
	spec["gates"] = []any{gate}
	spec["proposal"] = object{"endpointPickerConfig": config}
	return sweep
}

// rollingOut is a sweep that moves traffic to another router.
func rollingOut(t *testing.T) object {
	t.Helper()
	sweep := proposal(t, nil)
	spec := sweep["spec"].(object)
	delete(spec, "proposal")
	delete(spec, "promote")
	scenario := maps.Clone(spec["scenario"].(object))
	delete(scenario, "router")
	maps.Copy(scenario, object{"routers": twoRouters, "route": toTwoRouters})
	spec["scenario"] = scenario
	spec["rollout"] = object{"backend": "org/b", "steps": []any{int64(10), int64(50), int64(100)}}
	return sweep
}

// searches are those of the sweeps beside the one of the folder's.
var searches = map[string]object{
	"run-trace": {"algorithm": "Capacity", "capacity": object{"load": "weight", "precision": "5%", "confidence": "0.9", "maxSeeds": int64(20), "demand": object{"load": "2", "replicas": "weight", "headroom": "30%", "survive": int64(1)}}},
	"run-file": {"algorithm": "MAPElites", "generationSize": int64(8), "islands": object{"count": int64(2), "migrateEvery": int64(3)}, "features": []any{
		object{"metric": "ttft.p99", "min": "0", "max": "2.5", "bins": int64(8)},
	}},
	"run-policies": {"algorithm": "Hyperband", "halving": object{"fidelity": "Seeds", "minimum": "0.1", "reduction": int64(4)}},
}

func load(t *testing.T, name string) object {
	t.Helper()
	return loadAs[object](t, name)
}

func loadAs[T any](t *testing.T, name string) T {
	t.Helper()
	text := testfile.Read(t, filepath.Join("testdata", name+".yaml"))
	var doc T
	if err := yaml.UnmarshalStrict(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func kindOf(doc object) string { return doc["kind"].(string) }

func encode(t *testing.T, doc object) []byte {
	t.Helper()
	return jsontest.Encode(t, doc)
}

// A place is a way into a document: field names and indices.
type place []any

// String prints a place as validation does: spec.pools[0].name.
func (p place) String() string {
	var b strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

func (p place) child(step any) place {
	return append(p[:len(p):len(p)], step)
}

// removed stands for a field that is taken out.
type removed struct{}

// with returns a copy of a document in which the value at a place is another.
func with(doc any, at place, value any) any {
	if len(at) == 0 {
		return value
	}
	switch node := doc.(type) {
	case object:
		c := make(object, len(node))
		for k, v := range node {
			c[k] = v
		}
		name := at[0].(string)
		changed := with(c[name], at[1:], value)
		if changed == (removed{}) {
			delete(c, name)
		} else {
			c[name] = changed
		}
		return c
	case []any:
		c := append([]any(nil), node...)
		i := at[0].(int)
		c[i] = with(c[i], at[1:], value)
		return c
	default:
		return with(object{}, at, value)
	}
}
