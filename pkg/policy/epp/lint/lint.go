// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Check returns what there is to know of a configuration at one version of the
// EPP, in the order of lines; an empty version is the default one. Where that
// version refuses the text the findings are the reasons, and rules about what a
// configuration does are silent. The text's own lines count from 1.
func Check(text []byte, version string, context Context) []Finding {
	return check(&files.Source{Text: text, Line: 1, Column: 1, InPlace: true}, judge(text, fullName(version)), context)
}

// check looks at one configuration at the version of the verdict.
func check(source *files.Source, v config.LoadResult, context Context) []Finding {
	root := parse(source.Text)
	found := findings(&v, root, context)
	addEdits(found, source, &v)
	place(found, source, root)
	slices.SortStableFunc(found, compareFindings)
	return found
}

// findings are all that there are, without place and edits.
func findings(v *config.LoadResult, root *yamlv3.Node, context Context) []Finding {
	var found []Finding
	var silenced []string
	if v.Config != nil {
		found, silenced = runRules(v, root, context)
	}
	found = append(found, rejections(v, root)...)
	for _, f := range found {
		silenced = append(silenced, f.Path)
	}
	found = append(found, notices(v, root, silenced)...)
	if context.Experimental {
		found = slices.DeleteFunc(found, func(f Finding) bool { return f.Rule == alphaPlugin.ID })
	}
	return found
}

// runRules runs every rule that has a check on a configuration that loads. The
// second value is the places that notices need not mention.
func runRules(v *config.LoadResult, root *yamlv3.Node, context Context) (found []Finding, silenced []string) {
	view := newView(v.Config, root)
	for _, rule := range rules {
		if rule.check == nil {
			continue
		}
		p := pass{view: view, rule: rule, root: root, version: v.Version, context: context}
		rule.check(&p)
		found, silenced = append(found, p.found...), append(silenced, p.suppressed...)
	}
	return found, silenced
}

// rejections are what the version refuses.
func rejections(v *config.LoadResult, root *yamlv3.Node) []Finding {
	var found []Finding
	for _, err := range v.Errors {
		p := pass{rule: ruleOf(err, root), version: v.Version}
		p.report(nil, "%s", message(err))
		p.found[0].Path = pathOf(err)
		found = append(found, p.found...)
	}
	return found
}

// pathOf is the place of an error; empty where the error is of the whole text.
func pathOf(err *field.Error) string {
	if err.Field == (*field.Path)(nil).String() {
		return ""
	}
	return err.Field
}

// message is an error without its path. A text that is not parsed is not named as a
// value.
func message(err *field.Error) string {
	if line, _ := document.CutLine(err.Detail); line > 0 {
		return err.Detail
	}
	return strings.TrimPrefix(err.ErrorBody(), "Forbidden: ")
}

// ruleOf says which rule an error belongs to, by its kind and its place.
func ruleOf(err *field.Error, root *yamlv3.Node) *Rule {
	path := steps(pathOf(err))
	switch {
	case root == nil || len(path) == 0 && err.Type == field.ErrorTypeInvalid:
		return &syntaxRule
	case strings.Contains(err.Detail, version.NewerThanKnown):
		return &newerThanKnown
	case len(path) == 1 && (path[0] == "apiVersion" || path[0] == "kind"):
		return &apiVersionRule
	case len(path) > 0 && path[0] == "featureGates":
		return &unknownGate
	case len(path) == 3 && path[0] == "plugins" && path[2] == "type" && err.Type != field.ErrorTypeRequired:
		return &unknownType
	case needsProducer(err, root, path):
		return &tokenLoadWithoutProducer
	case err.Type == field.ErrorTypeForbidden && len(path) > 3 && path[0] == "plugins" && path[2] == "parameters":
		return &unknownParameter
	case err.Type == field.ErrorTypeForbidden && (strings.Contains(err.Detail, "unknown field") || strings.Contains(err.Detail, "duplicate field")):
		return &unknownField
	case isReference(err, root, path):
		return &brokenReference
	case len(path) > 0 && path[len(path)-1] == "pluginRef":
		return &rejectedRule
	case err.Type == field.ErrorTypeInvalid || err.Type == field.ErrorTypeNotSupported || err.Type == field.ErrorTypeTypeInvalid:
		return &badValue
	}
	return &rejectedRule
}

// isReference tells names that nothing has, or several have, or that are missing.
func isReference(err *field.Error, root *yamlv3.Node, path []string) bool {
	if err.Type == field.ErrorTypeNotFound || err.Type == field.ErrorTypeDuplicate {
		return true
	}
	last := ""
	if len(path) > 0 {
		last = path[len(path)-1]
	}
	if err.Type == field.ErrorTypeRequired {
		return last == "name" || last == "type" || last == "pluginRef"
	}
	names := strings.HasSuffix(last, "Ref") || strings.HasSuffix(last, "PluginName") || strings.HasSuffix(last, "ProducerName") || slices.Contains(path, "deciders")
	return names && !slices.Contains(pluginNames(root), text(valueAt(root, err.Field)))
}

// pluginNames are those of the document.
func pluginNames(root *yamlv3.Node) []string {
	var names []string
	for _, item := range items(child(root, "plugins")) {
		names = append(names, nameOf(item))
	}
	return names
}

// needsProducer tells the one dependency that users forget.
func needsProducer(err *field.Error, root *yamlv3.Node, path []string) bool {
	if len(path) < 2 || path[0] != "plugins" || err.Type != field.ErrorTypeRequired && err.Type != field.ErrorTypeInvalid && err.Type != field.ErrorTypeForbidden {
		return false
	}
	entry := valueAt(root, "plugins["+path[1]+"]")
	if text(child(entry, "type")) != "token-load-scorer" || len(path) > 2 && path[2] == "parameters" {
		return false
	}
	return !slices.ContainsFunc(items(child(root, "plugins")), func(p *yamlv3.Node) bool { return text(child(p, "type")) == inFlightProducer })
}

// notices are what the version passes over, unless a rule has said so already of
// the place.
func notices(v *config.LoadResult, root *yamlv3.Node, silenced []string) []Finding {
	var found []Finding
	for _, n := range v.Notices {
		path := n.Path.String()
		said := slices.ContainsFunc(silenced, func(at string) bool {
			return at == path || root != nil && locate(root, at) == locate(root, path)
		})
		if said && n.Rule != emptyDocument.ID || n.Rule == notFollowed {
			continue
		}
		p := pass{rule: noticeRule(&n), version: v.Version}
		p.report(n.Path, "%s", n.Text)
		if p.found[0].Severity == Error {
			p.found[0].Severity = Warning // The EPP starts.
		}
		found = append(found, p.found...)
	}
	return found
}

// notFollowed are notices about simulations.
const notFollowed = "not-followed"

// noticeRule is the rule that a notice names.
func noticeRule(n *config.Notice) *Rule {
	if n.Rule == "alpha" {
		return &alphaPlugin
	}
	if rule := Lookup(n.Rule); rule != nil {
		return rule
	}
	return &loaderNotice
}

// place gives findings their lines and columns.
func place(found []Finding, source *files.Source, root *yamlv3.Node) {
	for i := range found {
		f := &found[i]
		f.Config = source.Name
		line, column := 1, 1
		if fault, problem := document.CutLine(f.Message); f.Rule == syntaxRule.ID && fault > 0 {
			line, f.Message = fault, problem
		} else if root != nil {
			n := locate(root, f.Path)
			line, column = n.Line, n.Column
		}
		f.Line, f.Column = source.Position(max(line, 1), max(column, 1))
	}
}
