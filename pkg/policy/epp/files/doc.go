// SPDX-License-Identifier: Apache-2.0

// Package files finds EndpointPickerConfigs in files that hold other things: in
// ConfigMaps, Helm values and manifests, as text or as an object. Each [Source] knows
// where its text begins, so that findings have the line and column of the file.
package files
