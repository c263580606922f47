// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// ownAPIVersion tells objects of Windtunnel from what only has its labels.
var ownAPIVersion = regexp.MustCompile(`["']?apiVersion["']?[ \t]*:[ \t]*["']?` + regexp.QuoteMeta(v1alpha1.GroupVersion.Group) + "/")

func mentionsOwnKinds(content []byte) bool { return ownAPIVersion.Match(content) }

// verbs are those that simulate a kind.
var verbs = map[string]string{v1alpha1.SimulationRunKind: "run", v1alpha1.PolicySweepKind: "sweep"}
