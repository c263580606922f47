// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"time"
)

// scoreFlag has an EPP tell the scores of all endpoints with its choice. Versions up to v0.10.0 do
// not know it.
const scoreFlag = "--emit-endpoint-scores"

// Bounds of what a program says of its flags.
const (
	helpTimeout = 10 * time.Second
	helpBytes   = 1 << 20
)

// ScoreFlags are the flags with which a program tells its scores; none where it cannot.
func ScoreFlags(ctx context.Context, binary string) []string {
	ctx, cancel := context.WithTimeout(ctx, helpTimeout)
	defer cancel()
	said, help := io.Pipe()
	command := exec.CommandContext(ctx, binary, "--help")
	command.Stdout, command.Stderr, command.WaitDelay = help, help, helpTimeout
	go func() { help.CloseWithError(command.Run()) }() // which may end with an exit code
	text, _ := io.ReadAll(io.LimitReader(said, helpBytes))
	_ = said.Close() // so that what says more ends
	if !bytes.Contains(text, []byte(scoreFlag)) {
		return nil
	}
	return []string{scoreFlag}
}
