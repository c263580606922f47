// SPDX-License-Identifier: Apache-2.0

// Package local simulates the objects of manifests on this machine, for the verbs that do: their options, the
// simulations, and the lines that are printed of every object.
package local

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// Options are the flags of the verbs that simulate on this machine.
type Options struct {
	Files      []string
	ConfigMaps []string
	Volumes    map[string]string
	Name       string
	// Settings change scenarios.
	Settings    cli.Settings
	Output      cli.Format
	Parallelism int
	Check       bool
	// Trusted runs code in policy bundles in this process, programs are its limits.
	Trusted  bool
	Programs ProgramLimits
	// DryRun prints what would be simulated.
	DryRun bool
	// Legend explains the tables.
	Legend cli.Legend
	// Requests names the file that requests are written to, into is that file;
	// "" and nil are none.
	Requests string
	into     *requestFile
}

// ManifestHelp says in the help of verbs what the flags of Register read.
const ManifestHelp = `Reads the manifests of -f, with the defaults and the validation of an API server, and skips
objects of other kinds. ConfigMaps come from the same files or from --configmap, and files of
volumes from the folders of --volume.`

// Register defines the flags. more are the formats that only this verb knows.
func (o *Options) Register(cmd *cobra.Command, more ...cli.Format) {
	o.Output = cli.Table
	f := cmd.Flags()
	o.RegisterFiles(f, " (required)")
	o.RegisterInputs(f)
	f.StringVar(&o.Name, "name", "", "run only the object of this name")
	cli.OutputFlag(f, &o.Output, append(slices.Clone(cli.DocumentFormats), more...), "")
	cli.ParallelismFlag(f, &o.Parallelism, "simulations")
	f.BoolVar(&o.Trusted, "trust-programs", false, "run the code in policy bundles in this process, without limits of memory and time: only for code that you trust, for --trace, --requests, benchmark reports and compare")
	o.Legend.Register(f)
	f.BoolVar(&o.Check, "check-invariants", false, "check the simulator's invariants at every event, and stop if one is broken; slow, and changes no result")
}

// RegisterFiles defines -f. note says what the manifests are for.
func (o *Options) RegisterFiles(f *pflag.FlagSet, note string) {
	f.StringArrayVarP(&o.Files, "filename", "f", nil, "manifest, folder of manifests, or - for standard input"+note+"; may be repeated")
}

// RegisterConfigMaps defines --configmap.
func (o *Options) RegisterConfigMaps(f *pflag.FlagSet) {
	f.StringArrayVar(&o.ConfigMaps, "configmap", nil, "manifest of a ConfigMap that the object refers to; may be repeated")
}

// RegisterInputs defines the flags of what manifests refer to, and of the code in it.
func (o *Options) RegisterInputs(f *pflag.FlagSet) {
	o.RegisterConfigMaps(f)
	f.StringToStringVar(&o.Volumes, "volume", nil, "`NAME=FOLDER`: local folder with the files of a volume, by the name of its claim or image; may be repeated")
	o.Programs.Register(f)
}

// RegisterRequests defines --requests.
func (o *Options) RegisterRequests(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Requests, "requests", "", "Parquet `FILE` to write every request to, one per row: latencies, tokens by source, outcome")
}

// RegisterSettings defines --set.
func (o *Options) RegisterSettings(cmd *cobra.Command) {
	cmd.Flags().Var(&o.Settings, "set", "value of a field of the scenario in place of the manifest's, by the path of a sweep's parameter, such as pools[llama].replicas=4; may be repeated")
}

// RegisterDryRun defines --dry-run.
func (o *Options) RegisterDryRun(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "simulate nothing; print the number of points, seeds and shards, and estimates of CPU time and memory")
}

// Load reads the manifests and the ConfigMaps.
func (o *Options) Load(stdin io.Reader) (*manifest.Set, error) {
	if len(o.Files) == 0 {
		return nil, cli.BadInput(fmt.Errorf("a manifest is required: -f FILE"))
	}
	if o.Parallelism < 1 {
		return nil, cli.BadInput(fmt.Errorf("--parallelism must be at least 1"))
	}
	set := &manifest.Set{}
	for _, name := range slices.Concat(o.Files, o.ConfigMaps) {
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

// ForEach does the verb's work for every object of a kind that --name selects, in
// order. It tells of all objects that are bad input.
func ForEach[T manifest.Object](o *Options, set *manifest.Set, kind string, objects []T, do func(T) error) error {
	found := 0
	var invalid []error
	for _, object := range objects {
		if o.Name != "" && object.GetName() != o.Name {
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
		return o.NothingFound(set, kind)
	case len(invalid) > 0 && found > len(invalid):
		invalid = append(invalid, cli.BadInput(fmt.Errorf("no %s was simulated: --name NAME selects a valid one", kind)))
	}
	return errors.Join(invalid...)
}

// Inputs are what one of the set's objects may refer to: the set's ConfigMaps, files
// relative to the object's manifest, and the folders that stand for volumes.
func (o *Options) Inputs(set *manifest.Set, object manifest.Object) compile.Inputs {
	return Inputs{ConfigMaps: set.ConfigMaps, Namespace: object.GetNamespace(), Folder: ManifestFolder(set, object), volumes: o.Volumes, programs: o.Programs.Limits}
}

// ManifestFolder is what the files that an object names are relative to.
func ManifestFolder(set *manifest.Set, object manifest.Object) string {
	if file := set.FileOf(object); file != StandardInput {
		return filepath.Dir(file)
	}
	return "."
}

// Compiled turns what a compilation returned into the verb's error.
func Compiled(kind, name string, errs field.ErrorList, err error) error {
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	if len(errs) > 0 {
		return cli.BadInput(fmt.Errorf("%s %s is invalid:\n%s", kind, name, cli.BulletList(errs)))
	}
	return nil
}

// CompiledFrom is compiled for an object of a set: the errors name the lines of its file.
func CompiledFrom(set *manifest.Set, object manifest.Object, errs field.ErrorList, err error) error {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	if err != nil || len(errs) == 0 {
		return Compiled(kind, object.GetName(), errs, err)
	}
	place := func(e *field.Error) string {
		if !strings.HasPrefix(e.Field, "spec.") {
			return ""
		}
		return fmt.Sprintf("%s:%d: ", set.FileOf(object), set.LineOf(object, e.Field))
	}
	return cli.BadInput(fmt.Errorf("%s %s is invalid:\n%s", kind, object.GetName(), cli.PlacedList(errs, place)))
}

// PickerPath is that of the EPP's configuration.
const PickerPath = cli.ScenarioPrefix + "router.endpointPickerConfig"

// NameFile has the errors of what is in a field name the file that it is from.
func NameFile(errs field.ErrorList, path, file string) {
	for _, e := range errs {
		if rest, is := strings.CutPrefix(e.Field, path); is {
			e.Field = strings.TrimSuffix(file+": "+strings.TrimPrefix(rest, "."), ": ")
		}
	}
}
