// SPDX-License-Identifier: Apache-2.0

package version

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// A Release dates what the EPP's versions understand. The EPP began in the
// Gateway API Inference Extension (GIE); llm-d's scheduler wrapped that and added
// plugins of its own, then took it over and became the router.
type Release uint8

// Releases in order of time, with the version that was read.
const (
	_            Release = iota
	gie05                // v0.5.1, 2025-07
	Scheduler02          // v0.2.1, 2025-07
	GIE10                // v1.0.2, 2025-10
	Scheduler03          // v0.3.2, 2025-10
	GIE11                // v1.1.0, 2025-10
	GIE12                // v1.2.1, 2025-12
	Scheduler04          // v0.4.0, 2025-12
	GIE13                // v1.3.1, 2026-02
	Scheduler05          // v0.5.1, 2026-03
	Scheduler06          // v0.6.0, 2026-03
	GIE14                // v1.4.0, 2026-03
	Scheduler07          // v0.7.1, 2026-04
	GIE15                // v1.5.0, 2026-04
	Scheduler08          // v0.8.0, 2026-04
	SchedulerMay         // main at 520af478, 2026-05
	Router09             // v0.9.0, 2026-06
	Router10             // v0.10.0, 2026-08
	RouterMain           // main at ebab68792, 2026-08
	Router11             // v0.11.0, 2026-09
)

// A Dialect is what the EPP of one version understands.
type Dialect struct {
	// Name is the version as messages call it.
	Name string
	// Framework dates what came from GIE, own what llm-d added to it: 0 where
	// that is not there.
	Framework, Own Release
	// Fork is whether it was read from a downstream fork, as the release's own
	// sources are not public.
	Fork bool
}

// defaultVersion is what an empty version means.
const defaultVersion = "router-v0.10"

// All are in order of release.
var All = []Dialect{
	{"gie-v0.5.1", gie05, 0, false},
	{"scheduler-v0.2.1", gie05, Scheduler02, false},
	{"gie-v1.0.2", GIE10, 0, false},
	{"scheduler-v0.3.2", GIE10, Scheduler03, false},
	{"gie-v1.1.0", GIE11, 0, false},
	{"gie-v1.2.1", GIE12, 0, false},
	{"scheduler-v0.4.0", GIE12, Scheduler04, false},
	{"gie-v1.3.1", GIE13, 0, false},
	{"scheduler-v0.5.1", GIE13, Scheduler05, false},
	{"scheduler-v0.6.0", Scheduler06, Scheduler06, false}, // on GIE between v1.3 and v1.4
	{"gie-v1.4.0", GIE14, 0, false},
	{"scheduler-v0.7.1", GIE14, Scheduler07, false},
	{"gie-v1.5.0", GIE15, 0, false},
	{"scheduler-v0.8.0", GIE15, Scheduler08, false},
	{"scheduler-520af478", SchedulerMay, SchedulerMay, false},
	{"router-v0.9.0", Router09, Router09, false},
	{"router-v0.10.0", Router10, Router10, false},
	{"router-main", RouterMain, RouterMain, false},
	{"router-v0.11.0", Router11, Router11, true},
}

// Validate says what keeps a version from being one of the EPP's. path is
// where the version stands; empty means router-v0.10.
func Validate(version string, path *field.Path) field.ErrorList {
	if _, err := Parse(version, path); err != nil {
		return field.ErrorList{err}
	}
	return nil
}

// Names lists the versions whose files are read, in order of release.
func Names() []string {
	var names []string
	for _, d := range All {
		names = append(names, d.Name)
	}
	return names
}

// Provenance says what a version's rules rest on where that is not its own
// release; else it is empty.
func Provenance(version string) string {
	if d, err := Parse(version, nil); err == nil && d.Fork {
		return "read from a downstream fork"
	}
	return ""
}

// NewerThanKnown is what texts say of names that no version here has and that may
// be those of a newer one.
const NewerThanKnown = "newer than this tool knows"

// Parse finds a version's dialect. A name without its patch number means
// the newest one.
func Parse(version string, path *field.Path) (Dialect, *field.Error) {
	if version == "" {
		version = defaultVersion
	}
	for _, d := range slices.Backward(All) {
		if version == d.Name || version == minor(d.Name) {
			return d, nil
		}
	}
	return Dialect{}, field.Invalid(path, version, "unknown EPP version; there are "+strings.Join(Names(), ", ")+didYouMean(version))
}

// didYouMean suggests the versions that the tag of an image or a number of a release may stand for,
// the newest first.
func didYouMean(written string) string {
	tag, _, _ := strings.Cut(written[strings.LastIndexAny(written, "/")+1:], "@")
	tag = tag[strings.LastIndexByte(tag, ':')+1:]
	if tag != "" && tag[0] >= '0' && tag[0] <= '9' {
		tag = "v" + tag
	}
	var names []string
	for _, d := range slices.Backward(All) {
		_, number, _ := strings.Cut(d.Name, "-")
		if tag == number || tag == minor(number) || minor(tag) == minor(number) && strings.Count(tag, ".") == 2 {
			names = append(names, d.Name)
		}
	}
	if near := spelling.Slip(tag, Names()); len(names) == 0 && near != "" {
		names = []string{near}
	}
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}

// minor is a version's name without a patch number.
func minor(name string) string {
	if !strings.Contains(name, ".") {
		return name
	}
	return name[:strings.LastIndex(name, ".")]
}

// Clock is the release of the code that a part of a version comes from: llm-d's
// own or the framework's.
func (d *Dialect) Clock(own bool) Release {
	if own {
		return d.Own
	}
	return d.Framework
}

// releaseNames are those of releases in error texts and in versions tags, index
// == release.
var releaseNames = func() []string {
	names := make([]string, Router11+1)
	for _, d := range All {
		newest := max(d.Framework, d.Own)
		names[newest] = minor(d.Name)
	}
	return names
}()

func (r Release) String() string { return releaseNames[r] }

// A Range is the releases that have something, both inclusive; 0 is no
// bound.
type Range struct{ first, Last Release }

// ParseRange reads a versions tag: "gie-v1.3..gie-v1.4", either side may be
// empty. Tags are written by us.
func ParseRange(tag string) Range {
	if tag == "" {
		return Range{}
	}
	first, last, ok := strings.Cut(tag, "..")
	if !ok {
		panic(fmt.Sprintf("epp: versions %q is no range", tag))
	}
	return Range{releaseNamed(first), releaseNamed(last)}
}

func releaseNamed(name string) Release {
	if name == "" {
		return 0
	}
	r := slices.Index(releaseNames, name)
	if r < 0 {
		panic(fmt.Sprintf("epp: no version %q", name))
	}
	return Release(r)
}

// Has reports whether a release is in the range.
func (v Range) Has(r Release) bool {
	return r >= v.first && (v.Last == 0 || r <= v.Last)
}

// String says which releases these are, such as "from router-v0.9 on"; empty for all.
func (v Range) String() string {
	switch {
	case v == Range{}:
		return ""
	case v.Last == 0:
		return fmt.Sprintf("from %s on", v.first)
	case v.first == 0:
		return fmt.Sprintf("up to %s", v.Last)
	default:
		return fmt.Sprintf("%s to %s", v.first, v.Last)
	}
}

// UnavailableReason says when there is what a release does not have.
func (v Range) UnavailableReason(r Release) string {
	switch {
	case r < v.first:
		return fmt.Sprintf("%s has it", v.first)
	default:
		return fmt.Sprintf("%s was the last version to have it", v.Last)
	}
}

// PerhapsNewer is what is said of unknown names: the fork may not have had yet
// what its release has.
func (d *Dialect) PerhapsNewer() string {
	if !d.Fork {
		return ""
	}
	return "; unless it is misspelt it is " + NewerThanKnown
}
