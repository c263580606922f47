// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/aibrix"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// sampled is a metric that AIBrix reads of each pod.
type sampled struct{ name string }

// aibrixPrefix is what the annotations begin with that AIBrix reads.
const aibrixPrefix = "autoscaling.aibrix.ai/"

// readPodAutoscaler reads an object that the table allows.
func (m *Manifest) readPodAutoscaler(t tree, path *field.Path) field.ErrorList {
	spec, at := part(t, "spec"), path.Child("spec")
	m.Min, m.Max = int(wholeOr(spec, "minReplicas", 1)), int(wholeOr(spec, "maxReplicas", 0))
	c := aibrix.Default()
	c.Min, c.Max = m.Min, m.Max
	c.Window = time.Duration(wholeOr(spec, "observeWindowSeconds", int64(c.Window/time.Second))) * time.Second
	c.PanicWindow = time.Duration(wholeOr(spec, "panicWindowSeconds", int64(c.PanicWindow/time.Second))) * time.Second
	var errs field.ErrorList
	if c.PanicWindow > c.Window {
		errs = append(errs, field.Invalid(at.Child("panicWindowSeconds"), int64(c.PanicWindow/time.Second), fmt.Sprintf("must be at most observeWindowSeconds, %d", c.Window/time.Second)))
	}
	if c.Strategy = aibrix.Strategy(words(spec, "scalingStrategy")); c.Strategy == "HPA" {
		m.NotSimulated = append(m.NotSimulated, field.Invalid(at.Child("scalingStrategy"), "HPA", otherStrategy))
	}
	for i, entry := range entries(spec, "metricsSources") {
		target, err := m.readSource(entry, at.Child("metricsSources").Index(i))
		if err != nil {
			errs = append(errs, err)
		}
		c.Targets = append(c.Targets, target)
	}
	errs = append(errs, m.readAIBrixAnnotations(t, &c, path.Child("metadata", "annotations"))...)
	m.aibrix = c
	return errs
}

// readSource reads a source of a metric, and returns its target.
func (m *Manifest) readSource(entry tree, path *field.Path) (target float64, err *field.Error) {
	if kind := words(entry, "metricSourceType"); kind != "pod" {
		m.NotSimulated = append(m.NotSimulated, field.Invalid(path.Child("metricSourceType"), kind, otherSources))
	} else {
		for _, name := range []string{"protocolType", "port", "path"} {
			if entry[name] == nil {
				return 0, field.Required(path.Child(name), "AIBrix needs it for metricSourceType pod")
			}
		}
	}
	m.sampled = append(m.sampled, sampled{words(entry, "targetMetric")})
	text := words(entry, "targetValue")
	target, wrong := strconv.ParseFloat(text, 64)
	if wrong != nil || !(target > 0) {
		return 0, field.Invalid(path.Child("targetValue"), text, "must be a positive number in quotes")
	}
	return target, nil
}

// readAIBrixAnnotations reads the annotations, and keeps them in the document. One that AIBrix cannot
// read takes effect from others away, in no order.
func (m *Manifest) readAIBrixAnnotations(t tree, c *aibrix.Config, path *field.Path) field.ErrorList {
	factors := map[string]*float64{
		"max-scale-up-rate": &c.MaxScaleUpRate, "max-scale-down-rate": &c.MaxScaleDownRate, "scale-up-tolerance": &c.UpTolerance,
		"scale-down-tolerance": &c.DownTolerance, "panic-threshold": &c.PanicThreshold,
	}
	windows := map[string]*time.Duration{"scale-up-cooldown-window": &c.UpCooldown, "scale-down-cooldown-window": &c.DownCooldown}
	known := append(sortedKeys(factors), sortedKeys(windows)...)
	annotations, _ := part(t, "metadata")["annotations"].(tree)
	kept := tree{}
	var errs field.ErrorList
	for _, full := range sorted(annotations) {
		name, ours := strings.CutPrefix(full, aibrixPrefix)
		text, _ := annotations[full].(string)
		at := path.Key(full)
		switch {
		case factors[name] != nil && ours:
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || x < 0 || x == 0 && strings.HasSuffix(name, "-rate") {
				errs = append(errs, field.Invalid(at, text, "must be a number in quotes, and a rate must be positive"))
			}
			*factors[name] = x
		case windows[name] != nil && ours:
			d, err := time.ParseDuration(text)
			if err != nil || d < 0 {
				errs = append(errs, field.Invalid(at, text, "must be a duration, such as 300s"))
			}
			*windows[name] = d
		case strings.Contains(full, aibrixPrefix):
			reason := "AIBrix ignores the annotation"
			if near := spelling.Nearest(name, known); len(near) > 0 {
				reason += "; similar: " + aibrixPrefix + near[0]
			}
			m.Unread = append(m.Unread, Unread{at, reason})
			continue
		default:
			continue
		}
		kept[full] = text
	}
	if len(kept) > 0 {
		m.document["metadata"] = tree{"annotations": kept}
	}
	return errs
}

func sortedKeys[V any](of map[string]V) []string {
	var all []string
	for name := range of {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
