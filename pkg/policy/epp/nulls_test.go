// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A nullSite is a place among the parameters of a plugin where null or an empty
// string may stand.
type nullSite struct {
	typeName string
	// steps lead from the parameters to the place: names, and indexes of lists.
	steps []string
	// with and without are the configuration with a value at the place, and
	// without the key. An element of a list cannot be left out.
	with    func(value any) []byte
	without func() []byte
}

func (s *nullSite) path() string { return strings.Join(s.steps, ".") }

func (s *nullSite) isElement() bool {
	_, err := strconv.Atoi(s.steps[len(s.steps)-1])
	return err == nil
}

// eachNullSite calls a function for each value among the parameters of a
// configuration.
func eachNullSite(text []byte, do func(s *nullSite)) {
	var document map[string]any
	if yaml.Unmarshal(text, &document) != nil {
		return
	}
	plugins, _ := document["plugins"].([]any)
	for _, p := range plugins {
		entry, _ := p.(map[string]any)
		typeName, _ := entry["type"].(string)
		eachValue(entry["parameters"], nil, func(steps []string, set func(any), remove func()) {
			do(&nullSite{
				typeName: typeName,
				steps:    steps,
				with:     func(value any) []byte { set(value); return asJSON(document) },
				without:  func() []byte { remove(); return asJSON(document) },
			})
		})
	}
}

func asJSON(document any) []byte {
	raw, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	return raw
}

// eachValue calls a function for each value within one, which is as it was once
// the function returns.
func eachValue(v any, steps []string, do func(steps []string, set func(any), remove func())) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at, value := append(slices.Clip(steps), key), v[key]
			do(at, func(x any) { v[key] = x }, func() { delete(v, key) })
			v[key] = value
			eachValue(value, at, do)
		}
	case []any:
		for i, value := range v {
			at := append(slices.Clip(steps), strconv.Itoa(i))
			do(at, func(x any) { v[i] = x }, nil)
			v[i] = value
			eachValue(value, at, do)
		}
	}
}

// typeAt is what a version has at a place; nil where it has nothing there.
func typeAt(d version.Dialect, typeName string, steps []string) reflect.Type {
	kind := types.Lookup(d, typeName)
	if kind == nil || kind.Parameters == nil {
		return nil
	}
	decoder := document.Decoder{At: d.Clock(kind.Own), AnyCase: true}
	t := reflect.TypeOf(kind.Parameters())
	for _, step := range steps {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch i := 0; {
		case t == reflect.TypeFor[document.Node]():
			return nil
		case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
			t = t.Elem()
		case t.Kind() != reflect.Struct:
			return nil
		default:
			if i = decoder.Find(t, step); i < 0 {
				return nil
			}
			t = t.Field(i).Type
		}
	}
	return t
}

// nullsRefused are the places with a default that the EPP cannot do without, each
// since a release: only there null is not as good as no key.
var nullsRefused = map[string]version.Release{
	"indexerConfig": 0,
	"indexerConfig.kvBlockIndexConfig.inMemoryConfig": 0,
	"indexerConfig.KVBlockScorerConfig":               0,
	"indexerConfig.kvCacheBackendConfigs.0":           version.Scheduler04,
	"indexerConfig.kvCacheBackendConfigs.1":           version.Scheduler04,
	"kvEventsConfig":                                  version.Scheduler05,
}

// expectNull says what a version makes of null at a place, by what stands there:
// pointers, maps and lists are emptied, and all else keeps its default.
func expectNull(d version.Dialect, s *nullSite, original config.Stage) config.Stage {
	t := typeAt(d, s.typeName, s.steps)
	since, refuses := nullsRefused[s.path()]
	switch {
	case original == config.RefusedInDecoding || t == nil:
		return original
	case refuses && d.Own >= since && s.tracksCaches(d):
		return config.RefusedInLoading
	case s.isElement():
		return judgeAt(d, s.with(zeroOf(t)))
	default:
		return judgeAt(d, s.without())
	}
}

// tracksCaches reports whether the plugin knows the engines' caches, which one of
// scheduler-v0.2 does in a mode.
func (s *nullSite) tracksCaches(d version.Dialect) bool {
	return strings.HasPrefix(s.typeName, "precise-prefix-cache-") ||
		d.Own == version.Scheduler02 && bytes.Contains(s.without(), []byte(cacheTrackingMode))
}

// zeroOf is what stands for null in a list, as a value that says so.
func zeroOf(t reflect.Type) any {
	switch t.Kind() {
	case reflect.Pointer, reflect.Struct:
		return map[string]any{}
	case reflect.String:
		return ""
	default:
		return 0
	}
}

// checkEmpty says what is wrong with what a version made of an empty string: only
// where a string belongs may it be anything but refused.
func checkEmpty(d version.Dialect, s *nullSite, original, got config.Stage) string {
	t := typeAt(d, s.typeName, s.steps)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case original == config.RefusedInDecoding || t == nil:
		if got != original {
			return "want " + string(original)
		}
	case t == reflect.TypeFor[document.Node](): // The plugin looks by itself.
	case t.Kind() != reflect.String && got != config.RefusedInLoading:
		return "want it refused in loading: a " + t.String() + " is no string"
	}
	return ""
}

func judgeAt(d version.Dialect, text []byte) config.Stage {
	v := Judge(text, d.Name, nil)
	return v.Stage
}

// checkNullSites puts null and an empty string at each place of a configuration,
// for each version, and counts what becomes of them.
func checkNullSites(t *testing.T, name string, text []byte, counts map[string]int) {
	t.Helper()
	for _, d := range version.All {
		original := judgeAt(d, text)
		eachNullSite(text, func(s *nullSite) {
			want := expectNull(d, s, original)
			null, empty := judgeAt(d, s.with(nil)), judgeAt(d, s.with(""))
			if null != want {
				t.Errorf("%s at %s: %s.%s: null: %s, want %s", name, d.Name, s.typeName, s.path(), null, want)
			}
			if problem := checkEmpty(d, s, original, empty); problem != "" {
				t.Errorf(`%s at %s: %s.%s: "": %s, %s`, name, d.Name, s.typeName, s.path(), empty, problem)
			}
			if d.Name == "router-main" {
				counts["null "+string(null)]++
				counts[`"" `+string(empty)]++
			}
		})
	}
}

// TestNullAndEmptyInPublishedFiles goes through every value among the parameters of
// the published configurations.
func TestNullAndEmptyInPublishedFiles(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testdata.Dir(t), "epp", "configs", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Skip("no published configurations:", err)
	}
	counts := map[string]int{}
	for _, path := range paths {
		text := testfile.Read(t, path)
		checkNullSites(t, filepath.Base(path), text, counts)
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: %d", what, counts[what])
	}
}

// TestNullAndEmptyAmongParameters does so for a configuration of our own.
func TestNullAndEmptyAmongParameters(t *testing.T) {
	checkNullSites(t, "ours", []byte(`
plugins:
- type: precise-prefix-cache-producer
  parameters: &precise
    tokenProcessorConfig: {blockSize: 64, hashSeed: "42"}
    indexerConfig:
      kvBlockIndexConfig:
        inMemoryConfig: {size: 1000, podCacheSize: 2}
        enableMetrics: true
      KVBlockScorerConfig: {ScoringStrategy: LongestPrefix}
      kvCacheBackendConfigs: [{name: gpu, weight: 1}, {name: cpu, weight: 0.5}]
    kvEventsConfig:
      topicFilter: kv@
      podDiscoveryConfig: {socketPort: 5556}
    speculativeIndexing: true
    speculativeTTL: 1s
- {name: scorer, type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}}
- {name: filter, type: label-selector-filter, parameters: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b]}]}}
- {name: detector, type: utilization-detector, parameters: {metricsStalenessThreshold: 100ms, queueDepthThreshold: 4}}
schedulingProfiles:
- {name: default, plugins: [{pluginRef: scorer}, {pluginRef: filter}]}
`), map[string]int{})
}

// TestNullAndEmptyAsRealLoadersSee compares every parameter of every type with what
// real loaders make of it: see testdata/loader/README.md.
func TestNullAndEmptyAsRealLoadersSee(t *testing.T) {
	raw := testfile.Read(t, filepath.Join("testdata", "loader", "nulls.tsv"))
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	versions := strings.Split(lines[0], "\t")[2:]
	for i, v := range versions {
		d, err := version.Parse(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(v, func(t *testing.T) {
			want := map[string]string{}
			for _, line := range lines[1:] {
				columns := strings.Split(line, "\t")
				want[columns[0]+"\t"+columns[1]] = columns[2+i]
			}
			compared := 0
			eachParameter(d, func(typeName, parameters string) {
				verdict := want[typeName+"\t"+parameters]
				if verdict == "?" {
					return
				}
				compared++
				got := Judge(nullConfig(d, typeName, parameters), v, nil)
				if word := map[config.Stage]string{config.Accepted: "accepted", config.RefusedInLoading: "refused", config.RefusedInStarting: "refused"}[got.Stage]; word != verdict {
					t.Errorf("%s %s: %s %v, want %s", typeName, parameters, got.Stage, got.Errors, verdict)
				}
			})
			t.Logf("%d verdicts compared", compared)
		})
	}
}

// eachParameter calls a function for null and an empty string at each place among
// the parameters of each type.
func eachParameter(d version.Dialect, do func(typeName, parameters string)) {
	for _, kind := range types {
		if !kind.In(d) || kind.Parameters == nil {
			continue
		}
		at := document.Decoder{At: d.Clock(kind.Own)}
		each := func(wrapped string) { do(kind.Name, wrapped) }
		each("{}")
		eachPlace(&at, reflect.TypeOf(kind.Parameters()), func(inner string) string { return inner }, each)
	}
}

func eachPlace(d *document.Decoder, t reflect.Type, wrap func(string) string, do func(wrapped string)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	do(wrap("null"))
	do(wrap(`""`))
	switch {
	case t == reflect.TypeFor[document.Node]():
	case t == reflect.TypeFor[treeEntry](): // of trees in trees
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if name := document.FieldName(f); f.IsExported() && document.RangeOf(f).Has(d.At) {
				eachPlace(d, f.Type, func(inner string) string { return wrap(fmt.Sprintf("{%q:%s}", name, inner)) }, do)
			}
		}
	case t.Kind() == reflect.Slice:
		do(wrap("[]"))
		eachPlace(d, t.Elem(), func(inner string) string { return wrap("[" + inner + "]") }, do)
	case t.Kind() == reflect.Map:
		eachPlace(d, t.Elem(), func(inner string) string { return wrap(`{"key":` + inner + "}") }, do)
	}
}

// nullConfig has a plugin of a type with the parameters, and what else it needs.
func nullConfig(d version.Dialect, typeName, parameters string) []byte {
	plugins := []string{`{"type":"queue-scorer"}`, `{"type":"inflight-load-producer"}`, fmt.Sprintf(`{"name":"x","type":%q,"parameters":%s}`, typeName, parameters)}
	if kind := types.Lookup(d, typeName); kind.Roles&config.ProfileHandlerRole == 0 {
		plugins = append(plugins, `{"type":"single-profile-handler"}`)
	}
	return []byte(`{"kind":"EndpointPickerConfig","plugins":[` + strings.Join(plugins, ",") + `],"schedulingProfiles":[{"name":"default","plugins":[{"pluginRef":"queue-scorer"}]}]}`)
}
