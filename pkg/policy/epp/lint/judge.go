// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

func judge(text []byte, version string) config.LoadResult { return epp.Judge(text, version, nil) }

// fullName completes a version's name: the newest patch of it, and router-v0.10
// for an empty one.
func fullName(name string) string {
	if name == "" {
		name = "router-v0.10"
	}
	for _, v := range slices.Backward(version.Names()) {
		if v == name || strings.HasPrefix(v, name+".") {
			return v
		}
	}
	return name
}
