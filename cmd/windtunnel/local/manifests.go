// SPDX-License-Identifier: Apache-2.0

package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// StandardInput is what the objects of standard input are said to be from.
const StandardInput = "standard input"

// manifestEndings are those of the files that count in a folder, as for kubectl.
var manifestEndings = []string{".yaml", ".yml", ".json"}

// readManifests reads a file, standard input or the files of a folder, in the
// order of their names. Folders within it are left alone.
func readManifests(name string, stdin io.Reader) (*manifest.Set, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return readManifest(name, stdin)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	set := &manifest.Set{}
	for _, entry := range entries {
		if entry.IsDir() || !slices.Contains(manifestEndings, filepath.Ext(entry.Name())) {
			continue
		}
		more, err := readFrom(filepath.Join(name, entry.Name()), manifest.ReadFromFolder)
		if err != nil {
			return nil, err
		}
		if err := set.Merge(more); err != nil {
			return nil, cli.BadInput(err)
		}
	}
	return set, nil
}

// readManifest reads a file, or standard input.
func readManifest(name string, stdin io.Reader) (*manifest.Set, error) {
	if name == "-" {
		set, err := manifest.Read(stdin, StandardInput)
		return set, cli.BadInput(firstErrors(err))
	}
	return readFrom(name, manifest.Read)
}

func readFrom(name string, read func(io.Reader, string) (*manifest.Set, error)) (*manifest.Set, error) {
	content, err := input.Read(name)
	if err != nil {
		return nil, err
	}
	set, err := read(bytes.NewReader(content), name)
	if err != nil && !input.MayBeManifest(content) {
		if other := input.Unfit(name, content, manifestReads); other != nil {
			return nil, other
		}
	}
	return set, cli.BadInput(firstErrors(withOthers(err, content, name)))
}

// withOthers says of a file with invalid documents that its valid ones are not read either.
func withOthers(err error, content []byte, name string) error {
	faulty, joined := err.(interface{ Unwrap() []error })
	if !joined {
		return err
	}
	valid := len(manifest.Documents(content, v1alpha1.SimulationRunKind, v1alpha1.PolicySweepKind)) - len(faulty.Unwrap())
	if valid <= 0 {
		return err
	}
	return errors.Join(append(slices.Clone(faulty.Unwrap()), fmt.Errorf("no object of %s was simulated: the other documents are valid", name))...)
}

// manifestReads are the files that simulations are read from.
const manifestReads = "a manifest of Windtunnel is YAML or JSON with SimulationRuns and PolicySweeps"

// mostInvalid is how many invalid documents of a file are reported.
const mostInvalid = 20

// firstErrors returns the first of an error's joined errors, and how many more there are. A file
// that is no manifest, such as a trace, has one for each line.
func firstErrors(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) <= mostInvalid {
		return err
	}
	all := joined.Unwrap()
	return errors.Join(append(slices.Clone(all[:mostInvalid]), fmt.Errorf("%d more documents are invalid", len(all)-mostInvalid))...)
}

// otherFile is the error of one file without any object of Windtunnel that is recognised as something
// else; nil of others.
func (o *Options) otherFile(set *manifest.Set, kind string) error {
	if len(o.Files) != 1 || len(set.Runs)+len(set.Sweeps) > 0 {
		return nil
	}
	content, err := os.ReadFile(o.Files[0])
	if err != nil {
		return nil // standard input, a folder, or a pipe
	}
	return input.Unfit(o.Files[0], content, fmt.Sprintf("windtunnel %s simulates a %s", input.Verbs[kind], kind))
}

// NothingFound says that the manifests hold no object of a kind, or none of the
// name that --name gives, and which verb is for what they hold.
func (o *Options) NothingFound(set *manifest.Set, kind string) error {
	if err := o.otherFile(set, kind); err != nil {
		return err
	}
	text := fmt.Sprintf("%s holds no %s", strings.Join(o.Files, ", "), kind)
	if len(set.Runs)+len(set.Sweeps)+len(set.ConfigMaps)+len(set.Others) == 0 {
		return cli.BadInput(fmt.Errorf("%s: there is no object of Kubernetes, and so no %s", strings.Join(o.Files, ", "), kind))
	}
	if o.Name != "" {
		text += fmt.Sprintf(" named %q", o.Name)
	}
	others := map[string][]string{}
	for _, run := range set.Runs {
		others[v1alpha1.SimulationRunKind] = append(others[v1alpha1.SimulationRunKind], run.Name)
	}
	for _, sweep := range set.Sweeps {
		others[v1alpha1.PolicySweepKind] = append(others[v1alpha1.PolicySweepKind], sweep.Name)
	}
	for _, other := range []string{v1alpha1.SimulationRunKind, v1alpha1.PolicySweepKind} {
		names := others[other]
		if o.Name != "" {
			names = slices.DeleteFunc(names, func(name string) bool { return name != o.Name })
		}
		if other != kind && len(names) > 0 {
			text += fmt.Sprintf("; it holds the %s %s, which windtunnel %s simulates", other, names[0], input.Verbs[other])
			return cli.BadInput(fmt.Errorf("%s: windtunnel %s -f %s", text, input.Verbs[other], strings.Join(o.Files, " -f ")))
		}
	}
	if len(set.Others) > 0 {
		slices.Sort(set.Others)
		text += "; the command skips its objects of other kinds: " + strings.Join(slices.Compact(set.Others), ", ")
	}
	return cli.BadInput(fmt.Errorf("%s", text))
}
