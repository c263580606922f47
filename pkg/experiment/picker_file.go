// SPDX-License-Identifier: Apache-2.0

package experiment

import "windtunnel.dev/windtunnel/pkg/promote"

// A PickerKey says which EPP configuration of a plan is meant.
type PickerKey struct {
	// Model names the EPP's router, by its name or else by its model; empty where the
	// scenario has one router.
	Model string
	// Profile is the name of the profile, or of the alternative that has the configuration;
	// empty for the base's configuration.
	Profile string
}

// A PickerFile is an EPP configuration as it was given.
type PickerFile struct {
	Text []byte
	// ConfigMap and key say where it was; empty where it was inline. The key of a
	// file of the machine is its name without folders.
	ConfigMap, Key string
}

// Names are what a wrapping of the file is called.
func (f *PickerFile) Names(profile string) promote.Names {
	names := promote.Names{ConfigMap: f.ConfigMap, Key: f.Key}
	if names.ConfigMap == "" {
		names.ConfigMap = "endpoint-picker-config"
	}
	if names.Key == "" && profile != "" {
		names.Key = profile + ".yaml"
	}
	if names.Key == "" {
		names.Key = "endpoint-picker-config.yaml"
	}
	return names
}
