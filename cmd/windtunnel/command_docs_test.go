// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/live"
	"windtunnel.dev/windtunnel/cmd/windtunnel/manager"
	"windtunnel.dev/windtunnel/internal/testing/golden"
)

// TestThePageOnTheCommand holds docs/command.md against the verbs and flags that there
// are: a flag that the page does not show, or that has no help text, fails it.
func TestThePageOnTheCommand(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	page := filepath.Join("..", "..", "docs", "command.md")
	want := []byte(commandPage(t))
	golden.Check(t, page, want)
}

func commandPage(t *testing.T) string {
	var b bytes.Buffer
	b.WriteString("<!-- Written by go test ./cmd/windtunnel -run TestThePageOnTheCommand -update. Do not edit. -->\n" +
		"# The command\n\n" +
		"This page lists every verb of the command `windtunnel` with its flags. `windtunnel VERB --help`\n" +
		"prints the same with examples. `manager`, `worker` and `propose` run on a cluster, in the pods that the\n" +
		"operator's manifests describe; people use the others.\n")
	describeVerbs(t, &b, newRootCommand())
	return b.String()
}

func describeVerbs(t *testing.T, b *bytes.Buffer, parent *cobra.Command) {
	for _, verb := range parent.Commands() {
		if !verb.IsAvailableCommand() || verb.Name() == "help" || verb.Name() == "completion" {
			continue
		}
		if elsewhere := programs(verb.Name()); verb.DisableFlagParsing && elsewhere != nil {
			verb = elsewhere
		}
		fmt.Fprintf(b, "\n## %s\n\n%s.\n", verb.CommandPath(), verb.Short)
		if verb.Runnable() {
			fmt.Fprintf(b, "\n```\n%s\n```\n", verb.UseLine())
		}
		describeFlags(t, b, verb)
		describeVerbs(t, b, verb)
	}
}

// programs returns a verb that is in a program of its own.
func programs(name string) *cobra.Command {
	for _, verb := range append(live.NewRoot().Commands(), cli.NewRoot(manager.NewCommand()).Commands()...) {
		if verb.Name() == name {
			return verb
		}
	}
	return nil
}

func describeFlags(t *testing.T, b *bytes.Buffer, verb *cobra.Command) {
	verb.InitDefaultHelpFlag()
	header := "\n| flag | default | what it does |\n|---|---|---|\n"
	verb.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		if strings.TrimSpace(usage) == "" {
			t.Errorf("%s --%s has no help text", verb.CommandPath(), f.Name)
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		b.WriteString(header)
		header = ""
		bars := strings.NewReplacer("|", `\|`)
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", bars.Replace(strings.TrimSpace(name+" "+kind)), shownDefault(f), bars.Replace(usage))
	})
}

// cores is the number that the page has as "the number of cores", and no other default is.
const cores = 3

// shownDefault is a flag's default; nothing where that is empty, off or this machine's.
func shownDefault(f *pflag.Flag) string {
	switch {
	case f.DefValue == "" || f.DefValue == "[]" || f.DefValue == "false":
		return ""
	case (f.Name == "parallelism" || f.Name == "concurrency") && f.DefValue == strconv.Itoa(cores):
		return "the number of cores"
	}
	return "`" + f.DefValue + "`"
}
