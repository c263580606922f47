// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// release is the version that make gives the linker. What go install builds knows
// its module's.
var release string

// Version names the binary's version and the engine's. Only the engine's
// decides about results.
func Version() string {
	version := cmp.Or(release, "unknown")
	if info, ok := debug.ReadBuildInfo(); release == "" && ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("%s (engine %s)", version, simulator.EngineVersion)
}
