// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

const (
	ownAccelerator = `accelerators:
- name: my-gpu
  memoryBytes: 85899345920
  memoryBandwidthBytesPerSecond: 2e12
  bf16FlopsPerSecond: 300e12
  linkBandwidthBytesPerSecond: 300e9
  memoryEfficiency: 0.8
  prefillEfficiency: 0.4
  decodeEfficiency: 0.2
`
	ownModel = `{
  "architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "bfloat16",
  "num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64,
  "intermediate_size": 8192, "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": true
}`
	ownTable = experimenttest.StepTimeTable
)

// fileInputs holds ConfigMap keys and files.
type fileInputs struct {
	experimenttest.Inputs
	files map[string]string
}

func (f fileInputs) OpenFile(name string) (io.ReadCloser, error) {
	if text, ok := f.files[name]; ok {
		return io.NopCloser(strings.NewReader(text)), nil
	}
	return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
}

func sourceInputs() fileInputs {
	return fileInputs{
		experimenttest.Inputs{
			"own/accelerators.yaml": []byte(ownAccelerator), "own/config.json": []byte(ownModel), "own/table.yaml": []byte(ownTable),
			"own/large": []byte(strings.Repeat("#", compile.MaxSourceBytes+1)),
		},
		map[string]string{"accelerators.yaml": ownAccelerator, "config.json": ownModel, "table.yaml": ownTable},
	}
}

func key(name string) *v1alpha1.ConfigMapKeyReference {
	return &v1alpha1.ConfigMapKeyReference{Name: "own", Key: name}
}

// compileRun compiles the run of the tests with [sourceInputs].
func compileRun(t *testing.T, edit func(*v1alpha1.Scenario)) (*compile.Compiled, []string) {
	t.Helper()
	run := experimenttest.Run(t)
	edit(&run.Spec.Scenario)
	c, errs, err := compile.Run(context.Background(), run, sourceInputs())
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return c, texts
}

func mustCompileRun(t *testing.T, edit func(*v1alpha1.Scenario)) *compile.Compiled {
	t.Helper()
	c, errs := compileRun(t, edit)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return c
}

func inputNames(p *experiment.Plan) []string {
	var names []string
	for _, i := range p.Inputs {
		names = append(names, i.Name)
	}
	return names
}

// ownEntries serves a model of the user's on an accelerator of the user's.
func ownEntries(sources ...v1alpha1.CatalogueSource) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Catalogue = sources
		s.Pools[0].Model, s.Pools[0].Accelerator = "my-org/my-model", "my-gpu"
	}
}

func TestKeysDependOnTheContentOfACatalogueNotItsSource(t *testing.T) {
	const model = "my-org/my-model"
	variants := map[string]struct {
		sources []v1alpha1.CatalogueSource
		inputs  []string
	}{
		"from ConfigMaps": {
			[]v1alpha1.CatalogueSource{{Model: model, ConfigMapRef: key("config.json")}, {ConfigMapRef: key("accelerators.yaml")}},
			[]string{"ConfigMap/own/config.json", "ConfigMap/own/accelerators.yaml"},
		},
		"from files": {
			[]v1alpha1.CatalogueSource{{Model: model, File: ptr.To("config.json")}, {File: ptr.To("accelerators.yaml")}},
			[]string{"File/config.json", "File/accelerators.yaml"},
		},
		"inline, with a comment": {
			[]v1alpha1.CatalogueSource{{Model: model, Inline: ptr.To(ownModel)}, {Inline: ptr.To("# ours\n" + ownAccelerator)}},
			nil,
		},
	}
	var keys []string
	for name, tc := range variants {
		t.Run(name, func(t *testing.T) {
			c := mustCompileRun(t, ownEntries(tc.sources...))
			if diff := cmp.Diff(tc.inputs, inputNames(c.Plan)); diff != "" {
				t.Errorf("inputs (−want +got):\n%s", diff)
			}
			decoded, err := experiment.DecodePlan(c.Plan.Encode())
			if err != nil {
				t.Fatal(err)
			}
			rows, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, &compile.Compiled{Plan: decoded}, experiment.Span{End: 1}))
			keys = append(keys, rows[0].Key)
		})
	}
	if slices.Sort(keys); len(slices.Compact(keys)) != 1 {
		t.Errorf("one content has the keys %v", keys)
	}
	other := mustCompileRun(t, ownEntries(
		v1alpha1.CatalogueSource{Model: model, Inline: ptr.To(ownModel)},
		v1alpha1.CatalogueSource{Inline: ptr.To(strings.Replace(ownAccelerator, "2e12", "3e12", 1))},
	))
	rows, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, other, experiment.Span{End: 1}))
	if slices.Contains(keys, rows[0].Key) {
		t.Error("an accelerator of another bandwidth gives the same key")
	}
}

func TestACatalogueEntryReplacesTheBuiltInEntryOfItsName(t *testing.T) {
	rows := func(sources ...v1alpha1.CatalogueSource) string {
		c := mustCompileRun(t, func(s *v1alpha1.Scenario) { s.Catalogue = sources })
		rows, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, c, experiment.Span{End: 1}))
		return fmt.Sprint(rows[0].Metrics)
	}
	slower := strings.NewReplacer("my-gpu", "h100-sxm").Replace(ownAccelerator)
	if rows() == rows(v1alpha1.CatalogueSource{Inline: &slower}) {
		t.Error("an h100-sxm of half the speed changes nothing")
	}
}

func TestKeysDoNotDependOnTheSourceOfATable(t *testing.T) {
	var keys []string
	for _, source := range []v1alpha1.TableSource{
		{Inline: ptr.To(ownTable + "# ours\n")}, {ConfigMapRef: key("table.yaml")}, {File: ptr.To("table.yaml")},
	} {
		c := mustCompileRun(t, func(s *v1alpha1.Scenario) {
			s.Pools[0].Latency = v1alpha1.Latency{Model: v1alpha1.TableModel, Table: &source}
		})
		rows, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, c, experiment.Span{End: 1}))
		keys = append(keys, rows[0].Key)
	}
	if len(slices.Compact(keys)) != 1 {
		t.Errorf("one table has the keys %v", keys)
	}
}

func TestErrorsOfSourcesNameTheField(t *testing.T) {
	table := func(source v1alpha1.TableSource) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			s.Pools[0].Latency = v1alpha1.Latency{Model: v1alpha1.TableModel, Table: &source}
		}
	}
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want []string // beginnings of the errors
	}{
		"a key that is not there": {
			ownEntries(v1alpha1.CatalogueSource{ConfigMapRef: key("models.yaml")}),
			[]string{"spec.scenario.catalogue[0].configMapRef: Not found"},
		},
		"a name that no object can have": {
			ownEntries(v1alpha1.CatalogueSource{ConfigMapRef: &v1alpha1.ConfigMapKeyReference{Name: "../x/y", Key: "models.yaml"}}),
			[]string{`spec.scenario.catalogue[0].configMapRef.name: Invalid value: "../x/y"`},
		},
		"a file that is not there": {
			ownEntries(v1alpha1.CatalogueSource{Inline: ptr.To(ownAccelerator)}, v1alpha1.CatalogueSource{File: ptr.To("models.yaml")}),
			[]string{"spec.scenario.catalogue[1].file: Not found"},
		},
		"entries that are none": {
			ownEntries(v1alpha1.CatalogueSource{Inline: ptr.To("accelerators: [{name: x, speed: 1}]")}),
			[]string{`spec.scenario.catalogue[0].inline.accelerators[0]: Invalid value: unknown field "speed"`},
		},
		"a config.json that is none": {
			ownEntries(v1alpha1.CatalogueSource{Model: "x", Inline: ptr.To("{}")}),
			[]string{"spec.scenario.catalogue[0].inline"},
		},
		"a text that is too long": {
			ownEntries(v1alpha1.CatalogueSource{ConfigMapRef: key("large")}),
			[]string{"spec.scenario.catalogue[0].configMapRef: Too long"},
		},
		"a table without a grid, beside another fault": {
			func(s *v1alpha1.Scenario) {
				table(v1alpha1.TableSource{Inline: ptr.To("decode: {}")})(s)
				s.Pools[0].Accelerator = "h100"
			},
			[]string{"spec.scenario.pools[0].latency.table.inline.prefill.newTokens: Required", `spec.scenario.pools[0].accelerator: Unsupported value: "h100"`},
		},
		"a table that the engine leaves far behind": {
			func(s *v1alpha1.Scenario) {
				table(v1alpha1.TableSource{Inline: ptr.To(strings.Replace(ownTable, "[1, 256]", "[1, 16]", 1))})(s)
			},
			[]string{"spec.scenario.pools[0].latency.table"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := compileRun(t, tc.edit)
			for _, want := range tc.want {
				if !slices.ContainsFunc(errs, func(e string) bool { return strings.HasPrefix(e, want) }) {
					t.Errorf("faults are\n%s\nwant one that begins %q", strings.Join(errs, "\n"), want)
				}
			}
		})
	}
}

func TestErrorsSuggestSimilarNames(t *testing.T) {
	const models, accelerators = "model; near to it are ", "accelerator; near to it are "
	for name, tc := range map[string]struct{ model, accelerator, want string }{
		"a typing error":         {"meta-llama/Llama-3.1-8b-instrukt", "h100-sxm", models + `"meta-llama/Llama-3.1-8B-Instruct"`},
		"without its maker":      {"llama-3.1-70b-instruct", "h100-sxm", models + `"meta-llama/Llama-3.1-70B-Instruct"`},
		"a part of a name":       {"my-org/my-model", "H100", accelerators + `"h100-pcie", "h100-sxm"`},
		"one of the user's":      {"my-model-v2", "h100-sxm", models + `"my-org/my-model"`},
		"nothing like any other": {"abc/xyzzy", "h100-sxm", "no such model; windtunnel catalogue lists all"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := compileRun(t, func(s *v1alpha1.Scenario) {
				ownEntries(v1alpha1.CatalogueSource{Model: "my-org/my-model", Inline: ptr.To(ownModel)})(s)
				s.Pools[0].Model, s.Pools[0].Accelerator = tc.model, tc.accelerator
			})
			if len(errs) != 1 || !strings.Contains(errs[0], tc.want) {
				t.Errorf("faults are %q, want one with %q", errs, tc.want)
			}
		})
	}
}

func TestParametersCannotVaryInputs(t *testing.T) {
	for _, path := range []string{"catalogue", "catalogue[x].model", "pools[llama].latency.table.inline", "workload.trace.file", "workload.trace.order", "workload.trace.csv.time", "workload.traces[day].name"} {
		sweep := experimenttest.Sweep(t)
		sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "p", Path: path, Values: []string{"a", "b"}}}
		sweep.Spec.Baseline = nil
		_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
		if err != nil || len(errs) != 1 || !strings.Contains(errs[0].Error(), "names an input") {
			t.Errorf("%s: %v, %v", path, errs, err)
		}
	}
}
