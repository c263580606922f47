// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
)

// nothingServed says that no request completed, after all was done: figures
// that are missing are no answer.
type nothingServed struct{ name, why string }

func (e nothingServed) Error() string { return e.name + ": " + e.why }

// CheckServed is the error with which a verb ends for an object: that nothing was
// served, or what its gates say.
func CheckServed(name string, rows []result.Row, v *study.Judged) error {
	if why := result.NothingServed(rows); why != "" {
		return nothingServed{name, why}
	}
	if v == nil {
		return nil
	}
	return CheckPassed(name, &v.Verdict)
}

// IsResult tells errors that say what came of an object that was simulated to
// its end: the others of a manifest are simulated too.
func IsResult(err error) bool {
	return errors.As(err, new(GatesNotPassed)) || errors.As(err, new(nothingServed))
}

// PrintNothingServed says it before a table that has no figures.
func PrintNothingServed(w io.Writer, rows []result.Row) {
	if why := result.NothingServed(rows); why != "" {
		fmt.Fprintf(w, "%s%s.\n\n", strings.ToUpper(why[:1]), why[1:])
	}
}
