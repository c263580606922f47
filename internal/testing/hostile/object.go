// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

type object = map[string]any

// families are the kinds of harm, each with what it makes of a good object.
var families = []struct {
	name   string
	change func(*rand.Rand, object)
}{
	{"trace", badTrace},
	{"rule", badRule},
	{"picker", badPicker},
	{"grid", badGrid},
	{"path", badPath},
	{"name", badName},
	{"number", badNumber},
	{"resources", badResources},
	{"schema", badField},
}

// Families are the names of the kinds of harm.
func Families() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// Object returns the object of a number and the family that it is of, without a
// namespace. The same seed and number give the same object.
func Object(seed, number uint64) (family string, o *unstructured.Unstructured) {
	r := rand.New(rand.NewPCG(seed, number))
	f := families[number%uint64(len(families))]
	name := fmt.Sprintf("hostile-%s-%d", f.name, number)
	o = &unstructured.Unstructured{Object: good(name, r.IntN(2) == 0 || f.name == "rule" || f.name == "grid" || f.name == "path")}
	f.change(r, o.Object)
	return f.name, o
}

// good is the object that a family changes.
func good(name string, sweep bool) object {
	var o client.Object = builder.MakeRun(name, "").Obj()
	kind := v1alpha1.SimulationRunKind
	if sweep {
		kind = v1alpha1.PolicySweepKind
		o = builder.MakeSweep(name, "").Grid("a", "pools[llama].engine.maxNumSeqs", "1", "4", "1").
			Grid("b", "pools[llama].engine.maxNumBatchedTokens", "2048", "4096", "1024").Obj()
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		panic(fmt.Sprintf("hostile: %v", err))
	}
	delete(fields, "status")
	fields["metadata"] = object{"name": name}
	fields["apiVersion"], fields["kind"] = v1alpha1.GroupVersion.String(), kind
	return fields
}

// set sets a value of an object or of what lies in it. A step is a field's name or an
// index; fields on the way are made.
func set(node any, value any, path ...any) {
	for i, step := range path {
		last := i == len(path)-1
		if list, ok := node.([]any); ok {
			if last {
				list[step.(int)] = value
			}
			node = list[step.(int)]
			continue
		}
		fields, name := node.(object), step.(string)
		switch {
		case last:
			fields[name] = value
		case fields[name] == nil:
			fields[name] = object{}
		}
		node = fields[name]
	}
}

// one picks one of the values.
func one[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// nameOf picks the name of one of the files.
func nameOf(r *rand.Rand, files map[string][]byte) string {
	return one(r, slices.Sorted(maps.Keys(files))...)
}

func reference(name string) object { return object{"name": name, "key": key} }

func badTrace(r *rand.Rand, o object) {
	trace := object{"format": one(r, "Mooncake", "Mooncake", "Mooncake", "Azure"), "configMapRef": reference(nameOf(r, traces()))}
	if r.IntN(4) == 0 {
		trace["rateScale"] = one(r, "0.000001", "99999999", "1e9")
	}
	set(o, object{"trace": trace}, "spec", "scenario", "workload")
	if r.IntN(4) == 0 {
		set(o, strings.Repeat("0", 64), "spec", "scenario", "workload", "trace", "sha256")
	}
}

func badRule(r *rand.Rand, o object) {
	rule := func() string {
		return one(r,
			`!string(a).matches("(a`+strings.Repeat("a", 700)+`){1000}")`,
			"a > 1"+strings.Repeat(" || a * b > 1", 70),
			strings.Repeat("(", 400)+"a > 1"+strings.Repeat(")", 400),
			strings.Repeat("!", 900)+"(a > 1)",
			`["x"].map(x, ["y"].map(y, x + y)).size() > 0`,
			"a in ["+strings.Repeat("1,", 450)+"1]",
			"a / 0 > 1", "a % b == 1", "a", "nothing > 1", "a >", "'"+strings.Repeat("é", 300)+"' == string(a)",
			"a > 1e308 * b", "-9223372036854775808 / -1 > a", "\x00", " ",
		)
	}
	var rules []any
	for range 1 + r.IntN(4) {
		rules = append(rules, object{"expression": rule(), "message": "m"})
	}
	set(o, rules, "spec", "rules")
}

func badPicker(r *rand.Rand, o object) {
	config := object{"configMapRef": reference(nameOf(r, pickers()))}
	if r.IntN(3) == 0 {
		name := one(r, "epp-aliases", "epp-broken", "epp-nulls", "epp-kind", "epp-numbers", "epp-deep")
		text := string(pickers()[name])
		config = object{"inline": text[:min(len(text), 60<<10)]}
	}
	if r.IntN(3) == 0 {
		config["version"] = one(r, "router-v0.9", "router-v0.11", "router-v99", "")
	}
	set(o, object{"endpointPickerConfig": config}, "spec", "scenario", "router")
}

func badGrid(r *rand.Rand, o object) {
	paths := []string{
		"pools[llama].replicas", "pools[llama].engine.maxNumSeqs", "pools[llama].engine.maxNumBatchedTokens", "pools[llama].kvCache.blocks",
		"horizon.requests", "router.replicas", "pools[llama].engine.maxModelLen", "pools[llama].tensorParallelism",
	}
	var parameters []any
	for i, path := range paths[:1+r.IntN(len(paths))] {
		bounds := object{"min": "1", "max": one(r, "10", "30", "1000", "99999999"), "step": one(r, "1", "3")}
		if r.IntN(10) == 0 {
			bounds[one(r, "min", "max", "step")] = one(r, "0", "-99999999", "0.00000001", "99999999999999999999")
		}
		parameters = append(parameters, object{"name": fmt.Sprintf("p%d", i), "path": path, "range": bounds})
	}
	set(o, parameters, "spec", "parameters")
	if r.IntN(2) == 0 {
		set(o, object{"algorithm": one(r, "Grid", "Random", "TPE"), "maxTrials": one(r, int64(1), 10_000, 1<<40)}, "spec", "search")
	}
	if r.IntN(2) == 0 {
		set(o, object{"count": one(r, int64(1), 100, 1<<31)}, "spec", "replications")
	}
}

func badPath(r *rand.Rand, o object) {
	path := one(r,
		"pools", "pools[llama]", "pools[none].replicas", "pools[0].replicas", "pools[llama].replicas[0]", "router", "workload.clients",
		"..", "a..b", "pools[[llama]]", "pools[llama", "]", strings.Repeat("a.", 120)+"a", "é", "metadata.name", "execution.shards",
		"router.endpointPickerConfig", "router.endpointPickerConfig.plugins[none].parameters.x", "router.endpointPickerConfig.schedulingProfiles[default]",
		"horizon.requests", "workload.trace.configMapRef.name", "pools[llama].latency.table.inline", "../../etc/passwd", "",
	)
	value := one(r, "1", "-1", "", "null", "{}", "99999999999999999999", "NaN", "../x", strings.Repeat("9", 200))
	set(o, []any{object{"name": "a", "path": path, "values": []any{value}}}, "spec", "parameters")
}

func badName(r *rand.Rand, o object) {
	name := one(r, "../x/y", "100%", "kube-system/secret", strings.Repeat("a", 253), "none", "UPPER", "a..b", "é", ".", "")
	at := one(r,
		[]any{"spec", "scenario", "pools", 0, "model"},
		[]any{"spec", "scenario", "pools", 0, "accelerator"},
		[]any{"spec", "scenario", "pools", 0, "name"},
		[]any{"spec", "scenario", "router", "endpointPickerConfig"},
		[]any{"spec", "scenario", "catalogue"},
		[]any{"spec", "reuseFrom"},
		[]any{"metadata", "name"},
		[]any{"spec", "metrics"},
	)
	var value any = name
	switch at[len(at)-1] {
	case "endpointPickerConfig":
		value = object{"configMapRef": object{"name": name, "key": one(r, key, "../k", "100%", "none")}}
	case "catalogue":
		value = []any{object{"configMapRef": reference(one(r, name, nameOf(r, others()), nameOf(r, others())))}}
	case "reuseFrom":
		value = []any{name}
	case "metrics":
		value = []any{object{"name": one(r, "m", "goodput", name), "expression": one(r, "goodput / 0", "nothing.p99", "e2e.mean * e2e.mean", "1e308 * 1e308", strings.Repeat("(", 100))}}
	}
	set(o, value, at...)
}

func badNumber(r *rand.Rand, o object) {
	big := one(r, int64(0), -1, 1, 1<<31-1, 1<<31, 1<<53, 1<<63-1, 1_000_000, 100_000_000)
	at := one(r,
		[]any{"spec", "scenario", "horizon", "requests"},
		[]any{"spec", "scenario", "pools", 0, "replicas"},
		[]any{"spec", "scenario", "pools", 0, "tensorParallelism"},
		[]any{"spec", "scenario", "pools", 0, "engine", "maxNumSeqs"},
		[]any{"spec", "scenario", "pools", 0, "engine", "blockSize"},
		[]any{"spec", "scenario", "pools", 0, "engine", "maxModelLen"},
		[]any{"spec", "scenario", "pools", 0, "kvCache", "blocks"},
		[]any{"spec", "scenario", "router", "replicas"},
		[]any{"spec", "scenario", "workload", "clients", 0, "priority"},
		[]any{"spec", "execution", "shards"},
		[]any{"spec", "execution", "activeDeadlineSeconds"},
		[]any{"spec", "execution", "retriesPerShard"},
		[]any{"spec", "replications", "count"},
	)
	set(o, big, at...)
	if r.IntN(3) == 0 {
		set(o, one(r, "1ns", "8760h", "876000h", "-1s", "1d"), "spec", "scenario", "horizon", "duration")
	}
}

func badResources(r *rand.Rand, o object) {
	quantity := func() string {
		return one(r, "0", "1", "100000", "-1", "1n", "1m", "9E", "100000E", "64Mi", "1Ti", "1e400", "one")
	}
	resources := object{}
	for _, side := range []string{"requests", "limits"} {
		if r.IntN(3) > 0 {
			resources[side] = object{one(r, "cpu", "memory", "nvidia.com/gpu", "ephemeral-storage", "hugepages-2Mi", "bad name"): quantity()}
		}
	}
	set(o, resources, "spec", "execution", "resources")
	if r.IntN(2) == 0 {
		set(o, object{
			"priorityClassName": one(r, "none", "system-node-critical", "../x"),
			"nodeSelector":      object{one(r, "kubernetes.io/arch", "bad key/x/y"): one(r, "none", "bad value!")},
			"labels":            object{one(r, "team", "app.kubernetes.io/component", "a/b/c"): one(r, "x", strings.Repeat("x", 64))},
		}, "spec", "execution", "podOverrides")
	}
}
