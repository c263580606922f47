// SPDX-License-Identifier: Apache-2.0

package start

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

// maxManifestBytes bounds all manifests together.
const maxManifestBytes = 64 << 20

// manifestFiles reads the files that arguments name, and the YAML and JSON files of folders.
func manifestFiles(args []string, stdin io.Reader, output string) ([]deployment.File, error) {
	var all []deployment.File
	total := 0
	for _, arg := range args {
		names, found, err := namesOf(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := readAtMost(stdin, name, maxManifestBytes-total+1)
			if err != nil {
				return nil, err
			}
			if total += len(text); total > maxManifestBytes {
				return nil, cli.BadInput(fmt.Errorf("%s: the manifests together have more than %d bytes", name, maxManifestBytes))
			}
			if found && (filepath.Clean(name) == filepath.Clean(output) || input.MentionsOwnKinds(text)) {
				continue
			}
			all = append(all, deployment.File{Name: name, Text: text, Found: found})
		}
	}
	return all, nil
}

// readAtMost reads the first bytes of a file, or of standard input for the name -.
func readAtMost(stdin io.Reader, name string, bytes int) ([]byte, error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, input.FileError(name, err)
		}
		defer file.Close()
		stdin = file
	}
	text, err := io.ReadAll(io.LimitReader(stdin, int64(bytes)))
	return text, input.FileError(name, err)
}

// namesOf are the files that an argument names. found says that it is a folder.
func namesOf(arg string) (names []string, found bool, err error) {
	if info, err := os.Stat(arg); arg == "-" || err != nil || !info.IsDir() {
		return []string{arg}, false, nil
	}
	err = filepath.WalkDir(arg, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) {
			names = append(names, name)
		}
		return err
	})
	if err == nil && len(names) == 0 {
		err = cli.BadInput(fmt.Errorf("%s has no YAML or JSON file", arg))
	}
	return names, true, err
}

// readManifests reads what stands beside the EPP's configuration, as far as flags do not say it.
func (o *InitOptions) readManifests(all []deployment.File, f *pflag.FlagSet) error {
	options := deployment.Options{Catalogue: latency.Builtin(), Pool: o.pool, OtherPicker: o.epp != ""}
	if f.Changed("model") {
		options.Model = o.model
	}
	if f.Changed("accelerator") {
		options.Accelerator = o.accelerator
	}
	if f.Changed("replicas") {
		options.Replicas = int32(min(o.Replicas, 1<<30))
	}
	found, err := deployment.Read(all, options)
	if errors.Is(err, deployment.ErrNothing) && len(all) == 1 {
		if other := input.Unfit(all[0].Name, all[0].Text, "windtunnel init reads manifests of Kubernetes and Helm values: "+deployment.ErrNothing.Error()); other != nil {
			return other
		}
	}
	if err != nil {
		return cli.BadInput(err)
	}
	o.cluster = found
	return nil
}

// inScenario is a cluster whose files are relative to the folder of the scenario. What is from standard input is
// to be written inline.
func (o *InitOptions) inScenario(c *deployment.Cluster) (*deployment.Cluster, error) {
	in := *c
	in.Routers = slices.Clone(c.Routers)
	for i := range in.Routers {
		picker := &in.Routers[i].Picker
		if picker.File == "" || picker.File == "-" {
			picker.File = ""
			continue
		}
		var err error
		if picker.File, err = o.inFolder(picker.File); err != nil {
			return nil, err
		}
	}
	return &in, nil
}

// replicas is the number of replicas of all pools.
func (o *InitOptions) replicas() int {
	if o.cluster != nil {
		return o.cluster.Replicas()
	}
	return o.Replicas
}

// objectives are those of the manifests.
func (o *InitOptions) objectives() []deployment.Objective {
	if o.cluster == nil {
		return nil
	}
	return o.cluster.Objectives
}

// unanswered are the questions that only flags answer.
func (o *InitOptions) unanswered() error {
	var faults cli.Faults
	for _, flag := range []string{"model", "accelerator", "replicas"} {
		var reasons []string
		for _, q := range o.cluster.Questions() {
			if q.Flag == flag {
				reasons = append(reasons, q.Reason)
			}
		}
		faults.If(len(reasons) > 0, "--%s is required: %s", flag, strings.Join(reasons, "; "))
	}
	faults.If(o.lacks("model") || o.lacks("accelerator"), "windtunnel catalogue lists models and accelerators; a model of your own goes into scenario.catalogue (docs/catalogue.md)")
	return faults.Err()
}

// lacks reports whether the manifests leave the value of a flag open.
func (o *InitOptions) lacks(flag string) bool {
	return slices.ContainsFunc(o.cluster.Questions(), func(q deployment.Question) bool { return q.Flag == flag })
}

// said prints what the manifests say and the scenario does not have.
func (o *InitOptions) said(w io.Writer) {
	for _, note := range o.cluster.Notes {
		fmt.Fprintf(w, "windtunnel: %s\n", strings.TrimSpace(note))
	}
}
