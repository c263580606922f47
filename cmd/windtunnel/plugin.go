// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// pluginFile is the name under which kubectl finds the command as its plugin.
const pluginFile = "kubectl-windtunnel"

// programOf is how people type the command, by the name of its file.
func programOf(file string) string {
	if strings.TrimSuffix(filepath.Base(file), ".exe") == pluginFile {
		return "kubectl windtunnel"
	}
	return "windtunnel"
}

// newCommand is the command under the name of its file.
func newCommand(file string) *cobra.Command {
	root := newRootCommand()
	if program := programOf(file); program != root.Name() {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: program}
		renameCommand(root, program, namedVerbs(root))
		hideOthers(root)
	}
	addPluginCompletion(root)
	return root
}

// hideOthers hides the verbs that need a program which a plugin does not have beside it.
func hideOthers(root *cobra.Command) {
	for _, verb := range root.Commands() {
		verb.Hidden = verb.Hidden || verb.DisableFlagParsing
	}
}

// namedVerbs matches the command with one of its verbs behind it, as help texts have it.
func namedVerbs(root *cobra.Command) *regexp.Regexp {
	var names []string
	for _, verb := range root.Commands() {
		names = append(names, regexp.QuoteMeta(verb.Name()))
	}
	return regexp.MustCompile(`\bwindtunnel (` + strings.Join(append(names, "completion"), "|") + `)\b`)
}

// renameCommand has the help texts of a verb and of those below it name the program.
func renameCommand(cmd *cobra.Command, program string, named *regexp.Regexp) {
	rename := func(text string) string { return named.ReplaceAllString(text, program+" $1") }
	cmd.Long, cmd.Example = rename(cmd.Long), rename(cmd.Example)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = rename(f.Usage) })
	for _, verb := range cmd.Commands() {
		renameCommand(verb, program, named)
	}
}

// pluginCompletion is what kubectl runs to complete the words behind the name of the plugin.
const pluginCompletion = `#!/bin/sh
# kubectl runs this file to complete "kubectl windtunnel": put it on the PATH as an executable
# file with the name kubectl_complete-windtunnel.
exec kubectl-windtunnel __complete "$@"
`

// unknownShell runs where completion has no shell that is known.
func unknownShell(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var known []string
	for _, shell := range cmd.Commands() {
		if shell.IsAvailableCommand() {
			known = append(known, shell.Name())
		}
	}
	slices.Sort(known)
	return cli.BadInput(fmt.Errorf("there is no completion for %q: name one of %s", args[0], strings.Join(known, ", ")))
}

// addPluginCompletion adds the script to the verb that prints those of shells.
func addPluginCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, verb := range root.Commands() {
		if verb.Name() == "completion" {
			verb.Args, verb.RunE = cobra.ArbitraryArgs, unknownShell
			for _, shell := range verb.Commands() {
				shell.Args = cli.NoArguments
			}
			verb.AddCommand(&cobra.Command{
				Use:   "kubectl",
				Short: "Print the script that completes kubectl windtunnel",
				Long: `Print the script that has kubectl complete the words of kubectl windtunnel: verbs, flags and the
names of objects. kubectl runs it if it is on the PATH under the name
kubectl_complete-windtunnel:

  windtunnel completion kubectl > ~/.local/bin/kubectl_complete-windtunnel
  chmod +x ~/.local/bin/kubectl_complete-windtunnel`,
				Args:              cli.NoArguments,
				ValidArgsFunction: cobra.NoFileCompletions,
				RunE: func(cmd *cobra.Command, _ []string) error {
					_, err := io.WriteString(cmd.OutOrStdout(), pluginCompletion)
					return err
				},
			})
		}
	}
}
