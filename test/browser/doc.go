// SPDX-License-Identifier: Apache-2.0

// Package browser tests pages in Chromium: what they draw, that they ask the network for nothing,
// and that readers of all kinds can use them. A machine without Chromium skips the tests.
package browser
