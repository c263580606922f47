// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
)

// wantedByAnalyser are the metrics of llm-d's workload-variant-autoscaler.
var wantedByAnalyser = []string{"wva_desired_replicas", "inferno_desired_replicas"}

// buildScalers makes a scaler of each autoscaler of a pool.
func (r *reader) buildScalers() {
	for _, d := range r.autoscalers {
		target := scaleTarget(d)
		pool, ok := r.targets[target]
		if !ok {
			r.note("%s scales %s, which is no pool", d.name(), target)
			continue
		}
		m, errs := manifest.Read(manifest.Kind(d.Kind), d.text, field.NewPath(d.name()))
		if len(errs) > 0 {
			r.note("%s is not in the scenario: %s", d.name(), errs.ToAggregate())
			continue
		}
		if i := slices.IndexFunc(r.cluster.Scalers, func(s v1alpha1.Scaler) bool { return s.Pools[0] == pool }); i >= 0 {
			r.fault(field.Forbidden(d.at(), "scaler "+r.cluster.Scalers[i].Name+" scales pool "+pool+" too: name the files of one autoscaler"))
			continue
		}
		p := r.poolNamed(pool)
		p.Replicas = max(p.Replicas, int32(m.Min))
		r.cluster.FromZero = r.cluster.FromZero || m.Min == 0
		r.addScaler(d, pool)
	}
}

// addScaler adds an autoscaler of a pool, with the analyser whose metric it reads.
func (r *reader) addScaler(d *document, pool string) {
	text := strings.TrimSpace(string(d.text)) + "\n"
	s := v1alpha1.Scaler{Name: PoolName(d.Metadata.Name), Pools: []string{pool}}
	source := &v1alpha1.ManifestSource{Inline: &text}
	switch manifest.Kind(d.Kind) {
	case manifest.HorizontalPodAutoscaler:
		s.HorizontalPodAutoscaler = source
	case manifest.ScaledObject:
		s.ScaledObject = source
	case manifest.PodAutoscaler:
		s.PodAutoscaler = source
	}
	if slices.ContainsFunc(wantedByAnalyser, func(metric string) bool { return strings.Contains(text, metric) }) {
		s.WorkloadVariantAutoscaler = r.analyser()
		if s.WorkloadVariantAutoscaler == nil {
			r.note("%s reads the metric of a workload-variant-autoscaler, whose ConfigMap is not in the files: it is not in the scenario", d.name())
			return
		}
	}
	r.cluster.Scalers = append(r.cluster.Scalers, s)
}

// analyser is the ConfigMap of the workload-variant-autoscaler; nil where the files have none.
func (r *reader) analyser() *v1alpha1.ManifestSource {
	for _, d := range r.documents {
		if d.Kind == "ConfigMap" && manifest.MentionsAnalyser(d.text) {
			text := strings.TrimSpace(string(d.text)) + "\n"
			return &v1alpha1.ManifestSource{Inline: &text}
		}
	}
	return nil
}

// scaleTarget is the name of what an autoscaler scales; "" where it has none.
func scaleTarget(d *document) string {
	var o struct {
		Spec struct{ ScaleTargetRef struct{ Name string } }
	}
	if yaml.Unmarshal(d.text, &o) != nil {
		return ""
	}
	return o.Spec.ScaleTargetRef.Name
}
