// SPDX-License-Identifier: Apache-2.0

package start

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// isTerminal reports whether a person types.
func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// questions ask a person for the values of flags.
type questions struct {
	in    *bufio.Reader
	out   io.Writer
	flags *pflag.FlagSet
}

// newQuestions asks for the values of flags on a terminal.
func newQuestions(in io.Reader, out io.Writer, flags *pflag.FlagSet) *questions {
	return &questions{bufio.NewReader(in), out, flags}
}

// ask asks for the value of a flag that was not given, again and again until the flag takes it and
// a check has nothing against it.
func (q *questions) ask(name, question string, check func(string) error) error {
	f := q.flags.Lookup(name)
	if f.Changed {
		return nil
	}
	for {
		fmt.Fprintf(q.out, "%s [%s]: ", question, cmp.Or(f.Value.String(), "none"))
		line, err := q.in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return cli.BadInput(errors.New("the input ended before all questions were answered"))
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		answer := strings.TrimSpace(line)
		if answer == "" {
			return nil
		}
		err = check(answer)
		if err == nil {
			err = q.flags.Set(name, answer)
		}
		if err == nil {
			return nil
		}
		fmt.Fprintln(q.out, err)
	}
}

// Ask asks for what no flag says.
func (o *InitOptions) Ask(q *questions) error {
	whatever := func(string) error { return nil }
	there := func(file string) error {
		_, err := os.Stat(file)
		return err
	}
	oneOf := func(among []string) func(string) error {
		return func(answer string) error {
			if slices.Contains(among, answer) {
				return nil
			}
			return fmt.Errorf("it must be one of %s", strings.Join(among, ", "))
		}
	}
	known := func(flag string) func() bool {
		return func() bool { return o.cluster != nil && !o.lacks(flag) }
	}
	for _, question := range []struct {
		flag, text string
		check      func(string) error
		skip       func() bool
	}{
		{"kind", "A run of one configuration, or a sweep that looks for a better one: run or sweep", oneOf([]string{kindOfRun, kindOfSweep}), nil},
		{"model", "The model that you serve (windtunnel catalogue lists them)", whatever, known("model")},
		{"accelerator", "The accelerator of a replica", whatever, known("accelerator")},
		{"replicas", "The number of replicas", whatever, known("replicas")},
		{"epp", "The file of the EPP's configuration, or of Helm values that have it", there, known("epp")},
		{"trace", "A file of recorded traffic", there, nil},
		{"preset", "The kind of traffic: " + strings.Join(presetNames(), ", "), oneOf(presetNames()), func() bool { return o.trace != "" }},
		{"rate", "Its arrivals a second; 0 is one for each replica", whatever, func() bool { return o.trace != "" }},
		{"ttft", "The greatest time to first token that users accept", whatever, nil},
		{"output", "The file to write", whatever, nil},
	} {
		if question.skip != nil && question.skip() {
			continue
		}
		if err := q.ask(question.flag, question.text, question.check); err != nil {
			return err
		}
	}
	return nil
}
