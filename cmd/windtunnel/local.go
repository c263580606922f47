// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// localOptions are the flags of the verbs that simulate on this machine.
type localOptions struct {
	files      []string
	configMaps []string
	volumes    map[string]string
	name       string
	// settings change scenarios.
	settings    cli.Settings
	output      cli.Format
	parallelism int
	check       bool
	// trusted runs code in policy bundles in this process, programs are its limits.
	trusted  bool
	programs programLimits
	// dryRun prints what would be simulated.
	dryRun bool
	// legend explains the tables.
	legend cli.Legend
	// requests names the file that requests are written to, into is that file;
	// "" and nil are none.
	requests string
	into     *requestFile
}

// register defines the flags. more are the formats that only this verb knows.
func (o *localOptions) register(cmd *cobra.Command, more ...cli.Format) {
	o.output = cli.Table
	formats := cli.NewChoice(&o.output, append(slices.Clone(cli.DocumentFormats), more...))
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "manifest, folder of manifests, or - for standard input (required); may be repeated")
	f.StringArrayVar(&o.configMaps, "configmap", nil, "manifest of a ConfigMap that the object refers to; may be repeated")
	f.StringToStringVar(&o.volumes, "volume", nil, "`NAME=FOLDER`: local folder with the files of a volume, by the name of its claim or image; may be repeated")
	f.StringVar(&o.name, "name", "", "run only the object of this name")
	f.VarP(formats, "output", "o", formats.Words())
	f.IntVar(&o.parallelism, "parallelism", runtime.GOMAXPROCS(0), "simulations that run at once; results do not depend on it")
	o.programs.register(f)
	f.BoolVar(&o.trusted, "trust-programs", false, "run the code in policy bundles in this process, without limits of memory and time: only for code that you trust, for --trace, --requests, benchmark reports and compare")
	o.legend.Register(f)
	f.BoolVar(&o.check, "check-invariants", false, "check the simulator's invariants at every event, and stop if one is broken; slow, and changes no result")
}

// registerRequests defines --requests.
func (o *localOptions) registerRequests(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.requests, "requests", "", "Parquet `FILE` to write every request to, one per row: latencies, tokens by source, outcome")
}

// registerSettings defines --set.
func (o *localOptions) registerSettings(cmd *cobra.Command) {
	cmd.Flags().Var(&o.settings, "set", "value of a field of the scenario in place of the manifest's, by the path of a sweep's parameter, such as pools[llama].replicas=4; may be repeated")
}

// registerDryRun defines --dry-run.
func (o *localOptions) registerDryRun(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "simulate nothing; print the number of points, seeds and shards, and estimates of CPU time and memory")
}

// load reads the manifests and the ConfigMaps.
func (o *localOptions) load(stdin io.Reader) (*manifest.Set, error) {
	if len(o.files) == 0 {
		return nil, cli.BadInput(fmt.Errorf("a manifest is required: -f FILE"))
	}
	if o.parallelism < 1 {
		return nil, cli.BadInput(fmt.Errorf("--parallelism must be at least 1"))
	}
	set := &manifest.Set{}
	for _, name := range slices.Concat(o.files, o.configMaps) {
		more, err := readManifests(name, stdin)
		if err != nil {
			return nil, err
		}
		if err := set.Merge(more); err != nil {
			return nil, cli.BadInput(err)
		}
	}
	return set, nil
}

// forEach does the verb's work for every object of a kind that --name selects, in
// order. It tells of all objects that are bad input.
func forEach[T manifest.Object](o *localOptions, set *manifest.Set, kind string, objects []T, do func(T) error) error {
	found := 0
	var invalid []error
	for _, object := range objects {
		if o.name != "" && object.GetName() != o.name {
			continue
		}
		found++
		err := do(object)
		switch {
		case errors.As(err, new(cli.BadInputError)):
			invalid = append(invalid, err)
		case err != nil:
			return err
		}
	}
	switch {
	case found == 0:
		return o.nothingFound(set, kind)
	case len(invalid) > 0 && found > len(invalid):
		invalid = append(invalid, cli.BadInput(fmt.Errorf("no %s was simulated: --name NAME selects a valid one", kind)))
	}
	return errors.Join(invalid...)
}

// inputs are what one of the set's objects may refer to: the set's ConfigMaps, files
// relative to the object's manifest, and the folders that stand for volumes.
func (o *localOptions) inputs(set *manifest.Set, object manifest.Object) compile.Inputs {
	return localInputs{configMaps: set.ConfigMaps, namespace: object.GetNamespace(), folder: manifestFolder(set, object), volumes: o.volumes, programs: o.programs.Limits}
}

// manifestFolder is what the files that an object names are relative to.
func manifestFolder(set *manifest.Set, object manifest.Object) string {
	if file := set.FileOf(object); file != standardInput {
		return filepath.Dir(file)
	}
	return "."
}

// compiled turns what a compilation returned into the verb's error.
func compiled(kind, name string, errs field.ErrorList, err error) error {
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	if len(errs) > 0 {
		return cli.BadInput(fmt.Errorf("%s %s is invalid:\n%s", kind, name, cli.BulletList(errs)))
	}
	return nil
}

// compiledFrom is compiled for an object of a set: the errors name the lines of its file.
func compiledFrom(set *manifest.Set, object manifest.Object, errs field.ErrorList, err error) error {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	if err != nil || len(errs) == 0 {
		return compiled(kind, object.GetName(), errs, err)
	}
	place := func(e *field.Error) string {
		if !strings.HasPrefix(e.Field, "spec.") {
			return ""
		}
		return fmt.Sprintf("%s:%d: ", set.FileOf(object), set.LineOf(object, e.Field))
	}
	return cli.BadInput(fmt.Errorf("%s %s is invalid:\n%s", kind, object.GetName(), cli.PlacedList(errs, place)))
}

// pickerPath is that of the EPP's configuration.
const pickerPath = cli.ScenarioPrefix + "router.endpointPickerConfig"

// nameFile has the errors of what is in a field name the file that it is from.
func nameFile(errs field.ErrorList, path, file string) {
	for _, e := range errs {
		if rest, is := strings.CutPrefix(e.Field, path); is {
			e.Field = strings.TrimSuffix(file+": "+strings.TrimPrefix(rest, "."), ": ")
		}
	}
}
