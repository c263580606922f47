// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
)

// Machine is what the checks of this machine look at.
type Machine struct {
	// Version and Engine are those of the binary.
	Version, Engine string
	// TryFence starts a child of the fence of code in policy bundles, and Unbounded says what the
	// fence does not bound on this system.
	TryFence  func(context.Context) error
	Unbounded string
}

// Look checks the machine.
func (m *Machine) Look(ctx context.Context) []Finding {
	return run(ctx, []check{
		{"binary", func(context.Context) []Finding { return one(OK, "", "windtunnel %s, engine %s", m.Version, m.Engine) }},
		{"fence", m.fence},
	})
}

func (m *Machine) fence(ctx context.Context) []Finding {
	if err := m.TryFence(ctx); err != nil {
		return one(Fail, "windtunnel sweep -f FILE --trust-programs",
			"code in policy bundles cannot be fenced here (%v); code that you trust runs without the fence", err)
	}
	if m.Unbounded != "" {
		return one(Warn, "", "%s", m.Unbounded)
	}
	return one(OK, "", "code in policy bundles runs in a child process with limits of memory, CPU time, files and network")
}
