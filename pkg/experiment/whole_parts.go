// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// Profile is a named EPP configuration as a scenario's tree holds it.
type Profile struct {
	Name   string `json:"name"`
	Config Tree   `json:"config"`
}

// Alternative is a named part of a scenario as its tree holds it.
type Alternative struct {
	Name string `json:"name"`
	// Router is a whole router, whose endpointPickerConfig, if it has one, is the EPP's own
	// document.
	Router Tree `json:"router,omitempty"`
	// Admission is what stands before a router, and Engine that of a pool.
	Admission Tree `json:"admission,omitempty"`
	Engine    Tree `json:"engine,omitempty"`
}

// part is the part that the alternative is.
func (a *Alternative) part() Tree {
	switch {
	case a.Admission != nil:
		return a.Admission
	case a.Engine != nil:
		return a.Engine
	}
	return a.Router
}

// PartKind is what a parameter's profiles or alternatives replace, by its field in an
// alternative.
type PartKind string

// The parts of a scenario that have alternatives.
const (
	RouterPart    PartKind = "router"
	AdmissionPart PartKind = "admission"
	EnginePart    PartKind = "engine"
)

// PartKind is what the alternatives of the parameter's path are. Any other path is taken for
// that of a router, as Bind refuses it.
func (p *Parameter) PartKind() PartKind {
	path := p.segments()
	if len(path) < 2 || path[len(path)-1].Entry {
		return RouterPart
	}
	switch last := path[len(path)-1].Name; {
	case path[0].Name == "pools" && last == "engine":
		return EnginePart
	case last == "admission":
		return AdmissionPart
	}
	return RouterPart
}

// wholePart is a named value of a parameter that replaces a whole part of the scenario.
type wholePart struct {
	name string
	tree Tree
}

// IsWhole reports whether the parameter's values are whole parts of the scenario.
func (p *Parameter) IsWhole() bool { return p.Profiles != nil || p.Alternatives != nil }

// parts are the values of a parameter of whole parts.
func (p *Parameter) parts() []wholePart {
	var parts []wholePart
	for _, profile := range p.Profiles {
		parts = append(parts, wholePart{profile.Name, profile.Config})
	}
	for _, alternative := range p.Alternatives {
		parts = append(parts, wholePart{alternative.Name, alternative.part()})
	}
	return parts
}

// Wording are the words for a value of a parameter of whole parts, and for the field of
// the API that lists them.
func (p *Parameter) Wording() (one, list string) {
	if p.Alternatives != nil {
		return "alternative", "alternatives"
	}
	return "profile", "profiles"
}

// RouterModel names the router that the parameter's path leads to, or into, by its name or
// else by its model; empty for the only router, and for paths to something else.
func (p *Parameter) RouterModel() string {
	if path := p.segments(); len(path) > 1 && path[0].Name == "routers" && path[1].Entry {
		return path[1].Name
	}
	return ""
}

// ChangesPicker reports whether the parameter changes an EPP configuration.
func (p *Parameter) ChangesPicker() bool {
	_, _, within := InPickerConfig(p.segments())
	return within || p.replacesRouter()
}

// replacesRouter reports whether the parameter's values are whole routers.
func (p *Parameter) replacesRouter() bool { return p.Alternatives != nil && p.PartKind() == RouterPart }

// ReplacesPicker reports whether the parameter's values are EPP configurations of a model's
// router, or whole routers.
func (p *Parameter) ReplacesPicker(model string) bool {
	return (p.Profiles != nil || p.replacesRouter()) && p.RouterModel() == model
}

// Within reports whether the parameter's path leads to what another one's does, or into it.
func (p *Parameter) Within(q *Parameter) bool { return isWithin(p.segments(), q.segments()) }

// isWithin reports whether a path leads to a part of a scenario, or into it.
func isWithin(path, part []Segment) bool {
	return len(part) > 0 && len(path) >= len(part) && slices.Equal(path[:len(part)], part)
}

// segments are the parts of the path; none where it is faulty, which Bind says.
func (p *Parameter) segments() []Segment {
	if p.Segments != nil {
		return p.Segments
	}
	path, _ := parsePath(p.Path)
	return path
}

// bindWhole checks that the path leads to what the parameter's values replace.
func (p *Parameter) bindWhole(scenario Tree) error {
	_, list := p.Wording()
	if p.Alternatives != nil && p.PartKind() == EnginePart {
		return p.bindEngine(scenario)
	}
	to, model := p.partPath(), p.RouterModel()
	routers, several := scenario["routers"]
	switch {
	case several && (model == "" || !slices.Equal(p.Segments, to(model))):
		return fmt.Errorf("must be %s, with the model of a router in place of MODEL, since %s replace it", Render(to("MODEL")), list)
	case several:
		_, err := child(routers, p.Segments[1])
		return err
	case !slices.Equal(p.Segments, to("")):
		return fmt.Errorf("must be %s, since %s replace it", Render(to("")), list)
	}
	return nil
}

// partPath is where the parameter's values belong, by the model of a router.
func (p *Parameter) partPath() func(model string) []Segment {
	switch {
	case p.Profiles != nil:
		return PickerConfigPath
	case p.PartKind() == AdmissionPart:
		return func(model string) []Segment { return append(RouterPath(model), Segment{Name: "admission"}) }
	}
	return RouterPath
}

// PartField is the field of a scenario that the parameter's alternatives replace.
func (p *Parameter) PartField(scenario Tree) *field.Path {
	switch p.PartKind() {
	case EnginePart:
		pools, _ := scenario["pools"].([]any)
		at := slices.IndexFunc(pools, func(pool any) bool { return entryName(pool) == p.segments()[1].Name })
		return field.NewPath("pools").Index(at).Child("engine")
	case AdmissionPart:
		return RouterField(scenario, p.RouterModel(), nil).Child("admission")
	}
	return RouterField(scenario, p.RouterModel(), nil)
}

// bindEngine is bindWhole for engines of a pool.
func (p *Parameter) bindEngine(scenario Tree) error {
	if len(p.Segments) != 3 || !p.Segments[1].Entry {
		return fmt.Errorf("must be pools[NAME].engine, since alternatives replace it")
	}
	_, err := child(scenario["pools"], p.Segments[1])
	return err
}

// keepIdentity gives a router what says of the one at a path which it is among several.
func keepIdentity(router, scenario Tree, path []Segment) {
	before, _ := Lookup(scenario, path).(Tree)
	for _, name := range []string{"model", "name", "pools", "inferencePool"} {
		if value, has := before[name]; has {
			router[name] = value
		}
	}
}

// setPart writes a whole part into a scenario.
func (p *Parameter) setPart(scenario Tree, name string) error {
	for _, part := range p.parts() {
		if part.name != name {
			continue
		}
		tree := maps.Clone(part.tree)
		if p.RouterModel() != "" && p.replacesRouter() {
			keepIdentity(tree, scenario, p.segments())
		}
		return Assign(scenario, p.segments(), tree)
	}
	one, _ := p.Wording()
	return fmt.Errorf("there is no %s %q; there are %s", one, name, spelling.Quote(p.axis().Choices))
}
