// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// again is the command that makes the figures of an object again.
func (o *localOptions) again(verb, name string) string {
	words := []string{"windtunnel", verb}
	for _, f := range o.files {
		words = append(words, "-f", cli.ShellWord(f))
	}
	for _, f := range o.configMaps {
		words = append(words, "--configmap", cli.ShellWord(f))
	}
	for _, name := range slices.Sorted(maps.Keys(o.volumes)) {
		words = append(words, "--volume", cli.ShellWord(name+"="+o.volumes[name]))
	}
	for _, s := range o.settings {
		words = append(words, "--set", cli.ShellWord(s.Path+"="+s.Value))
	}
	return strings.Join(append(words, "--name", name), " ")
}
