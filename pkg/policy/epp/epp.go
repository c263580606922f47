// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/flowcontrol"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Judge says what the EPP of one version makes of a text: YAML or JSON, an
// EndpointPickerConfig and nothing around it. An empty text is the EPP's built-in
// configuration. Versions are those of [Versions], or short for the newest patch
// of one; empty is router-v0.10. path is where the text stands.
func Judge(text []byte, of string, path *field.Path) config.LoadResult {
	return judge(of, path, func(d version.Dialect) config.LoadResult { return config.Judge(types, d, text, path) })
}

func judge(of string, path *field.Path, load func(version.Dialect) config.LoadResult) config.LoadResult {
	d, err := version.Parse(of, path)
	if err != nil {
		return config.LoadResult{Version: of, Stage: config.RefusedInDecoding, Errors: field.ErrorList{err}}
	}
	return load(d)
}

// Load is [Judge] for those who want to simulate: errors are why the EPP would
// not start. What it starts with and Windtunnel cannot follow is for
// [Config.Check].
func Load(text []byte, of string, path *field.Path) (*config.Config, field.ErrorList) {
	return accepted(Judge(text, of, path))
}

// LoadTree is [Load] for a document that was decoded from JSON, with numbers as json.Number.
func LoadTree(tree map[string]any, of string, path *field.Path) (*config.Config, field.ErrorList) {
	return accepted(judge(of, path, func(d version.Dialect) config.LoadResult { return config.JudgeTree(types, d, tree, path) }))
}

func accepted(v config.LoadResult) (*config.Config, field.ErrorList) {
	if v.Stage != config.Accepted {
		return nil, v.Errors
	}
	return v.Config, nil
}

// Fits judges a text by every version, in order of release.
func Fits(text []byte, path *field.Path) []config.LoadResult {
	verdicts := make([]config.LoadResult, 0, len(version.All))
	for _, d := range version.All {
		verdicts = append(verdicts, Judge(text, d.Name, path))
	}
	return verdicts
}

// Newest returns the newest version that accepts a text, and says so in words
// with the others that do. One that was read from a fork counts only where no
// other accepts the text. Where none does it returns the verdict of the version
// that gets farthest, the newest of them.
func Newest(text []byte, path *field.Path) (config.LoadResult, string) {
	verdicts := Fits(text, path)
	best, others := 0, 0
	for i, v := range verdicts {
		ahead := progress[v.Stage] - progress[verdicts[best].Stage]
		if ahead > 0 || ahead == 0 && !version.All[i].Fork {
			best = i
		}
		if v.Stage == config.Accepted && (!version.All[i].Fork || best == i) {
			others++
		}
	}
	chosen := verdicts[best]
	if version.All[best].Fork && others > 0 {
		return chosen, fmt.Sprintf("taken for %s, the only version of the EPP that accepts it, which was %s", chosen.Version, version.Provenance(chosen.Version))
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
var progress = map[config.Stage]int{config.RefusedInDecoding: 0, config.RefusedInLoading: 1, config.RefusedInStarting: 2, config.Accepted: 3}

// New makes the scheduler of a configuration for a cluster. What is random
// follows from the seed.
func New(c *config.Config, cluster config.Cluster, seed int64) *scheduler.Scheduler {
	return scheduler.New(parts, c, cluster, seed)
}

// parts are what all schedulers are made of.
var parts = scheduler.Parts{Factories: factories, NewQueue: flowcontrol.New, BuiltInDetector: newBuiltInDetector}

func newBuiltInDetector(c *config.Config) scheduler.SaturationDetector { return newOldSaturation(c) }
