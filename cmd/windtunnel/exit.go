// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// Exit codes. A worker has one more, worker.BadInputExitCode.
const (
	exitOK       = 0
	exitFailed   = 1
	exitBadInput = 2
	// exitUnknown says that the evidence does not do for a gate.
	exitUnknown = 3
	// exitInterrupted is what shells make of a program that SIGINT ended.
	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted; nothing was written")

// resumableError marks an error of work whose state is kept in a file: the same command
// goes on where it stopped.
type resumableError struct {
	error
	state string
}

func (e resumableError) Unwrap() error { return e.error }

// resumable marks err: the work is kept in the file state.
func resumable(err error, state string) error { return resumableError{err, state} }

// interrupted says that a signal ended the work, and how to go on where that can
// be done.
func interrupted(err error) error {
	var kept resumableError
	if errors.As(err, &kept) {
		return fmt.Errorf("%w except the completed simulations in %s: the same command with --state %s continues from them", errInterrupted, kept.state, kept.state)
	}
	return errInterrupted
}

// badInputError marks an error as the user's to mend.
type badInputError struct{ error }

func (e badInputError) Unwrap() error { return e.error }

// badInput marks err, if there is one.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return badInputError{err}
}

// gatesNotPassed says that gates do not pass, after all was done.
type gatesNotPassed struct {
	name    string
	verdict *study.Verdict
}

// notPassed is the error of an object whose gates do not pass.
func notPassed(name string, v *study.Verdict) error { return gatesNotPassed{name, v} }

func (e gatesNotPassed) Error() string {
	if e.verdict.Undecided() {
		return fmt.Sprintf("%s: undecided: %s", e.name, e.verdict.Message)
	}
	if e.verdict.Judgement == result.Unknown {
		return fmt.Sprintf("%s: not enough evidence: %s", e.name, e.verdict.Message)
	}
	if e.verdict.KeepBaseline {
		return fmt.Sprintf("%s: %s", e.name, e.verdict.Message)
	}
	return fmt.Sprintf("%s: does not pass: %s", e.name, e.verdict.Message)
}

// reportedError marks an error whose words are on standard output: only its exit code
// is left to tell.
type reportedError struct{ error }

func (e reportedError) Unwrap() error { return e.error }

// reported marks err.
func reported(err error) error { return reportedError{err} }

// checkPassed is nil where all gates pass, or there are none.
func checkPassed(name string, v *study.Verdict) error {
	if v == nil || v.Judgement == result.Pass {
		return nil
	}
	return notPassed(name, v)
}

func exitCode(err error) int {
	var bad badInputError
	var open gatesNotPassed
	var program *policy.Fault
	var archived archive.Fault
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted), errors.Is(err, worker.ErrStopped):
		return exitInterrupted
	case errors.Is(err, worker.ErrBadInput):
		return worker.BadInputExitCode
	case errors.As(err, &bad), errors.As(err, &archived), errors.As(err, &program) && program.Stage == policy.LoadStage:
		return exitBadInput
	case errors.As(err, &open) && open.verdict.Judgement == result.Unknown:
		return exitUnknown
	default:
		return exitFailed
	}
}

// moreSevere is the one of two objects' errors that decides the exit code: of gates,
// one that fails.
func moreSevere(a, b error) error {
	if a == nil || exitCode(a) == exitUnknown && b != nil {
		return b
	}
	return a
}
