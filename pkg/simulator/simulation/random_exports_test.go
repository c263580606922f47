// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simulator"

// randomExports lets most routers read what engines export.
func randomExports(c *choices, config *simulator.Config) { scatterOf(config).engines = c.pick(4) > 0 }
