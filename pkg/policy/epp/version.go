// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A dialect is what the EPP of one version understands.
type dialect struct {
	// name is the version as messages call it.
	name string
	// afterV010 is whether it knows what came to main after v0.10.0.
	afterV010 bool
}

// defaultVersion is what an empty version means.
const defaultVersion = "router-v0.10"

var builtVersions = []string{"router-v0.10", "router-v0.10.0", "router-main"}

// laterVersions are the other versions whose configuration format is known.
// A version may also be named without its patch number.
var laterVersions = []string{
	"gie-v0.5.1", "scheduler-v0.2.1", "gie-v1.0.2", "scheduler-v0.3.2", "gie-v1.1.0", "gie-v1.2.1", "scheduler-v0.4.0",
	"gie-v1.3.1", "scheduler-v0.5.1", "scheduler-v0.6.0", "gie-v1.4.0", "scheduler-v0.7.1", "gie-v1.5.0",
	"scheduler-v0.8.0", "scheduler-main", "router-v0.9.0",
}

// ValidateVersion says what keeps files of a version from being read. path is
// where the version stands; empty means router-v0.10.
func ValidateVersion(version string, path *field.Path) field.ErrorList {
	if _, err := parseVersion(version, path); err != nil {
		return field.ErrorList{err}
	}
	return nil
}

// parseVersion finds a version's dialect.
func parseVersion(version string, path *field.Path) (dialect, *field.Error) {
	if version == "" {
		version = defaultVersion
	}
	if slices.Contains(builtVersions, version) {
		return dialect{name: version, afterV010: version == "router-main"}, nil
	}
	for _, known := range laterVersions {
		minor := known[:strings.LastIndexAny(known, ".-")]
		if version == known || strings.Contains(known, ".") && version == minor {
			return dialect{}, field.Invalid(path, version, fmt.Sprintf("EPP version %s is known but not built yet; built are %s", version, strings.Join(builtVersions, ", ")))
		}
	}
	return dialect{}, field.Invalid(path, version, fmt.Sprintf("unknown EPP version; built are %s; known but not built yet are %s",
		strings.Join(builtVersions, ", "), strings.Join(laterVersions, ", ")))
}
