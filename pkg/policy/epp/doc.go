// SPDX-License-Identifier: Apache-2.0

// Package epp is llm-d's Endpoint Picker (EPP) as a [policy.Router]: [Load] reads an
// EndpointPickerConfig as one version of the EPP does, and [New] makes the scheduler
// that it describes.
//
// The package holds the plugins, one file for each, and their registry. The parts that
// they rest on are packages of their own, each of which imports those above it only:
//
//	version      releases of the EPP, and which of them has a type or a field
//	document     YAML and JSON, decoded and encoded by version
//	files        EndpointPickerConfigs in ConfigMaps, Helm values and manifests
//	config       the loader: defaults, checks, errors, verdicts
//	scheduler    one request: producers, admitters, profiles, explanations
//	flowcontrol  priority bands, queues, eviction, and their policies
//	prefix       the index of the prefixes that endpoints may hold
//
// A plugin is a [scheduler.Factory] or, for flow control, a policy of package
// flowcontrol. A type that does nothing to a request's route is a [config.PluginType].
//
// The rules are those of llm-d/llm-d-router main at ebab68792, which follows v0.10.0.
// Where the real loader goes through a Go map and its result is undefined (the filters
// of a profile that it makes up, the picker that it takes when several are configured),
// the order of the document decides here.
//
// The packages know nothing of the engine: metrics reach them as scrapes, prompts as
// tokens. They reject by name what they do not reproduce. [config.Config.Report] says
// what they approximate, and what has no effect on a simulation.
package epp
