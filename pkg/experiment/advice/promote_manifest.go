// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/promote"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// PromotedManifest is the manifest of a scaler at a point, ready to be rolled out.
type PromotedManifest struct {
	// Point is whose it is.
	Point int
	// Name is what the manifest is called by in the plan.
	Name   string
	Kind   manifest.Kind
	Scaler string
	// Text is the text that the manifest was given in, with the point's values. Diff is
	// what changed of it, as diff -u prints it; empty where nothing did.
	Text, Diff string
	// Changed are the values of the point within the manifest.
	Changed []Setting
}

// Title names the manifest in messages.
func (m *PromotedManifest) Title() string { return manifestTitle(m.Kind, m.Scaler) }

func manifestTitle(kind manifest.Kind, scaler string) string {
	return fmt.Sprintf("the %s of scaler %s", kind, scaler)
}

// A VariedManifest is a manifest into which parameters of a plan lead.
type VariedManifest struct{ Name, Title string }

// VariedManifests are those of a plan, in the order of their names.
func VariedManifests(p *experiment.Plan) []VariedManifest {
	var all []VariedManifest
	for _, name := range slices.Sorted(maps.Keys(p.Manifests)) {
		file := p.Manifests[name]
		if slices.ContainsFunc(p.Parameters, func(q experiment.Parameter) bool { return varies(&q, &file) }) {
			all = append(all, VariedManifest{name, manifestTitle(file.Kind, file.Scaler)})
		}
	}
	return all
}

// varies reports whether a parameter leads into a manifest.
func varies(q *experiment.Parameter, file *experiment.ManifestFile) bool {
	return experiment.InManifest(q.Segments) && q.Segments[1].Name == file.Scaler && q.Segments[2].Name == file.Field
}

// CheckManifests says which of the names are those of no manifest, and which names are.
func CheckManifests(p *experiment.Plan, names []string) error {
	for _, name := range names {
		if _, ok := p.Manifests[name]; ok {
			continue
		}
		if len(p.Manifests) == 0 {
			return fmt.Errorf("%s: no scaler of the scenario has a manifest", name)
		}
		return fmt.Errorf("%s: no scaler of this name has a manifest; those with a manifest are %s", name, spelling.Quote(slices.Sorted(maps.Keys(p.Manifests))))
	}
	return nil
}

// PromoteVaried writes out the manifests that the sweep varies at the best point, or the
// proposed one, as [PromoteManifests] does.
func PromoteVaried(s *study.Study) ([]*PromotedManifest, error) {
	var names []string
	for _, m := range VariedManifests(s.Plan) {
		names = append(names, m.Name)
	}
	return PromoteManifests(s, names)
}

// PromoteManifests writes out the manifests of some names at the best point, or the proposed
// one. The plan must be one that was compiled, since an encoded one does not hold the texts.
// The error is a [promote.ErrNotPossible] where a value cannot be written.
func PromoteManifests(s *study.Study, names []string) ([]*PromotedManifest, error) {
	id, ok, err := pointToRollOut(s)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: no point has figures", ErrNothingToPromote)
	}
	var all []*PromotedManifest
	for _, name := range names {
		m, err := promoteManifest(s, id, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// promoteManifest writes out a manifest at a point: the text that it was given
// in, with only the lines changed that the point's values ask for. Read again it is exactly
// what was simulated.
func promoteManifest(s *study.Study, id int, name string) (*PromotedManifest, error) {
	if err := CheckManifests(s.Plan, []string{name}); err != nil {
		return nil, err
	}
	file, point := s.Plan.Manifests[name], s.Points()[id]
	scenario, err := s.Plan.ScenarioAt(point, 1)
	if err != nil {
		return nil, err
	}
	path := experiment.ManifestPath(file.Scaler, file.Field)
	want, errs := manifest.Read(file.Kind, []byte(textAt(scenario, file.Kind, path)), field.NewPath(experiment.Render(path)))
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	p := &PromotedManifest{Point: id, Name: name, Scaler: file.Scaler, Kind: file.Kind}
	var changes []promote.Change
	for i := range s.Plan.Parameters {
		q, text := &s.Plan.Parameters[i], point.Values[i].Value
		if text == "" || !varies(q, &file) {
			continue
		}
		value, err := q.ValueKind.Encode(text)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", q.Name, err)
		}
		p.Changed = append(p.Changed, Setting{Path: q.Path, Value: text})
		changes = append(changes, promote.Change{Path: promoteSteps(q.Segments[len(path):]), Value: value})
	}
	if p.Text, err = promote.RewriteManifest(file.Text, want, changes); err != nil {
		return nil, err
	}
	p.Diff = promote.Diff(name+".yaml", string(file.Text), p.Text)
	return p, nil
}

// textAt is the text of the manifest at a path of a scenario.
func textAt(scenario experiment.Tree, kind manifest.Kind, path []experiment.Segment) string {
	document, _ := experiment.Lookup(scenario, path).(experiment.Tree)
	return manifest.Close(kind, document)
}

// promoteSteps is a path within a file as its editor takes it.
func promoteSteps(path []experiment.Segment) []promote.Step {
	var steps []promote.Step
	for _, s := range path {
		steps = append(steps, promote.Step{Name: s.Name, Entry: s.Entry})
	}
	return steps
}

// Settings are the values of a point.
func Settings(s *study.Study, id int) []Setting {
	var all []Setting
	for i := range s.Plan.Parameters {
		if value := s.Points()[id].Values[i].Value; value != "" {
			all = append(all, Setting{Path: s.Plan.Parameters[i].Path, Value: value})
		}
	}
	return all
}

// WithoutManifests are the settings that are not in the manifests.
func WithoutManifests(settings []Setting, manifests []*PromotedManifest) []Setting {
	return slices.DeleteFunc(slices.Clone(settings), func(s Setting) bool {
		return slices.ContainsFunc(manifests, func(m *PromotedManifest) bool { return slices.Contains(m.Changed, s) })
	})
}
