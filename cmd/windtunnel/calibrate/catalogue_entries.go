// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// ownEntries reads what the flags add, in the order in which a later entry replaces an
// earlier one.
func (o *catalogueOptions) ownEntries(ctx context.Context, stdin io.Reader) ([]latency.Entries, error) {
	own, err := o.manifestEntries(ctx, stdin)
	if err != nil {
		return nil, err
	}
	for _, name := range o.entries {
		entries, err := readEntries(name, latency.ParseEntries)
		if err != nil {
			return nil, err
		}
		own = append(own, entries)
	}
	for _, model := range slices.Sorted(maps.Keys(o.models)) {
		entry, err := readEntries(o.models[model], func(raw []byte, path *field.Path) (latency.Model, field.ErrorList) {
			return latency.ParseHuggingFace(model, raw, path)
		})
		if err != nil {
			return nil, err
		}
		own = append(own, latency.Entries{Models: []latency.Model{entry}})
	}
	return own, nil
}

// manifestEntries reads what the scenarios of the manifest add, if there is one.
func (o *catalogueOptions) manifestEntries(ctx context.Context, stdin io.Reader) ([]latency.Entries, error) {
	if len(o.manifest.Files) == 0 {
		return nil, nil
	}
	set, err := o.manifest.Load(stdin)
	if err != nil {
		return nil, err
	}
	var own []latency.Entries
	add := func(kind string, object manifest.Object, scenario *v1alpha1.Scenario) error {
		path := field.NewPath("spec", "scenario")
		lists, errs, err := compile.OwnEntries(ctx, scenario, o.manifest.Inputs(set, object), path)
		own = append(own, lists...)
		return local.Compiled(kind, object.GetName(), errs, err)
	}
	for _, run := range set.Runs {
		if err := add(v1alpha1.SimulationRunKind, run, &run.Spec.Scenario); err != nil {
			return nil, err
		}
	}
	for _, sweep := range set.Sweeps {
		if err := add(v1alpha1.PolicySweepKind, sweep, &sweep.Spec.Scenario); err != nil {
			return nil, err
		}
	}
	return own, nil
}

func readEntries[T any](name string, parse func([]byte, *field.Path) (T, field.ErrorList)) (T, error) {
	var none T
	raw, err := input.Read(name)
	if err != nil {
		return none, cli.BadInput(err)
	}
	entries, errs := parse(raw, nil)
	if len(errs) > 0 {
		return none, cli.BadInput(fmt.Errorf("%s is invalid:\n%s", name, cli.BulletList(errs)))
	}
	return entries, nil
}
