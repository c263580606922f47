// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"strings"
	"time"
)

// scoreFlag has an EPP tell the scores of all endpoints with its choice. Versions up to v0.10.0 do
// not know it. drainFlag has it end at once when it is stopped; versions before v0.10.0 do so.
const scoreFlag, drainFlag = "--emit-endpoint-scores", "--drain-timeout=0s"

// Bounds of what a program says of its flags.
const (
	helpTimeout = 10 * time.Second
	helpBytes   = 1 << 20
)

// KnownFlags are those of a rehearsal's flags that a program knows.
func KnownFlags(ctx context.Context, binary string) (known []string) {
	ctx, cancel := context.WithTimeout(ctx, helpTimeout)
	defer cancel()
	said, help := io.Pipe()
	command := exec.CommandContext(ctx, binary, "--help")
	command.Stdout, command.Stderr, command.WaitDelay = help, help, helpTimeout
	go func() { help.CloseWithError(command.Run()) }() // which may end with an exit code
	text, _ := io.ReadAll(io.LimitReader(said, helpBytes))
	_ = said.Close() // so that what says more ends
	for _, flag := range []string{scoreFlag, drainFlag} {
		if name, _, _ := strings.Cut(flag, "="); bytes.Contains(text, []byte(name)) {
			known = append(known, flag)
		}
	}
	return known
}
