// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"fmt"
	"regexp"
	"strconv"
)

// Version is a minor release of vLLM 0: 9 is vLLM 0.9. It decides about the names of metrics and the
// shape of errors.
type Version int

// The releases whose metrics are known.
const (
	OldestVersion Version = 8
	NewestVersion Version = 29
)

// The releases from which on something differs.
const (
	kvNames         Version = 9  // kv_ names beside gpu_ names of the cache (#18354)
	nestedErrors    Version = 11 // an error is an object with an object (#22099)
	hiddenGPUNames  Version = 11 // gpu_ names are hidden (#24245)
	interTokenNames Version = 11 // inter_token_latency_seconds beside time_per_output_token_seconds
	hiddenTPOTName  Version = 12 // time_per_output_token_seconds is hidden (#29330)
	waitingReasons  Version = 20 // num_requests_waiting_by_reason (#38435)
)

var release = regexp.MustCompile(`^v?0\.([0-9]{1,3})(\.[0-9]+)?$`)

// ParseVersion reads a release such as 0.11 or v0.11.2. Patch levels do not count.
func ParseVersion(text string) (Version, error) {
	if parts := release.FindStringSubmatch(text); parts != nil {
		if v, err := strconv.Atoi(parts[1]); err == nil && Version(v) >= OldestVersion && Version(v) <= NewestVersion {
			return Version(v), nil
		}
	}
	return 0, fmt.Errorf("%q must be a release of vLLM from %s to %s", text, OldestVersion, NewestVersion)
}

func (v Version) String() string { return "0." + strconv.Itoa(int(v)) }
