// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A release dates what the EPP's versions understand. The EPP began in the
// Gateway API Inference Extension (GIE); llm-d's scheduler wrapped that and added
// plugins of its own, then took it over and became the router.
type release uint8

const (
	_            release = iota
	gie05                // v0.5.1, 2025-07
	scheduler02          // v0.2.1, 2025-07
	gie10                // v1.0.2, 2025-10
	scheduler03          // v0.3.2, 2025-10
	gie11                // v1.1.0, 2025-10
	gie12                // v1.2.1, 2025-12
	scheduler04          // v0.4.0, 2025-12
	gie13                // v1.3.1, 2026-02
	scheduler05          // v0.5.1, 2026-03
	scheduler06          // v0.6.0, 2026-03
	gie14                // v1.4.0, 2026-03
	scheduler07          // v0.7.1, 2026-04
	gie15                // v1.5.0, 2026-04
	scheduler08          // v0.8.0, 2026-04
	schedulerMay         // main at 520af478, 2026-05
	router09             // v0.9.0, 2026-06
	router10             // v0.10.0, 2026-08
	routerMain           // main at ebab68792, 2026-08
)

// A dialect is what the EPP of one version understands.
type dialect struct {
	// name is the version as messages call it.
	name string
	// framework dates what came from GIE, own what llm-d added to it: 0 where
	// that is not there.
	framework, own release
}

// defaultVersion is what an empty version means.
const defaultVersion = "router-v0.10"

// dialects are in order of release.
var dialects = []dialect{
	{"gie-v0.5.1", gie05, 0},
	{"scheduler-v0.2.1", gie05, scheduler02},
	{"gie-v1.0.2", gie10, 0},
	{"scheduler-v0.3.2", gie10, scheduler03},
	{"gie-v1.1.0", gie11, 0},
	{"gie-v1.2.1", gie12, 0},
	{"scheduler-v0.4.0", gie12, scheduler04},
	{"gie-v1.3.1", gie13, 0},
	{"scheduler-v0.5.1", gie13, scheduler05},
	{"scheduler-v0.6.0", scheduler06, scheduler06}, // on GIE between v1.3 and v1.4
	{"gie-v1.4.0", gie14, 0},
	{"scheduler-v0.7.1", gie14, scheduler07},
	{"gie-v1.5.0", gie15, 0},
	{"scheduler-v0.8.0", gie15, scheduler08},
	{"scheduler-520af478", schedulerMay, schedulerMay},
	{"router-v0.9.0", router09, router09},
	{"router-v0.10.0", router10, router10},
	{"router-main", routerMain, routerMain},
}

// oldestBuilt is the first release whose files are read.
const oldestBuilt = router10

// ValidateVersion says what keeps files of a version from being read. path is
// where the version stands; empty means router-v0.10.
func ValidateVersion(version string, path *field.Path) field.ErrorList {
	if _, err := parseVersion(version, path); err != nil {
		return field.ErrorList{err}
	}
	return nil
}

// parseVersion finds a version's dialect. A name without its patch number means
// the newest one.
func parseVersion(version string, path *field.Path) (dialect, *field.Error) {
	if version == "" {
		version = defaultVersion
	}
	for _, d := range slices.Backward(dialects) {
		if version != d.name && version != d.minor() {
			continue
		}
		if d.framework < oldestBuilt {
			return dialect{}, field.Invalid(path, version, fmt.Sprintf("EPP version %s is known but not built yet; built are %s", version, strings.Join(versionNames(true), ", ")))
		}
		return d, nil
	}
	return dialect{}, field.Invalid(path, version, fmt.Sprintf("unknown EPP version; built are %s; known but not built yet are %s",
		strings.Join(versionNames(true), ", "), strings.Join(versionNames(false), ", ")))
}

// minor is the name without a patch number.
func (d *dialect) minor() string {
	if !strings.Contains(d.name, ".") {
		return d.name
	}
	return d.name[:strings.LastIndex(d.name, ".")]
}

func versionNames(built bool) []string {
	var names []string
	for _, d := range dialects {
		if (d.framework >= oldestBuilt) == built {
			names = append(names, d.name)
		}
	}
	return names
}
