// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

// take puts what manifests say into the view.
func (v *view) take(c *deployment.Cluster) (err error) {
	v.Notes = c.Notes
	if len(c.Routers) > 1 {
		if v.Routers, err = v.routers(c); err != nil {
			return err
		}
	} else {
		v.takePicker(&c.Routers[0].Picker)
	}
	if c.Route != nil {
		if v.Route, err = yamlOf(c.Route); err != nil {
			return err
		}
	}
	for i := range c.Pools {
		text, err := poolText(&c.Pools[i])
		if err != nil {
			return err
		}
		v.Pools += text
	}
	if len(c.Scalers) > 0 {
		v.Scalers, err = yamlOf(c.Scalers)
	}
	return err
}

// takePicker puts the EPP of the only router into the view.
func (v *view) takePicker(p *deployment.Picker) {
	v.Start = files.Start{Replicas: p.Replicas, ScrapeInterval: p.RefreshInterval}
	v.EPPVersion = cmp.Or(v.EPPVersion, p.Version, "auto")
	if len(v.Picker) == 0 {
		v.Picker = []byte(p.Text)
	}
	if v.PickerFile = cmp.Or(v.PickerFile, p.File); v.PickerFile == "" {
		v.Inline = cmp.Or(p.Text, defaultPicker(v.EPPVersion))
	}
}

// routers are those of a cluster that has several, as YAML.
func (v *view) routers(c *deployment.Cluster) (string, error) {
	var all []v1alpha1.ModelRouter
	for i := range c.Routers {
		in := &c.Routers[i]
		config := v1alpha1.EndpointPickerConfig{Version: cmp.Or(v.EPPVersion, in.Picker.Version, "auto")}
		if file := cmp.Or(v.PickerFile, in.Picker.File); file != "" {
			config.File = &file
		} else {
			text := cmp.Or(in.Picker.Text, defaultPicker(config.Version))
			config.Inline = &text
		}
		router := v1alpha1.ModelRouter{
			Model: in.Model, Name: deployment.PoolName(in.InferencePool), Pools: in.Pools, InferencePool: in.InferencePool,
			Router: v1alpha1.Router{EndpointPickerConfig: config, Replicas: int32(in.Picker.Replicas)},
		}
		if in.Picker.RefreshInterval > 0 {
			router.MetricsRefreshInterval = v1alpha1.RefreshInterval(in.Picker.RefreshInterval.String())
		}
		all = append(all, router)
	}
	return yamlOf(all)
}

// defaultPicker is the default in the words of a version: those before llm-d's router have another group.
func defaultPicker(version string) string {
	if strings.HasPrefix(version, "gie-") || strings.HasPrefix(version, "scheduler-") {
		return strings.Replace(DefaultPicker, "llm-d.ai/v1alpha1", "inference.networking.x-k8s.io/v1alpha1", 1)
	}
	return DefaultPicker
}

// poolText is a pool as YAML: what tells it apart comes first.
func poolText(p *deployment.Pool) (string, error) {
	rest := p.Pool
	rest.Name, rest.Role, rest.Model, rest.Accelerator, rest.Replicas = "", "", "", "", 0
	settings, err := yamlOf(rest)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n- name: %s\n", comment(p.From), p.Name)
	for _, f := range []struct{ name, value string }{{"role", string(p.Role)}, {"model", p.Model}, {"accelerator", p.Accelerator}} {
		if f.value != "" {
			value, err := scalar(f.value)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&text, "  %s: %s\n", f.name, value)
		}
	}
	fmt.Fprintf(&text, "  replicas: %d\n", p.Replicas)
	if settings != "{}\n" {
		text.WriteString(indent(2, settings) + "\n")
	}
	return text.String(), nil
}

// withObjectives is the traffic of a preset with a client for each objective.
func withObjectives(name v1alpha1.PresetName, rate float64, objectives []deployment.Objective) Traffic {
	share := strconv.FormatFloat(rate/float64(len(objectives)), 'f', -1, 64)
	t := Traffic{Requests: presetRequests, Notes: []string{
		fmt.Sprintf("The preset %s, at %s arrivals a second for each objective: its share of your traffic is not known.", name, share),
	}}
	for _, o := range objectives {
		t.Workload.Clients = append(t.Workload.Clients, v1alpha1.Client{
			Name: deployment.PoolName(o.Name), Class: o.Name, Priority: o.Priority,
			Preset: &v1alpha1.Preset{Name: name, Rate: v1alpha1.PositiveDecimal(share)},
		})
		t.Classes = append(t.Classes, o.Name)
	}
	return t
}
