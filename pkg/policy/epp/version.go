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
	router11             // v0.11.0, 2026-09
)

// A dialect is what the EPP of one version understands.
type dialect struct {
	// name is the version as messages call it.
	name string
	// framework dates what came from GIE, own what llm-d added to it: 0 where
	// that is not there.
	framework, own release
	// fork is whether it was read from a downstream fork, as the release's own
	// sources are not public.
	fork bool
}

// defaultVersion is what an empty version means.
const defaultVersion = "router-v0.10"

// dialects are in order of release.
var dialects = []dialect{
	{"gie-v0.5.1", gie05, 0, false},
	{"scheduler-v0.2.1", gie05, scheduler02, false},
	{"gie-v1.0.2", gie10, 0, false},
	{"scheduler-v0.3.2", gie10, scheduler03, false},
	{"gie-v1.1.0", gie11, 0, false},
	{"gie-v1.2.1", gie12, 0, false},
	{"scheduler-v0.4.0", gie12, scheduler04, false},
	{"gie-v1.3.1", gie13, 0, false},
	{"scheduler-v0.5.1", gie13, scheduler05, false},
	{"scheduler-v0.6.0", scheduler06, scheduler06, false}, // on GIE between v1.3 and v1.4
	{"gie-v1.4.0", gie14, 0, false},
	{"scheduler-v0.7.1", gie14, scheduler07, false},
	{"gie-v1.5.0", gie15, 0, false},
	{"scheduler-v0.8.0", gie15, scheduler08, false},
	{"scheduler-520af478", schedulerMay, schedulerMay, false},
	{"router-v0.9.0", router09, router09, false},
	{"router-v0.10.0", router10, router10, false},
	{"router-main", routerMain, routerMain, false},
	{"router-v0.11.0", router11, router11, true},
}

// ValidateVersion says what keeps a version from being one of the EPP's. path is
// where the version stands; empty means router-v0.10.
func ValidateVersion(version string, path *field.Path) field.ErrorList {
	if _, err := parseVersion(version, path); err != nil {
		return field.ErrorList{err}
	}
	return nil
}

// Versions lists the versions whose files are read, in order of release.
func Versions() []string {
	var names []string
	for _, d := range dialects {
		names = append(names, d.name)
	}
	return names
}

// Provenance says what a version's rules rest on where that is not its own
// release; else it is empty.
func Provenance(version string) string {
	if d, err := parseVersion(version, nil); err == nil && d.fork {
		return "read from a downstream fork"
	}
	return ""
}

// NewerThanKnown is what texts say of names that no version here has and that may
// be those of a newer one.
const NewerThanKnown = "newer than this tool knows"

// parseVersion finds a version's dialect. A name without its patch number means
// the newest one.
func parseVersion(version string, path *field.Path) (dialect, *field.Error) {
	if version == "" {
		version = defaultVersion
	}
	for _, d := range slices.Backward(dialects) {
		if version == d.name || version == minor(d.name) {
			return d, nil
		}
	}
	return dialect{}, field.Invalid(path, version, "unknown EPP version; there are "+strings.Join(Versions(), ", "))
}

// minor is a version's name without a patch number.
func minor(name string) string {
	if !strings.Contains(name, ".") {
		return name
	}
	return name[:strings.LastIndex(name, ".")]
}

// clock is the release of the code that a part of a version comes from: llm-d's
// own or the framework's.
func (d *dialect) clock(own bool) release {
	if own {
		return d.own
	}
	return d.framework
}

// releaseNames are those of releases in error texts and in versions tags, index
// == release.
var releaseNames = func() []string {
	names := make([]string, router11+1)
	for _, d := range dialects {
		newest := max(d.framework, d.own)
		names[newest] = minor(d.name)
	}
	return names
}()

func (r release) String() string { return releaseNames[r] }

// versionRange is the releases that have something, both inclusive; 0 is no
// bound.
type versionRange struct{ first, last release }

// parseRange reads a versions tag: "gie-v1.3..gie-v1.4", either side may be
// empty. Tags are written by us.
func parseRange(tag string) versionRange {
	if tag == "" {
		return versionRange{}
	}
	first, last, ok := strings.Cut(tag, "..")
	if !ok {
		panic(fmt.Sprintf("epp: versions %q is no range", tag))
	}
	return versionRange{releaseNamed(first), releaseNamed(last)}
}

func releaseNamed(name string) release {
	if name == "" {
		return 0
	}
	r := slices.Index(releaseNames, name)
	if r < 0 {
		panic(fmt.Sprintf("epp: no version %q", name))
	}
	return release(r)
}

func (v versionRange) has(r release) bool {
	return r >= v.first && (v.last == 0 || r <= v.last)
}

// whyNot says when there is what a release does not have.
func (v versionRange) whyNot(r release) string {
	switch {
	case r < v.first:
		return fmt.Sprintf("%s has it", v.first)
	default:
		return fmt.Sprintf("%s was the last version to have it", v.last)
	}
}

// perhapsNewer is what is said of unknown names: the fork may not have had yet
// what its release has.
func (d *dialect) perhapsNewer() string {
	if !d.fork {
		return ""
	}
	return "; unless it is misspelt it is " + NewerThanKnown
}
