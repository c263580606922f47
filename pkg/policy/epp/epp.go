// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Judge says what the EPP of one version makes of a text: YAML or JSON, an
// EndpointPickerConfig and nothing around it. An empty text is the EPP's built-in
// configuration. Versions are those of [Versions], or short for the newest patch
// of one; empty is router-v0.10. path is where the text stands.
func Judge(text []byte, of string, path *field.Path) Verdict {
	d, err := parseVersion(of, path)
	if err != nil {
		return Verdict{Version: of, Stage: RefusedInDecoding, Errors: field.ErrorList{err}}
	}
	return judge(types, d, text, path)
}

// Load is [Judge] for those who want to simulate: errors are why the EPP would
// not start. What it starts with and Windtunnel cannot follow is for
// [Config.Check].
func Load(text []byte, of string, path *field.Path) (*Config, field.ErrorList) {
	v := Judge(text, of, path)
	if v.Stage != Accepted {
		return nil, v.Errors
	}
	return v.Config, nil
}

// Fits judges a text by every version, in order of release.
func Fits(text []byte, path *field.Path) []Verdict {
	verdicts := make([]Verdict, 0, len(dialects))
	for _, d := range dialects {
		verdicts = append(verdicts, Judge(text, d.name, path))
	}
	return verdicts
}

// Newest returns the newest version that accepts a text, and says so in words
// with the others that do. One that was read from a fork counts only where no
// other accepts the text. Where none does it returns the verdict of the version
// that gets farthest, the newest of them.
func Newest(text []byte, path *field.Path) (Verdict, string) {
	verdicts := Fits(text, path)
	best, others := 0, 0
	for i, v := range verdicts {
		ahead := progress[v.Stage] - progress[verdicts[best].Stage]
		if ahead > 0 || ahead == 0 && !dialects[i].fork {
			best = i
		}
		if v.Stage == Accepted && (!dialects[i].fork || best == i) {
			others++
		}
	}
	chosen := verdicts[best]
	if dialects[best].fork && others > 0 {
		return chosen, fmt.Sprintf("taken for %s, the only version of the EPP that accepts it, which was %s", chosen.Version, Provenance(chosen.Version))
	}
	switch others {
	case 0:
		return chosen, fmt.Sprintf("no version of the EPP accepts this configuration; %s gets farthest", chosen.Version)
	case 1:
		return chosen, fmt.Sprintf("taken for %s, the only version of the EPP that accepts it", chosen.Version)
	}
	return chosen, fmt.Sprintf("taken for %s, the newest of %d versions of the EPP that accept it", chosen.Version, others)
}

// progress orders the stages by how far the EPP gets.
var progress = map[Stage]int{RefusedInDecoding: 0, RefusedInLoading: 1, RefusedInStarting: 2, Accepted: 3}

// New makes the scheduler of a configuration for a cluster. What is random
// follows from the seed.
func New(c *Config, cluster Cluster, seed int64) *Scheduler {
	return newScheduler(parts, c, cluster, seed)
}

// parts are what all schedulers are made of.
var parts = Parts{factories: factories, newQueue: newRequestQueue, builtInDetector: newBuiltInDetector}

func newBuiltInDetector(c *Config) saturationDetector { return newOldSaturation(c) }
