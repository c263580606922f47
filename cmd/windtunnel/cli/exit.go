// SPDX-License-Identifier: Apache-2.0

// Package cli has what all verbs share: exit codes, mistakes on the command line, formats of output, and files
// that are written whole or not at all.
package cli

import (
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/verdict"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// Exit codes. A worker has one more, worker.BadInputExitCode.
const (
	ExitOK       = 0
	ExitFailed   = 1
	ExitBadInput = 2
	// ExitUnknown says that the evidence does not do for a gate.
	ExitUnknown = 3
	// ExitInterrupted is what shells make of a program that SIGINT ended.
	ExitInterrupted = 130
)

// ErrInterrupted is the error of a command that a signal ended before it wrote anything.
var ErrInterrupted = errors.New("interrupted; nothing was written")

// resumableError marks an error of work whose state is kept in a file: the same command
// goes on where it stopped.
type resumableError struct {
	error
	state string
}

func (e resumableError) Unwrap() error { return e.error }

// Resumable marks err: the work is kept in the file state.
func Resumable(err error, state string) error { return resumableError{err, state} }

// Interrupted says that a signal ended the work, and how to go on where that can
// be done.
func Interrupted(err error) error {
	var kept resumableError
	if errors.As(err, &kept) {
		return fmt.Errorf("%w except the completed simulations in %s: the same command with --state %s continues from them", ErrInterrupted, kept.state, kept.state)
	}
	return ErrInterrupted
}

// BadInputError marks an error as the user's to mend.
type BadInputError struct{ error }

func (e BadInputError) Unwrap() error { return e.error }

// BadInput marks err, if there is one.
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return BadInputError{err}
}

// Faults are mistakes on the command line, to be reported all at once.
type Faults []error

// If adds a mistake if there is one.
func (f *Faults) If(wrong bool, format string, args ...any) {
	if wrong {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

// Err is nil without mistakes.
func (f Faults) Err() error { return BadInput(errors.Join(f...)) }

// GatesNotPassed says that gates do not pass, after all was done.
type GatesNotPassed struct {
	name    string
	Verdict *verdict.Verdict
}

// NotPassed is the error of an object whose gates do not pass.
func NotPassed(name string, v *verdict.Verdict) error { return GatesNotPassed{name, v} }

func (e GatesNotPassed) Error() string { return e.name + ": " + e.Verdict.Sentence() }

// ReportedError marks an error whose words are on standard output: only its exit code
// is left to tell.
type ReportedError struct{ error }

func (e ReportedError) Unwrap() error { return e.error }

// Reported marks err.
func Reported(err error) error { return ReportedError{err} }

// CheckPassed is nil where all gates pass, or there are none.
func CheckPassed(name string, v *verdict.Verdict) error {
	if v == nil || v.Outcome == verdict.Pass {
		return nil
	}
	return NotPassed(name, v)
}

// ExitCode returns the exit code of an error: 0 of none.
func ExitCode(err error) int {
	var bad BadInputError
	var open GatesNotPassed
	var program *policy.Fault
	var archived archive.Fault
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrInterrupted), errors.Is(err, worker.ErrStopped):
		return ExitInterrupted
	case errors.Is(err, worker.ErrBadInput):
		return worker.BadInputExitCode
	case errors.As(err, &bad), errors.As(err, &archived), errors.As(err, &program) && program.Stage == policy.LoadStage:
		return ExitBadInput
	case errors.As(err, &open):
		return open.Verdict.Outcome.ExitCode()
	default:
		return ExitFailed
	}
}

// MoreSevere is the one of two objects' errors that decides the exit code: of gates,
// one that fails.
func MoreSevere(a, b error) error {
	if a == nil || ExitCode(a) == ExitUnknown && b != nil {
		return b
	}
	return a
}
