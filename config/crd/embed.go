// SPDX-License-Identifier: Apache-2.0

// Package crd embeds the CustomResourceDefinitions that a cluster gets, so that
// the local verbs default and validate objects by the very same schema.
package crd

import "embed"

// Bases holds the generated definitions, one file a kind, as
// bases/<group>_<plural>.yaml.
//
//go:embed bases/*.yaml
var Bases embed.FS
