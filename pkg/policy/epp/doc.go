// SPDX-License-Identifier: Apache-2.0

// Package epp is llm-d's Endpoint Picker (EPP) as a [policy.Router]: [Load]
// reads an EndpointPickerConfig as a given version of the EPP would, and [New]
// makes the scheduler that it describes.
//
// The rules are those of llm-d/llm-d-router main at ebab68792, which follows
// v0.10.0. Where the real loader goes through a Go map and its result is
// undefined (the filters of a profile that it makes up, the picker that it
// takes when several are configured), the order of the document decides here.
//
// The package knows nothing of the engine: metrics reach it as scrapes, prompts
// as tokens. What it does not reproduce it refuses by name; what it only
// approximates, or what has no effect on a simulation, is in [Config.Report].
package epp
