// SPDX-License-Identifier: Apache-2.0

// Package crd embeds the CustomResourceDefinitions, so that the local commands
// default and validate objects with the schema of the cluster.
package crd

import "embed"

// Bases holds the generated definitions, one file a kind, as
// bases/<group>_<plural>.yaml.
//
//go:embed bases/*.yaml
var Bases embed.FS

// Validation holds the schema of each kind's only version as JSON, without descriptions, as
// validation/<kind>.json. It is read at each start, where reading the YAML takes longer than
// a small simulation.
//
//go:embed validation/*.json
var Validation embed.FS
