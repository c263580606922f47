// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/lint"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// manifests reads the manifests of scalers, and returns the scenario with the text of each
// in one spelling in its place. The text of one with faults is empty.
func (c *compiler) manifests(in *v1alpha1.Scenario, path *field.Path) (*v1alpha1.Scenario, field.ErrorList) {
	read := in.DeepCopy()
	var errs field.ErrorList
	for i := range read.Scalers {
		if s := &in.Scalers[i]; s.MaxReplicas > 0 {
			found := lint.CheckMaximum(int(s.MaxReplicas), scalerContext(in, s), path.Child("scalers").Index(i).Child("maxReplicas"))
			c.plan.Findings = append(c.plan.Findings, findings(found, "")...)
		}
		for _, f := range setup.ManifestFields {
			if to := f.Of(&read.Scalers[i]); *to != nil {
				text, es := c.manifest(f, &in.Scalers[i], path.Child("scalers").Index(i).Child(f.Name))
				*to, errs = &v1alpha1.ManifestSource{Inline: &text}, append(errs, es...)
			}
		}
	}
	return read, errs
}

// manifest reads the manifest in a field of a scaler, and keeps its text.
func (c *compiler) manifest(f setup.ManifestField, s *v1alpha1.Scaler, path *field.Path) (string, field.ErrorList) {
	from := *f.Of(s)
	raw, at, errs := c.text(source{from.Inline, from.ConfigMapRef, from.File}, path)
	if len(errs) > 0 {
		return "", errs
	}
	m, errs := manifest.Read(f.Kind, raw, at)
	if len(errs) > 0 {
		return "", errs
	}
	c.plan.Approximations = appendNew(c.plan.Approximations, m.Notes)
	if f.Kind == manifest.ConfigMap {
		c.analysers = append(c.analysers, analyser{m, at, s.Pools[0]})
	} else {
		c.scaled = append(c.scaled, scaledManifest{m, at, s})
	}
	if c.plan.Manifests == nil {
		c.plan.Manifests = map[string]experiment.ManifestFile{}
	}
	c.plan.Manifests[f.NameOf(s.Name)] = experiment.ManifestFile{Kind: f.Kind, Scaler: s.Name, Field: f.Name, Text: raw}
	return m.Canonical(), nil
}

// analyser is the ConfigMap of the scaler of a pool.
type analyser struct {
	*manifest.Manifest
	at   *field.Path
	pool string
}

// scaledManifest is the manifest of an autoscaler.
type scaledManifest struct {
	*manifest.Manifest
	at     *field.Path
	scaler *v1alpha1.Scaler
}

// findInManifests notes what the linter finds in manifests together with the EPPs of their pools,
// which have been read. Findings of autoscalers come before those of EPPs.
func (c *compiler) findInManifests(in *v1alpha1.Scenario) {
	var found []experiment.Finding
	for _, s := range c.scaled {
		context := scalerContext(in, s.scaler)
		context.EPP = c.exporters[s.scaler.Pools[0]]
		found = append(found, findingsIn(s.Manifest, context, s.at)...)
	}
	c.plan.Findings = append(found, c.plan.Findings...)
	for _, a := range c.analysers {
		c.plan.Findings = append(c.plan.Findings, findingsIn(a.Manifest, lint.Context{Simulated: true, Detector: c.detectors[setup.RouterKeyOf(in, a.pool)]}, a.at)...)
	}
}

// findingsIn are what the linter finds in a manifest.
func findingsIn(m *manifest.Manifest, context lint.Context, at *field.Path) []experiment.Finding {
	return findings(lint.Check(m, context), at.String()+": ")
}

// findings are those of a plan, with paths that begin with a text.
func findings(all []lint.Finding, path string) []experiment.Finding {
	var found []experiment.Finding
	for _, f := range all {
		found = append(found, experiment.Finding{Rule: f.Rule, Severity: f.Severity, Path: path + f.Path, Message: f.Message})
	}
	return found
}

// scalerContext is what a scenario says of a scaler that some rules need.
func scalerContext(in *v1alpha1.Scenario, s *v1alpha1.Scaler) lint.Context {
	c := lint.Context{Simulated: true, Queries: map[string]string{}}
	for name, q := range s.Metrics.Queries {
		c.Queries[name] = string(q)
	}
	for i := range in.Pools {
		p := &in.Pools[i]
		if !slices.Contains(s.Pools, p.Name) {
			continue
		}
		c.Split = splits(in, p)
		c.Startup, c.PrefixCaching = setup.MeanStartup(in, p), p.Engine.PrefixCaching != v1alpha1.Disabled
		if n := slices.IndexFunc(in.NodePools, func(n v1alpha1.NodePool) bool { return n.Name == p.NodePool }); n >= 0 {
			c.Places = int(in.NodePools[n].MaxNodes * (in.NodePools[n].AcceleratorsPerNode / max(p.TensorParallelism, 1)))
		}
	}
	return c
}

// splits reports whether a pool has one role, and another pool for the same model the other one.
func splits(in *v1alpha1.Scenario, p *v1alpha1.Pool) bool {
	other := map[v1alpha1.Role]v1alpha1.Role{v1alpha1.PrefillRole: v1alpha1.DecodeRole, v1alpha1.DecodeRole: v1alpha1.PrefillRole}[p.Role]
	return other != "" && slices.ContainsFunc(in.Pools, func(q v1alpha1.Pool) bool { return q.Role == other && q.Model == p.Model })
}

// assignManifests puts the documents of manifests into a scenario's tree, so that paths lead
// into them.
func assignManifests(root experiment.Tree, in *v1alpha1.Scenario) {
	for i := range in.Scalers {
		for _, f := range setup.ManifestFields {
			source := *f.Of(&in.Scalers[i])
			if source == nil {
				continue
			}
			document, err := manifest.Open(f.Kind, *source.Inline)
			if err == nil {
				err = experiment.Assign(root, experiment.ManifestPath(in.Scalers[i].Name, f.Name), document)
			}
			if err != nil {
				panic(fmt.Sprintf("experiment: manifest of scaler %s: %v", in.Scalers[i].Name, err))
			}
		}
	}
}
