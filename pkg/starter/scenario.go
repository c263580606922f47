// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

//go:embed scenario.yaml.tmpl
var text string

// DefaultPicker is the configuration if none is given: that of llm-d.
const DefaultPicker = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: 3}
`

// Options are what a person answers.
type Options struct {
	// Sweep asks for a PolicySweep in place of a SimulationRun.
	Sweep bool
	// Name is the object's, and File that of the file, for the comments.
	Name, File         string
	Model, Accelerator string
	Replicas           int
	// TTFT is the greatest time to first token that a person accepts.
	TTFT string
	// PickerFile is the file of the EPP's configuration, relative to the scenario; "" is the
	// default. Picker is its text, and EPPVersion the version that runs it.
	PickerFile, EPPVersion string
	Picker                 []byte
	// Cluster is what manifests say, with files relative to the scenario. Its pools and its routers stand in
	// place of Model, Accelerator, Replicas, PickerFile and Picker. nil is a cluster that these describe.
	Cluster *deployment.Cluster
	// Traffic is what the cluster serves.
	Traffic Traffic
}

// Traffic is the workload of a scenario.
type Traffic struct {
	// Requests is after how many the simulation ends; 0 is Horizon's.
	Requests int64
	Horizon  *v1alpha1.Horizon
	Workload v1alpha1.Workload
	// Classes are those of the requests.
	Classes []string
	// Notes say where the workload is from.
	Notes []string
}

// A view is what the template shows.
type view struct {
	Options
	Command string
	Seeds   int
	Weights []Weight
	// Horizon, Workload, Inline, Pools, Routers, Route and Scalers are YAML; Routers is empty where there is one.
	Horizon, Workload, Inline, Pools, Routers, Route, Scalers string
	// Notes are about what was read.
	Notes []string
	// Start is what the file of the EPP's configuration says in addition to it.
	Start files.Start
}

// Seeds of a run and of each point of a sweep.
const (
	runSeeds   = 5
	sweepSeeds = 3
)

// Write returns the manifest.
func Write(o *Options) ([]byte, error) {
	if o.Cluster == nil && o.Replicas < 1 {
		return nil, errors.New("there must be at least one replica")
	}
	v := view{Options: *o, Command: "run", Seeds: runSeeds}
	if o.Cluster != nil {
		if err := v.take(o.Cluster); err != nil {
			return nil, err
		}
		o = &v.Options
	} else if len(o.Picker) == 0 {
		v.Inline = DefaultPicker
	} else if sources, err := files.Find(o.Picker); err == nil && len(sources) == 1 {
		v.Start = sources[0].Start
	}
	if o.Sweep {
		v.Command, v.Seeds = "sweep", sweepSeeds
		picker := o.Picker
		if len(picker) == 0 {
			picker = []byte(DefaultPicker)
		}
		var err error
		if v.Weights, err = Weights(picker); err != nil {
			return nil, err
		}
	}
	var err error
	if v.Horizon, err = o.Traffic.horizon(); err != nil {
		return nil, err
	}
	if v.Workload, err = yamlOf(o.Traffic.Workload); err != nil {
		return nil, err
	}
	t, err := template.New("scenario").Funcs(template.FuncMap{"indent": indent, "quote": strconv.Quote, "scalar": scalar, "comment": comment}).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, &v)
	return out.Bytes(), err
}

// horizon is the end of the simulation, as YAML.
func (t *Traffic) horizon() (string, error) {
	if t.Horizon != nil {
		return yamlOf(t.Horizon)
	}
	return fmt.Sprintf("requests: %d\n", t.Requests), nil
}

func yamlOf(v any) (string, error) {
	raw, err := yaml.Marshal(v)
	return string(raw), err
}

// scalar is a text as YAML reads it back.
func scalar(text string) (string, error) {
	raw, err := yaml.Marshal(text)
	return strings.TrimSuffix(string(raw), "\n"), err
}

// indent puts a text a number of columns to the right.
func indent(columns int, text string) string {
	pad := strings.Repeat(" ", columns)
	return pad + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+pad)
}

// comment keeps a text in the comment that it stands in.
func comment(text string) string { return strings.Join(strings.Fields(text), " ") }

// Preset is the traffic of a preset at a number of arrivals a second. With objectives, there is a client for each of
// them, with an equal share of the arrivals.
func Preset(name v1alpha1.PresetName, rate float64, objectives ...deployment.Objective) Traffic {
	if len(objectives) > 0 {
		return withObjectives(name, rate, objectives)
	}
	return Traffic{
		Requests: presetRequests,
		Workload: v1alpha1.Workload{Clients: []v1alpha1.Client{{
			Name: "first", Preset: &v1alpha1.Preset{Name: name, Rate: v1alpha1.PositiveDecimal(strconv.FormatFloat(rate, 'f', -1, 64))},
		}}},
		Classes: []string{"default"},
		Notes: []string{
			fmt.Sprintf("The preset %s, at %s arrivals a second: docs/presets.md lists the others.", name, strconv.FormatFloat(rate, 'f', -1, 64)),
			"A trace of your own says more: windtunnel init --trace FILE.",
		},
	}
}

// presetRequests is chosen so that a simulation takes less than a second.
const presetRequests = 2000
