// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/promote"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// ErrNothingToPromote says that there is no EPP configuration to write out.
var ErrNothingToPromote = errors.New("no configuration to promote")

// Promotion is the EPP configuration of a point, ready to be rolled out.
type Promotion struct {
	// Point is whose it is.
	Point int
	// Name is that of the file, or the key of a ConfigMap, that holds Text.
	Name string
	// Text is the file. Diff is what changed of the one that was given, as
	// diff -u prints it; empty where nothing did.
	Text, Diff string
	// Version is the EPP's, and Model the model that it routes for, where there are
	// several.
	Version, Model string
	// Changed are the values of the point within the configuration, and
	// Elsewhere those outside it, which are to be set where they belong.
	Changed, Elsewhere []Setting
}

// Title names the file for people.
func (p *Promotion) Title() string {
	if p.Model != "" {
		return fmt.Sprintf("the EPP configuration %s of model %s", p.Name, p.Model)
	}
	return "the EPP configuration " + p.Name
}

// Setting is a value at a path of the scenario.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// Promote writes out the EPP configuration of the best point, or the proposed one.
func Promote(s *study.Study, format v1alpha1.PromotionFormat) (*Promotion, error) {
	best, ok, err := pointToRollOut(s)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: no point has figures", ErrNothingToPromote)
	}
	return PromotePoint(s, best, format)
}

// PromotePoint writes out the EPP configuration of a point, by its ID: the file
// that the configuration was given in, or the one of the point's profile, with
// only the lines changed that the point's values ask for. Loaded by the EPP's
// version it is exactly what was simulated. The plan must be one that was
// compiled, since an encoded one does not hold the files. The error is a
// [promote.ErrNotPossible] where a value cannot be written.
//
// Of several routers it is the one whose configuration the sweep varies.
func PromotePoint(s *study.Study, id int, format v1alpha1.PromotionFormat) (*Promotion, error) {
	model, err := promotedModel(s.Plan)
	if err != nil {
		return nil, err
	}
	return promoteRouter(s, id, model, format)
}

// promotedModel is the model of the router whose configuration is to be written; empty
// where there is one router.
func promotedModel(p *experiment.Plan) (string, error) {
	if _, several := p.Scenario["routers"]; !several {
		return "", nil
	}
	var varied []string
	for i := range p.Parameters {
		q := &p.Parameters[i]
		if model := q.RouterModel(); model != "" && q.ChangesPicker() && !slices.Contains(varied, model) {
			varied = append(varied, model)
		}
	}
	switch len(varied) {
	case 0:
		return "", fmt.Errorf("%w: no parameter changes the EPP configuration of a router", ErrNothingToPromote)
	case 1:
		return varied[0], nil
	}
	return "", fmt.Errorf("%w: parameters change the EPP configurations of several routers (%s), and one file is written: make a sweep for each router",
		ErrNothingToPromote, strings.Join(varied, ", "))
}

// promoteRouter writes out the configuration of a model's router.
func promoteRouter(s *study.Study, id int, model string, format v1alpha1.PromotionFormat) (*Promotion, error) {
	point := s.Points()[id]
	scenario, err := s.Plan.ScenarioAt(point, 1)
	if err != nil {
		return nil, err
	}
	document := pickerDocument(scenario, model)
	file := pickerFileAt(s.Plan, point, model)
	if document == nil || file == nil {
		return nil, withoutPicker(s, point, model)
	}
	want, errs := setup.LoadEPPConfig(document, field.NewPath(experiment.Render(experiment.PickerConfigPath(model))))
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	p := &Promotion{Point: id, Version: want.Version(), Model: model}
	rewritten, err := promote.Rewrite(file.Text, want, promotedChanges(s.Plan, point, p))
	if err != nil {
		return nil, err
	}
	names := file.Names(profileAt(s.Plan, point, model))
	p.Name = names.Key
	before, after, err := rewritten.In(promotionFormats[format], names)
	if err != nil {
		return nil, err
	}
	p.Text, p.Diff = after, promote.Diff(p.Name, before, after)
	return p, nil
}

// PromotedForms says in words what the files hold that a plan may promote, each once.
func PromotedForms(p *experiment.Plan, format v1alpha1.PromotionFormat) []string {
	var forms []string
	for _, file := range p.Pickers {
		form := promote.FormIn(promotionFormats[format], file.Text)
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	slices.Sort(forms)
	return forms
}

var promotionFormats = map[v1alpha1.PromotionFormat]promote.Format{
	v1alpha1.SourceFormat:     promote.Source,
	v1alpha1.DocumentFormat:   promote.Document,
	v1alpha1.ConfigMapFormat:  promote.ConfigMap,
	v1alpha1.HelmValuesFormat: promote.HelmValues,
}

// promotedChanges returns the values of a point that belong to the EPP's configuration, and
// records them and all others in the promotion.
func promotedChanges(p *experiment.Plan, point experiment.Point, into *Promotion) []promote.Change {
	var changes []promote.Change
	for i := range p.Parameters {
		parameter, text := &p.Parameters[i], point.Values[i].Value
		if text == "" || parameter.Profiles != nil {
			continue
		}
		if parameter.Alternatives != nil {
			into.Elsewhere = append(into.Elsewhere, aroundPicker(p, parameter, point)...)
			continue
		}
		setting := Setting{Path: parameter.Path, Value: text}
		value, err := parameter.ValueKind.Encode(text)
		of, rest, within := experiment.InPickerConfig(parameter.Segments)
		if err != nil || !within || of != into.Model || isVersion(rest) {
			into.Elsewhere = append(into.Elsewhere, setting)
			continue
		}
		into.Changed = append(into.Changed, setting)
		changes = append(changes, promote.Change{Path: promoteSteps(rest), Value: value})
	}
	return changes
}

// isVersion reports whether a path within a configuration leads to the EPP's version,
// which its file does not name.
func isVersion(path []experiment.Segment) bool {
	return len(path) == 1 && path[0].Name == setup.VersionField
}

// pickerDocument is the EPP configuration of a model's router in a scenario; nil where the
// router is no EPP.
func pickerDocument(scenario experiment.Tree, model string) experiment.Tree {
	document, _ := experiment.Lookup(scenario, experiment.PickerConfigPath(model)).(experiment.Tree)
	return document
}

// profileAt is the name of the profile or alternative of a model's router at a point; empty
// where it has the base's configuration.
func profileAt(p *experiment.Plan, point experiment.Point, model string) string {
	for i := range p.Parameters {
		q := &p.Parameters[i]
		if value := point.Values[i].Value; value != "" && q.ReplacesPicker(model) {
			return value
		}
	}
	return ""
}

// pickerFileAt is the file that a router's configuration at a point was given in, or nil.
func pickerFileAt(p *experiment.Plan, point experiment.Point, model string) *experiment.PickerFile {
	file, ok := p.Pickers[experiment.PickerKey{Model: model, Profile: profileAt(p, point, model)}]
	if !ok {
		return nil
	}
	return &file
}
