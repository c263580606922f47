// SPDX-License-Identifier: Apache-2.0

package local

import (
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// Again is the command that makes the figures of an object again.
func (o *Options) Again(verb, name string) string {
	words := []string{"windtunnel", verb}
	for _, f := range o.Files {
		words = append(words, "-f", cli.ShellWord(f))
	}
	for _, f := range o.ConfigMaps {
		words = append(words, "--configmap", cli.ShellWord(f))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Volumes)) {
		words = append(words, "--volume", cli.ShellWord(name+"="+o.Volumes[name]))
	}
	for _, s := range o.Settings {
		words = append(words, "--set", cli.ShellWord(s.Path+"="+s.Value))
	}
	return strings.Join(append(words, "--name", name), " ")
}
