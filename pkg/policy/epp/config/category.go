// SPDX-License-Identifier: Apache-2.0

package config

// A Category is what a scorer looks at, after the categories that the EPP's scorers
// state.
type Category uint8

const (
	// NoCategory is of plugins that score nothing, and of scorers that look at
	// something else.
	NoCategory Category = iota
	// AffinityCategory is where the request, or one like it, was before.
	AffinityCategory
	// LoadCategory is how busy an endpoint is.
	LoadCategory
)
