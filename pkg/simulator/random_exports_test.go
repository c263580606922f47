// SPDX-License-Identifier: Apache-2.0

package simulator

// randomExports lets most routers read what engines export.
func randomExports(c *choices, config *Config) { scatterOf(config).engines = c.pick(4) > 0 }
