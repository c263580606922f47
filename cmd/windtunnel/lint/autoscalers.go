// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"windtunnel.dev/windtunnel/pkg/experiment"
	objects "windtunnel.dev/windtunnel/pkg/manifest"
	scalerlint "windtunnel.dev/windtunnel/pkg/policy/autoscaling/lint"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// autoscalerKind tells a document of an autoscaler.
var autoscalerKind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t{]*["']?kind["']?[ \t]*:[ \t]*["']?(HorizontalPodAutoscaler|ScaledObject|PodAutoscaler)\b`)
})

// unindentedKind tells one without the patches of a Kustomization, which name what they change.
var unindentedKind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^([ \t{]*["']kind["']|kind)[ \t]*:[ \t]*["']?(HorizontalPodAutoscaler|ScaledObject|PodAutoscaler)\b`)
})

// autoscalers are the autoscalers of a file, and the ConfigMaps of workload-variant-autoscalers.
func (f lintFile) autoscalers() []objects.Document {
	if !autoscalerKind().Match(f.content) && !manifest.MentionsAnalyser(f.content) {
		return nil
	}
	all := objects.Documents(f.content, string(manifest.HorizontalPodAutoscaler), string(manifest.ScaledObject), string(manifest.PodAutoscaler), string(manifest.ConfigMap))
	return slices.DeleteFunc(all, func(d objects.Document) bool {
		return d.Kind == string(manifest.ConfigMap) && !manifest.MentionsAnalyser(d.Text)
	})
}

// autoscalerFindings are what there is to know of an autoscaler that stands in a file. What a cluster takes and
// no simulation has is no error.
func autoscalerFindings(file string, d objects.Document, versions []string) []lint.Finding {
	m, errs := manifest.Inspect(manifest.Kind(d.Kind), d.Text, nil)
	var found []lint.Finding
	for _, e := range errs {
		f := lint.ManifestFinding(file, d.LineOf(e.Field), e.Field, lint.Error, e.ErrorBody())
		f.Why, f.Fix = "Kubernetes or the autoscaler's controller refuses the object, or fails with it.", "Correct the field. docs/autoscaling-reference.md lists the fields."
		found = append(found, f)
	}
	if len(errs) > 0 {
		return found
	}
	for _, f := range scalerlint.Check(m, scalerlint.Context{Versions: dialects(versions)}) {
		found = append(found, scalerFinding(file, d.LineOf(f.Path), experiment.Finding{Rule: f.Rule, Severity: f.Severity, Path: f.Path, Message: f.Message}))
	}
	return found
}

// dialects are the versions of the EPP with the names; auto names none.
func dialects(names []string) []version.Dialect {
	var all []version.Dialect
	for _, name := range names {
		if d, err := version.Parse(name, nil); err == nil {
			all = append(all, d)
		}
	}
	return all
}

// scalerFindings are those of a plan that are about manifests of scalers.
func scalerFindings(file string, lineOf func(path string) int, all []experiment.Finding) []lint.Finding {
	var found []lint.Finding
	for _, f := range all {
		if scalerlint.Lookup(f.Rule) != nil {
			at, _, _ := strings.Cut(f.Path, ": ")
			found = append(found, scalerFinding(file, lineOf(at), f))
		}
	}
	return found
}

func scalerFinding(file string, line int, f experiment.Finding) lint.Finding {
	r := scalerlint.Lookup(f.Rule)
	return lint.Finding{
		Rule: f.Rule, Severity: f.Severity, File: file, Line: line, Column: 1, Path: f.Path, Versions: []string{},
		Message: f.Message, Why: r.Why, Fix: r.Fix,
	}
}
