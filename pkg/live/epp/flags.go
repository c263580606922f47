// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"context"
	"os/exec"
)

// scoreFlag has an EPP tell the scores of all endpoints with its choice. Versions up to v0.10.0 do
// not know it.
const scoreFlag = "--emit-endpoint-scores"

// ScoreFlags are the flags with which a program tells its scores; none where it cannot.
func ScoreFlags(ctx context.Context, binary string) []string {
	help, _ := exec.CommandContext(ctx, binary, "--help").CombinedOutput() // which may end with an exit code
	if !bytes.Contains(help, []byte(scoreFlag)) {
		return nil
	}
	return []string{scoreFlag}
}
