// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

func TestPagesOfAManagerNeedAnAddress(t *testing.T) {
	cmd := NewCommand()
	cmd.SetArgs([]string{"--image", "x", "--dashboard"})
	err := cmd.ExecuteContext(t.Context())
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "--dashboard needs --web-bind-address") {
		t.Errorf("error %v", err)
	}
}
