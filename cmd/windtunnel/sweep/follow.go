// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// defaultFollowed is how many points are followed where the spec does not say.
const defaultFollowed = 3

// writeFollowers writes the best points as manifests, each with the ConfigMaps that it
// refers to.
func (o *sweepOptions) writeFollowers(set *manifest.Set, sweep local.Sweep, st *study.Study) error {
	most := defaultFollowed
	if sweep.Spec.Follow != nil {
		most = int(sweep.Spec.Follow.Best)
	}
	board, err := st.Top(most)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.follow, 0o755); err != nil {
		return cli.BadInput(err)
	}
	for i := range min(most, len(board.Candidates)) {
		if !board.Candidates[i].Complete() {
			break
		}
		name := fmt.Sprintf("%s-best-%d", sweep.Name, i+1)
		text, err := o.followerManifest(set, sweep, st, board.Candidates[i].Point, name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(o.follow, name+".yaml"), text, 0o644); err != nil {
			return cli.BadInput(err)
		}
	}
	return nil
}

func (o *sweepOptions) followerManifest(set *manifest.Set, sweep local.Sweep, st *study.Study, point int, name string) ([]byte, error) {
	spec, err := advice.FollowUpRun(st, &sweep.Spec, point)
	if err != nil {
		return nil, err
	}
	if err := o.relocatePaths(&spec.Scenario, local.ManifestFolder(set, sweep.PolicySweep)); err != nil {
		return nil, err
	}
	run := struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        cli.IdentityMetadata       `json:"metadata"`
		Spec            v1alpha1.SimulationRunSpec `json:"spec"`
	}{
		metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SimulationRunKind},
		cli.IdentityMetadata{Name: name, Namespace: sweep.Namespace}, spec,
	}
	text, err := cli.CommentedYAML([]string{fmt.Sprintf("Point %d of PolicySweep %s: %s.", point, sweep.Name, st.Points()[point])}, run)
	if err != nil {
		return nil, err
	}
	for _, cm := range set.ConfigMaps {
		refers := func(in v1alpha1.InputDigest) bool {
			name, _, ok := experiment.ParseConfigMapInput(in.Name)
			return ok && name == cm.Name
		}
		if cm.Namespace != sweep.Namespace || !slices.ContainsFunc(sweep.Plan.Inputs, refers) {
			continue
		}
		raw, err := yaml.Marshal(cm)
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, "---\n%s", raw)
	}
	return text, nil
}

// relocatePaths makes the files that a scenario names, relative to its folder, relative
// to the one that it is written to.
func (o *sweepOptions) relocatePaths(scenario *v1alpha1.Scenario, folder string) error {
	var files []*string
	for _, t := range setup.Traces(&scenario.Workload, nil) {
		files = append(files, t.File)
	}
	for i := range scenario.Catalogue {
		files = append(files, scenario.Catalogue[i].File)
	}
	for i := range scenario.Pools {
		if t := scenario.Pools[i].Latency.Table; t != nil {
			files = append(files, t.File)
		}
	}
	for _, m := range experiment.Manifests(scenario) {
		files = append(files, m.File)
	}
	to, err := filepath.Abs(o.follow)
	if err != nil {
		return err
	}
	for _, file := range files {
		if file == nil || filepath.IsAbs(*file) {
			continue
		}
		from, err := filepath.Abs(filepath.Join(folder, *file))
		if err != nil {
			return err
		}
		if *file, err = filepath.Rel(to, from); err != nil {
			return err
		}
	}
	return nil
}
