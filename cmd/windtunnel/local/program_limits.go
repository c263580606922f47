// SPDX-License-Identifier: Apache-2.0

package local

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// ProgramLimits is a flag with limits of code in policy bundles.
type ProgramLimits struct{ bundle.Limits }

// Register defines the flag.
func (l *ProgramLimits) Register(f *pflag.FlagSet) {
	f.Var(l, "program-limits", "`LIMIT=NUMBER,…`: limits of the code in policy bundles: callSteps, runSteps, memoryMiB and cpuSeconds; a bundle may state lower ones")
}

// Set implements [pflag.Value].
func (l *ProgramLimits) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		name, number, ok := strings.Cut(part, "=")
		value, err := strconv.ParseUint(number, 10, 64)
		if !ok || err != nil {
			return fmt.Errorf("%q must be a limit and a whole number, such as callSteps=100000", part)
		}
		if err := l.Limits.Set(strings.TrimSpace(name), value); err != nil {
			return err
		}
	}
	return nil
}

// String implements [pflag.Value].
func (l *ProgramLimits) String() string {
	if l.Limits == (bundle.Limits{}) {
		return ""
	}
	return fmt.Sprintf("callSteps=%d,runSteps=%d,memoryMiB=%d,cpuSeconds=%d", l.CallSteps, l.RunSteps, l.MemoryMiB, l.CPUSeconds)
}

// Type implements [pflag.Value].
func (*ProgramLimits) Type() string { return "limits" }
