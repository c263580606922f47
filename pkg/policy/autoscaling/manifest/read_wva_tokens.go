// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// otherAnalyser says what becomes of analysers that are not simulated.
const otherAnalyser = "of the analysers by tokens, only saturation is simulated: take the entry away"

// defaultTokens is the entry that the controller has for the analyser by tokens.
var defaultTokens = wva.TokensConfig{
	KVCacheThreshold: 0.8, QueueLengthThreshold: 5, ScaleUpThreshold: 0.85, ScaleDownBoundary: 0.7, Priority: 1, Score: 1,
}

// shippedAnalyser is the ConfigMap that llm-d's workload-variant-autoscaler comes with.
var shippedAnalyser = &Manifest{Kind: ConfigMap, tokens: &defaultTokens}

// readTokens reads what an entry says to the analyser by tokens.
func (m *Manifest) readTokens(entry tree, path *field.Path) field.ErrorList {
	c := wva.TokensConfig{
		KVCacheThreshold: m.wva.KVCacheThreshold, QueueLengthThreshold: m.wva.QueueLengthThreshold,
		ScaleUpThreshold:  cmp.Or(numeric(entry, "scaleUpThreshold"), defaultTokens.ScaleUpThreshold),
		ScaleDownBoundary: cmp.Or(numeric(entry, "scaleDownBoundary"), defaultTokens.ScaleDownBoundary),
		Priority:          cmp.Or(numeric(entry, "priority"), 1), Score: 1,
	}
	errs := checkOrder(&c, path)
	for i, a := range entries(entry, "analyzers") {
		at := path.Child("analyzers").Index(i)
		kind, _ := a["type"].(string)
		name, _ := a["name"].(string)
		own := tree{}
		for _, from := range []tree{part(a, "parameters"), a} {
			for name, value := range from {
				own[name] = value
			}
		}
		switch {
		case cmp.Or(kind, name) != "saturation":
			m.NotSimulated = append(m.NotSimulated, field.Forbidden(at, otherAnalyser))
			continue
		case own["enabled"] == false:
			m.NotSimulated = append(m.NotSimulated, field.Forbidden(at.Child("enabled"), "without the analyser, nothing is asked for: take the field away"))
		}
		c.Score = cmp.Or(numeric(own, "score"), 1)
		if own["scaleUpThreshold"] != nil {
			c.ScaleUpThreshold = numeric(own, "scaleUpThreshold")
		}
		if own["scaleDownBoundary"] != nil {
			c.ScaleDownBoundary = numeric(own, "scaleDownBoundary")
		}
		if len(errs) == 0 {
			errs = checkOrder(&c, at)
		}
	}
	m.tokens = &c
	return append(errs, m.readLimiter(entry, path)...)
}

// checkOrder says whether the thresholds are too low, or in the wrong order.
func checkOrder(c *wva.TokensConfig, path *field.Path) field.ErrorList {
	switch {
	case c.ScaleUpThreshold <= 0:
		return field.ErrorList{field.Invalid(path.Child("scaleUpThreshold"), c.ScaleUpThreshold, "must be positive")}
	case c.ScaleDownBoundary <= 0:
		return field.ErrorList{field.Invalid(path.Child("scaleDownBoundary"), c.ScaleDownBoundary, "must be positive")}
	case c.ScaleUpThreshold <= c.ScaleDownBoundary:
		return field.ErrorList{field.Invalid(path.Child("scaleUpThreshold"), c.ScaleUpThreshold, fmt.Sprintf("must be above scaleDownBoundary, %v", c.ScaleDownBoundary))}
	}
	return nil
}

// readLimiter reads the limiter of an entry. A quota has precedence over what the cluster has, and
// of several quotas the smallest counts.
func (m *Manifest) readLimiter(entry tree, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	m.limiter.enabled = entry["enableLimiter"] == true
	for i, one := range entries(entry, "limiters") {
		at := path.Child("limiters").Index(i)
		if one["type"] != "quota" {
			for _, name := range []string{"scope", "quotas"} {
				if one[name] != nil {
					errs = append(errs, field.Forbidden(at.Child(name), "goes with type quota"))
				}
			}
			continue
		}
		if one["scope"] == "namespace" {
			m.NotSimulated = append(m.NotSimulated, field.Forbidden(at.Child("scope"), "a scenario has no namespaces: state scope cluster"))
			continue
		}
		quotas, _ := one["quotas"].(tree)
		if len(quotas) == 0 {
			errs = append(errs, field.Required(at.Child("quotas"), "must have accelerators by name"))
		}
		errs = append(errs, m.limiter.add(quotas, at.Child("quotas"))...)
	}
	return errs
}

// add adds the quotas of an entry.
func (l *limiter) add(quotas tree, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if l.quotas == nil {
		l.quotas = map[string]int{}
	}
	for _, name := range sorted(quotas) {
		n, ok := number(quotas[name])
		if !ok || n < -1 || n > mostQuota {
			errs = append(errs, field.Invalid(path.Key(name), plain(quotas[name]), fmt.Sprintf("must be a whole number between -1 and %d", mostQuota)))
			continue
		}
		if known, twice := l.quotas[shortName(name)]; !twice || known < 0 || n >= 0 && int(n) < known {
			l.quotas[shortName(name)] = int(n)
		}
	}
	return errs
}

// mostQuota is the largest quota that the controller takes.
const mostQuota = 1 << 20

// forPools is the configuration for some pools.
func (m *Manifest) forPools(pools []Variant) wva.TokensConfig {
	c := *m.tokens
	c.Limits = m.limiter.limits(pools)
	return c
}
