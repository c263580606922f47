// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// defaultKeptRequests is how many requests have their traces kept unless the run says
// otherwise.
const defaultKeptRequests = 100

// addTrace adds what of the traces is kept.
func (c *compiler) addTrace(in *v1alpha1.RunTrace, path *field.Path) field.ErrorList {
	errs := c.thresholds(in, path)
	if in.Level != v1alpha1.DecisionsTrace && in.Level != v1alpha1.FullTrace {
		return errs
	}
	c.plan.Decisions = int(ptr.Deref(in.Decisions, defaultKeptRequests))
	c.plan.FullTrace, c.plan.TraceSample = in.Level == v1alpha1.FullTrace, in.Sample.Float()
	return errs
}

// thresholds adds those of anomalies. Thresholds that are the defaults are none, so that runs
// that spell the defaults out have the keys of those that do not.
func (c *compiler) thresholds(in *v1alpha1.RunTrace, path *field.Path) field.ErrorList {
	t := insight.DefaultThresholds()
	var errs field.ErrorList
	if own := in.Thresholds; own != nil {
		t = presetThresholds[own.Preset]
		errs = c.readThresholds(&t, own, path.Child("thresholds"))
	}
	if in.Anomalies != nil {
		at := path.Child("anomalies")
		c.deprecated(at, path.Child("thresholds"))
		for _, name := range slices.Sorted(maps.Keys(in.Anomalies)) {
			value := in.Anomalies[name]
			if err := t.Set(name, value.String(), at); err != nil {
				errs = append(errs, err)
			}
		}
	}
	if t != insight.DefaultThresholds() {
		c.plan.Anomalies = t
	}
	return errs
}

// readThresholds reads those that replace the preset's.
func (c *compiler) readThresholds(t *insight.Thresholds, in *v1alpha1.AnomalyThresholds, path *field.Path) field.ErrorList {
	if in.Inline == nil && in.ConfigMapRef == nil && in.File == nil {
		return nil
	}
	raw, at, errs := c.text(source{in.Inline, in.ConfigMapRef, in.File}, path)
	if len(errs) > 0 {
		return errs
	}
	return t.Read(raw, at)
}

var presetThresholds = map[v1alpha1.AnomalyPreset]insight.Thresholds{
	v1alpha1.SensitiveAnomalies: insight.SensitiveThresholds(),
	v1alpha1.StandardAnomalies:  insight.DefaultThresholds(),
	v1alpha1.TolerantAnomalies:  insight.TolerantThresholds(),
}
