// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

// lintReads are the files that lint has a use for.
const lintReads = "windtunnel lint reads EndpointPickerConfigs (in files of their own, ConfigMaps and Helm values), " +
	"SimulationRuns, PolicySweeps, HorizontalPodAutoscalers, ScaledObjects, and ConfigMaps of the workload-variant-autoscaler"

// noneToLint is the error of a file, or of folders, without anything to lint.
func noneToLint(name string, content []byte) error {
	if err := input.Unfit(name, content, lintReads); err != nil {
		return err
	}
	return cli.BadInput(fmt.Errorf("%s: %w: %s", name, lint.ErrNoConfig, lintReads))
}

// stdinName is what standard input is called in findings.
const stdinName = "stdin"

// A lintFile is a file to look at.
type lintFile struct {
	name    string
	content []byte
}

// files reads the files that arguments name. Of those in folders only the ones
// with the kind of a configuration or of Windtunnel count: others need not even be YAML.
func (o *lintOptions) files(args []string, stdin io.Reader) ([]lintFile, error) {
	var files []lintFile
	for _, name := range args {
		names, inFolder, err := expand(name)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			content, err := input.ReadOr(stdin, name)
			if err != nil {
				return nil, err
			}
			if (o.skip || inFolder) && !o.counts(content) {
				continue
			}
			if name == "-" {
				name = stdinName
			}
			files = append(files, lintFile{name, content})
		}
	}
	return files, nil
}

// configKind tells a configuration, in a text of a text too, from a comment that mentions one.
var configKind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`kind[\\"']*[ \t]*:[ \t]*[\\"']*EndpointPickerConfig\b`)
})

// counts reports whether a file that the user did not name is worth a look.
func (o *lintOptions) counts(content []byte) bool {
	onlyConfigs := o.fix || o.spellOut
	if input.IsPrinted(content) {
		return false
	}
	return configKind().Match(content) || !onlyConfigs && (input.MentionsOwnKinds(content) || unindentedKind().Match(content) || len(lintFile{content: content}.autoscalers()) > 0)
}

// holdsOwnKinds reports whether a file has objects of Windtunnel.
func (f lintFile) holdsOwnKinds() bool { return input.MentionsOwnKinds(f.content) }

// expand is the files of a folder, or the file itself.
func expand(name string) (names []string, isFolder bool, err error) {
	if name == "-" {
		return []string{name}, false, nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, false, input.FileError(name, err)
	}
	names, err = manifestsIn(name)
	return names, true, err
}

// manifestsIn lists the YAML and JSON files of a folder and those below it.
func manifestsIn(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) {
			names = append(names, name)
		}
		return err
	})
	return names, err
}
