// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// NewWatchCommand is the verb watch.
func NewWatchCommand() *cobra.Command {
	var o cluster.Options
	cmd := &cobra.Command{
		Use:   "watch NAME | TYPE/NAME",
		Short: "Follow a run or a sweep in a cluster until it ends",
		Long: `Follow a PolicySweep or a SimulationRun of a cluster until its work ends: the state, the simulations
that are done, that failed and that come from other objects, the best candidate so far with its
interval, and the gates. On a terminal it is a table that changes; elsewhere it is a line for
each change. The command watches the object and asks for nothing else.

Exit codes: 0 success and all gates pass, 1 the work failed or a gate fails, 2 invalid input,
3 a gate is undecided.`,
		Example: `  windtunnel watch my-sweep -n experiments
  windtunnel watch simulationrun/my-run > log.txt`,
		Args: cluster.OneObject,
		RunE: func(cmd *cobra.Command, args []string) error { return watch(cmd, &o, args[0]) },
	}
	o.Register(cmd)
	cmd.ValidArgsFunction = o.CompleteObjects("", 1, false)
	return cmd
}

func watch(cmd *cobra.Command, o *cluster.Options, name string) error {
	c, object, err := o.Object(cmd.Context(), name)
	if err != nil {
		return err
	}
	s := newScreen(cmd.OutOrStdout())
	last, err := kubectl.Follow(cmd.Context(), c, object, clock.RealClock{}, s.show)
	if err != nil {
		return err
	}
	if next := o.Caller(cmd).Next(last); next != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "next: %s\n", next)
	}
	return endOf(last)
}

// endOf is the error with which the local command ends for what came of an object.
func endOf(o kubectl.Object) error {
	switch state := o.State(); state {
	case v1alpha1.ReasonInvalid, v1alpha1.ReasonTooExpensive, v1alpha1.ReasonInputMissing:
		return cli.BadInput(fmt.Errorf("%s: %s: %s", o.Title(), state, o.Why()))
	case v1alpha1.ReasonComplete:
		return cli.CheckPassed(o.Title(), o.Verdict())
	default:
		return fmt.Errorf("%s: %s: %s", o.Title(), state, o.Why())
	}
}

// A screen shows the states of an object: on a terminal one in place of the other.
type screen struct {
	w io.Writer
	// terminal obeys the characters that move its cursor; nil for another output.
	terminal *os.File
	// drawn are the lines on the terminal, and last is what was shown last.
	drawn int
	last  string
	width func() int
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w}
	if f := cli.TerminalOf(w); f != nil {
		s.terminal = f
		s.width = func() int {
			width, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return 0
			}
			return width
		}
	}
	return s
}

// show shows a state, unless it looks as the one before.
func (s *screen) show(o kubectl.Object) {
	if s.terminal == nil {
		if line := kubectl.Line(o); line != s.last {
			s.last = line
			fmt.Fprintln(s.w, line)
		}
		return
	}
	lines := kubectl.Lines(o)
	for i := range lines {
		lines[i] = cut(lines[i], s.width())
	}
	text := strings.Join(lines, "\n")
	if text == s.last {
		return
	}
	if s.drawn > 0 {
		fmt.Fprintf(s.terminal, "\x1b[%dA\x1b[J", s.drawn)
	}
	fmt.Fprintln(s.w, text)
	s.last, s.drawn = text, len(lines)
}

// cut shortens a line to a width, so that it takes one row of the terminal; 0 is any width.
func cut(line string, width int) string {
	if r := []rune(line); width > 1 && len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return line
}
