// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// localOptions are the flags of the verbs that simulate on this machine.
type localOptions struct {
	file        string
	configMaps  []string
	volumes     map[string]string
	name        string
	output      outputFormat
	parallelism int
	check       bool
	// requests names the file that requests are written to, into is that file;
	// "" and nil are none.
	requests string
	into     *requestFile
}

// register defines the flags. more are the formats that only this verb knows.
func (o *localOptions) register(cmd *cobra.Command, more ...outputFormat) {
	o.output = outputTable
	formats := choice{&o.output, append(slices.Clone(documentFormats), more...)}
	f := cmd.Flags()
	f.StringVarP(&o.file, "filename", "f", "", "manifest to run, - for standard input (required)")
	f.StringArrayVar(&o.configMaps, "configmap", nil, "manifest of a ConfigMap that the object refers to; may be repeated")
	f.StringToStringVar(&o.volumes, "volume", nil, "`NAME=FOLDER`: where the files of a volume lie here, by its claim or its image; may be repeated")
	f.StringVar(&o.name, "name", "", "run only the object of this name")
	f.VarP(formats, "output", "o", formats.words())
	f.IntVar(&o.parallelism, "parallelism", runtime.GOMAXPROCS(0), "simulations that run at once; results do not depend on it")
	f.BoolVar(&o.check, "check-invariants", false, "check at every event what must always hold: slow, stops where something does not, and changes no result")
}

// registerRequests defines --requests.
func (o *localOptions) registerRequests(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.requests, "requests", "", "Parquet `FILE` to write every request to, one a row: latencies, tokens by source, outcome")
}

// load reads the manifest and the ConfigMaps.
func (o *localOptions) load(stdin io.Reader) (*manifest.Set, error) {
	if o.file == "" {
		return nil, badInput{fmt.Errorf("a manifest is required: -f FILE")}
	}
	if o.parallelism < 1 {
		return nil, badInput{fmt.Errorf("--parallelism must be at least 1")}
	}
	set, err := readManifest(o.file, stdin)
	if err != nil {
		return nil, err
	}
	for _, name := range o.configMaps {
		more, err := readManifest(name, stdin)
		if err != nil {
			return nil, err
		}
		if err := set.Merge(more); err != nil {
			return nil, badInput{err}
		}
	}
	return set, nil
}

func readManifest(name string, stdin io.Reader) (*manifest.Set, error) {
	if name == "-" {
		set, err := manifest.Read(stdin, "standard input")
		return set, asBadInput(err)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, badInput{err}
	}
	defer f.Close()
	set, err := manifest.Read(f, name)
	return set, asBadInput(err)
}

// forEach does the verb's work for every object that --name selects, in order.
func forEach[T metav1.Object](o *localOptions, kind string, objects []T, do func(T) error) error {
	found := false
	for _, object := range objects {
		if o.name != "" && object.GetName() != o.name {
			continue
		}
		found = true
		if err := do(object); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	if o.name != "" {
		return badInput{fmt.Errorf("%s holds no %s named %q", o.file, kind, o.name)}
	}
	return badInput{fmt.Errorf("%s holds no %s", o.file, kind)}
}

// inputs are what the set's objects may refer to: its ConfigMaps, files relative to
// the manifest, and the folders that stand for volumes.
func (o *localOptions) inputs(set *manifest.Set, namespace string) experiment.Inputs {
	return localInputs{configMaps: set.ConfigMaps, namespace: namespace, folder: o.folder(), volumes: o.volumes}
}

// folder is what the files that the manifest names are relative to.
func (o *localOptions) folder() string {
	if o.file == "-" {
		return "."
	}
	return filepath.Dir(o.file)
}

type localInputs struct {
	configMaps []*corev1.ConfigMap
	namespace  string
	folder     string
	// volumes are folders by the name of a claim or the reference of an image.
	volumes map[string]string
}

func (l localInputs) ConfigMapKey(_ context.Context, name, key string) ([]byte, error) {
	var elsewhere []string
	for _, cm := range l.configMaps {
		if cm.Name == name && cm.Namespace == l.namespace {
			return experiment.ConfigMapKey(cm, key)
		}
		if cm.Name == name {
			elsewhere = append(elsewhere, "namespace "+cm.Namespace)
		}
	}
	if len(elsewhere) > 0 {
		return nil, experiment.Missing(fmt.Sprintf("ConfigMap %s is in %s, and what refers to it in namespace %s",
			name, strings.Join(elsewhere, " and in "), l.namespace))
	}
	return nil, experiment.Missing(fmt.Sprintf("ConfigMap %s is neither in the manifest nor given with --configmap", name))
}

func (l localInputs) File(name string) ([]byte, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(l.folder, name)
	}
	return os.ReadFile(name)
}

func (l localInputs) VolumeFile(volume, path string) ([]byte, error) {
	folder, given := l.volumes[volume]
	if !given {
		return nil, experiment.Missing(fmt.Sprintf("only pods of a cluster mount this volume; name a folder that holds its files: --volume %s=FOLDER", volume))
	}
	return os.ReadFile(filepath.Join(folder, filepath.FromSlash(path)))
}

func (localInputs) ParsesTraces() bool { return true }

// compiled turns what a compilation returned into the verb's error.
func compiled(kind, name string, errs field.ErrorList, err error) error {
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	if len(errs) > 0 {
		return badInput{fmt.Errorf("%s %s is invalid:\n%s", kind, name, bullets(errs))}
	}
	return nil
}

func bullets(errs field.ErrorList) string {
	var text string
	for i, e := range errs {
		if i > 0 {
			text += "\n"
		}
		text += "  - " + e.Error()
	}
	return text
}
