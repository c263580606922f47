// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// EngineVersion is a minor release of vLLM 0: 15 is vLLM 0.15. The zero value stands for
// DefaultEngineVersion.
type EngineVersion int

const (
	// OldestEngineVersion is one end of what is known.
	OldestEngineVersion EngineVersion = 6
	// NewestEngineVersion is the other end.
	NewestEngineVersion EngineVersion = 24
	// DefaultEngineVersion is the engine of a pool that names none.
	DefaultEngineVersion EngineVersion = 24

	// firstAsynchronous is the first release that schedules asynchronously unless a flag
	// forbids it.
	firstAsynchronous EngineVersion = 14
)

// released is how vLLM writes its releases, with the tag's v and the build of a wheel.
var released = regexp.MustCompile(`^v?([0-9]+)\.([0-9]+)(\.[0-9]+(\.post[0-9]+)?(\+[a-z0-9.]+)?)?$`)

// numbered finds a version in something longer, such as the tag of an image.
var numbered = regexp.MustCompile(`([0-9]+)\.([0-9]+)`)

// ParseEngineVersion reads a release of vLLM, such as 0.15 or v0.15.1. Patch levels do
// not count. Of what is no known release it names the nearest one.
func ParseEngineVersion(written string, path *field.Path) (EngineVersion, *field.Error) {
	if parts := released.FindStringSubmatch(written); parts != nil {
		if v, ok := known(parts); ok {
			return v, nil
		}
	}
	return 0, field.Invalid(path, written, fmt.Sprintf("unknown version of vLLM; the known ones are %s to %s; the nearest is %s",
		OldestEngineVersion, NewestEngineVersion, nearestEngineVersion(written)))
}

// known returns the release whose numbers the groups of a match are, or the nearest one
// and false.
func known(parts []string) (EngineVersion, bool) {
	minor, err := strconv.Atoi(parts[2])
	if parts[1] != "0" || err != nil { // too large a number
		return NewestEngineVersion, false
	}
	v := EngineVersion(minor)
	near := min(max(v, OldestEngineVersion), NewestEngineVersion)
	return near, near == v
}

func nearestEngineVersion(written string) string {
	if parts := numbered.FindStringSubmatch(written); parts != nil {
		near, _ := known(parts)
		return near.String()
	}
	return cmp.Or(spelling.Slip(written, engineVersionNames()), NewestEngineVersion.String())
}

func engineVersionNames() []string {
	var names []string
	for v := OldestEngineVersion; v <= NewestEngineVersion; v++ {
		names = append(names, v.String())
	}
	return names
}

func (v EngineVersion) orDefault() EngineVersion { return cmp.Or(v, DefaultEngineVersion) }

// String returns the version as vLLM writes it, without a patch level.
func (v EngineVersion) String() string { return fmt.Sprintf("0.%d", int(v.orDefault())) }

// AsynchronousScheduling is whether the engine schedules a step while the one before it
// runs.
func (v EngineVersion) AsynchronousScheduling() bool { return v.orDefault() >= firstAsynchronous }
