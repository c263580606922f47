// SPDX-License-Identifier: Apache-2.0

package main

import "errors"

// Exit codes. The Job's pod failure policy reads exitBadInput: such a pod is not
// tried again. A panic ends Go programs with the same code, and is as final: a
// simulation that panics would do so again.
const (
	exitOK       = 0
	exitFailed   = 1
	exitBadInput = 2
	// exitInterrupted is what shells make of a program that SIGINT ended.
	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted; nothing was written")

// badInput marks an error as the user's to mend.
type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

// asBadInput marks err, if there is one.
func asBadInput(err error) error {
	if err == nil {
		return nil
	}
	return badInput{err}
}

func exitCode(err error) int {
	var bad badInput
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &bad):
		return exitBadInput
	default:
		return exitFailed
	}
}
