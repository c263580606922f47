// SPDX-License-Identifier: Apache-2.0

package route

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An HTTPRule is a rule of an HTTPRoute for the requests of one path.
type HTTPRule struct {
	Name string
	// Model and Headers are its conditions.
	Model    string
	Headers  map[string]string
	Backends []PoolShare
}

// IsForAll reports whether a rule has no conditions.
func (r *HTTPRule) IsForAll() bool { return r.Model == "" && len(r.Headers) == 0 }

// A PoolShare is an InferencePool with its weight, and where it stands.
type PoolShare struct {
	Pool   string
	Weight int32
	At     *field.Path
}

// HTTPRules are the rules of HTTPRoutes in the order in which a gateway asks them.
type HTTPRules struct {
	Rules []HTTPRule
	// Path is that of the requests.
	Path string
	// Notes say what has no effect.
	Notes []string
}

// modelHeaders are the headers by which a gateway that reads bodies tells routes the model of
// a request: that of the body-based router (gateway-api-inference-extension @ 84436a96) and that of
// Envoy AI Gateway (@ c217da8a).
var modelHeaders = []string{"X-Gateway-Model-Name", "X-Ai-Eg-Model"}

// poolGroups are the API groups of InferencePools: of v1, and of the versions before it.
var poolGroups = []string{"inference.networking.k8s.io", "inference.networking.x-k8s.io"}

type httpRouteSpec struct {
	ParentRefs         json.RawMessage `json:"parentRefs"`
	Hostnames          json.RawMessage `json:"hostnames"`
	UseDefaultGateways json.RawMessage `json:"useDefaultGateways"`
	Rules              []httpRouteRule `json:"rules"`
}

type httpRouteRule struct {
	Name               string            `json:"name"`
	Matches            []httpMatch       `json:"matches"`
	Filters            []httpFilter      `json:"filters"`
	BackendRefs        []httpBackend     `json:"backendRefs"`
	Timeouts           map[string]string `json:"timeouts"`
	Retry              json.RawMessage   `json:"retry"`
	SessionPersistence json.RawMessage   `json:"sessionPersistence"`
}

type httpMatch struct {
	Path *struct {
		Type  string  `json:"type"`
		Value *string `json:"value"`
	} `json:"path"`
	Headers     []httpHeader    `json:"headers"`
	QueryParams json.RawMessage `json:"queryParams"`
	Method      string          `json:"method"`
}

type httpHeader struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

type httpFilter struct {
	Type                   string          `json:"type"`
	RequestHeaderModifier  json.RawMessage `json:"requestHeaderModifier"`
	ResponseHeaderModifier json.RawMessage `json:"responseHeaderModifier"`
	URLRewrite             json.RawMessage `json:"urlRewrite"`
}

type httpBackend struct {
	Group     string          `json:"group"`
	Kind      string          `json:"kind"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Port      int             `json:"port"`
	Weight    *int32          `json:"weight"`
	Filters   json.RawMessage `json:"filters"`
}

// condition is a match of a rule with its precedence.
type condition struct {
	httpMatch
	rule   *httpRouteRule
	name   string
	at, in *field.Path // of the match, and of the rule
}

func (c *condition) path() (typ, value string) {
	typ, value = "PathPrefix", "/"
	if c.Path != nil {
		typ = cmp.Or(c.Path.Type, typ)
		if c.Path.Value != nil {
			value = *c.Path.Value
		}
	}
	return typ, value
}

// ReadHTTPRoutes reads the HTTPRoutes in a text, for requests of a path, which is empty for the
// first path of a match. What a gateway would do and a simulation does not is an error.
func ReadHTTPRoutes(text []byte, path string, at *field.Path) (*HTTPRules, field.ErrorList) {
	documents, errs := find(text, "HTTPRoute", at)
	slices.SortStableFunc(documents, func(a, b document) int {
		return cmp.Or(a.Metadata.CreationTimestamp.Compare(b.Metadata.CreationTimestamp), cmp.Compare(a.Metadata.Namespace, b.Metadata.Namespace), cmp.Compare(a.Metadata.Name, b.Metadata.Name))
	})
	out := &HTTPRules{Path: path}
	var all []condition
	for i := range documents {
		d := &documents[i]
		var spec httpRouteSpec
		if es := d.decode(&spec, at); len(es) > 0 {
			errs = append(errs, es...)
			continue
		}
		for j := range spec.Rules {
			r, in := &spec.Rules[j], at.Child("spec", "rules").Index(j)
			errs = append(errs, out.checkRule(r, in)...)
			all = append(all, conditionsOf(r, cmp.Or(r.Name, ruleName(d.Metadata.Name, j)), in)...)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	errs = out.collect(all, at)
	return out, errs
}

func ruleName(route string, rule int) string {
	if rule == 0 && route != "" {
		return route
	}
	return fmt.Sprintf("%s-%d", cmp.Or(route, "rule"), rule)
}

func conditionsOf(r *httpRouteRule, name string, in *field.Path) []condition {
	if len(r.Matches) == 0 {
		return []condition{{rule: r, name: name, at: in, in: in}}
	}
	var all []condition
	for i, m := range r.Matches {
		all = append(all, condition{m, r, name, in.Child("matches").Index(i), in})
	}
	return all
}

// checkRule refuses what would change where requests go, or how many there are, and notes what has no
// effect.
func (out *HTTPRules) checkRule(r *httpRouteRule, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, f := range r.Filters {
		switch f.Type {
		case "URLRewrite", "ResponseHeaderModifier":
		case "RequestHeaderModifier":
			out.note("%s: has no effect: state the headers of clients", at.Child("filters").Index(i))
		default:
			errs = append(errs, field.NotSupported(at.Child("filters").Index(i).Child("type"), f.Type, []string{"URLRewrite", "RequestHeaderModifier", "ResponseHeaderModifier"}))
		}
	}
	for name, value := range map[string]json.RawMessage{"retry": r.Retry, "sessionPersistence": r.SessionPersistence} {
		if value != nil {
			errs = append(errs, field.Forbidden(at.Child(name), "is not simulated"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Timeouts)) {
		if r.Timeouts[name] != "0s" {
			out.note("%s: %s has no effect: state the timeout of clients", at.Child("timeouts", name), r.Timeouts[name])
		}
	}
	return errs
}

func (out *HTTPRules) note(format string, args ...any) {
	out.Notes = append(out.Notes, fmt.Sprintf(format, args...))
}

// collect sorts the conditions by the precedence of the Gateway API, and keeps those that requests of
// the path may match.
func (out *HTTPRules) collect(all []condition, at *field.Path) field.ErrorList {
	if out.Path == "" && len(all) > 0 {
		_, out.Path = all[0].path()
	}
	slices.SortStableFunc(all, precedes)
	var errs field.ErrorList
	for i := range all {
		c := &all[i]
		typ, value := c.path()
		if typ != "Exact" && typ != "PathPrefix" {
			errs = append(errs, field.NotSupported(c.at.Child("path", "type"), typ, []string{"Exact", "PathPrefix"}))
			continue
		}
		if !matchesPath(typ, value, out.Path) || c.Method != "" && c.Method != "POST" || c.QueryParams != nil {
			continue
		}
		rule, es := c.conditions()
		if out.reaches(&rule) {
			errs = append(append(errs, es...), rule.addBackends(c.rule.BackendRefs, c.in.Child("backendRefs"))...)
			rule.Name = uniqueName(rule.Name, func(name string) bool {
				return slices.ContainsFunc(out.Rules, func(r HTTPRule) bool { return r.Name == name })
			})
			out.Rules = append(out.Rules, rule)
		}
	}
	if len(out.Rules) == 0 && len(errs) == 0 {
		errs = append(errs, field.Invalid(at, out.Path, "no rule matches requests of this path: state another one in route.path"))
	}
	return errs
}

// reaches reports whether requests may match a rule that matches no rule before it.
func (out *HTTPRules) reaches(rule *HTTPRule) bool {
	return !slices.ContainsFunc(out.Rules, func(r HTTPRule) bool {
		return r.IsForAll() || r.Model == rule.Model && maps.Equal(r.Headers, rule.Headers)
	})
}

// precedes orders conditions: an exact path, the longest prefix, a method, the most headers.
func precedes(a, b condition) int {
	typeA, valueA := a.path()
	typeB, valueB := b.path()
	first := func(is, than bool) int {
		switch {
		case is == than:
			return 0
		case is:
			return -1
		}
		return 1
	}
	return cmp.Or(first(typeA == "Exact", typeB == "Exact"), len(valueB)-len(valueA), first(a.Method != "", b.Method != ""), len(b.Headers)-len(a.Headers))
}

// matchesPath compares paths, by their elements for a prefix.
func matchesPath(typ, value, path string) bool {
	if typ == "Exact" {
		return path == value
	}
	value = strings.TrimSuffix(value, "/")
	return path == value || strings.HasPrefix(path, value+"/")
}

// conditions is a rule without backends. Of headers with one name the first counts.
func (c *condition) conditions() (HTTPRule, field.ErrorList) {
	rule := HTTPRule{Name: c.name}
	var errs field.ErrorList
	for i, h := range c.Headers {
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		switch {
		case h.Type != "" && h.Type != "Exact":
			errs = append(errs, field.NotSupported(c.at.Child("headers").Index(i).Child("type"), h.Type, []string{"Exact"}))
		case slices.ContainsFunc(c.Headers[:i], func(before httpHeader) bool { return textproto.CanonicalMIMEHeaderKey(before.Name) == name }):
		case slices.Contains(modelHeaders, name):
			rule.Model = h.Value
		default:
			if rule.Headers == nil {
				rule.Headers = map[string]string{}
			}
			rule.Headers[name] = h.Value
		}
	}
	return rule, errs
}

func (r *HTTPRule) addBackends(backends []httpBackend, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(backends) == 0 {
		errs = append(errs, field.Required(at, "a gateway answers requests of this rule with 500"))
	}
	for i := range backends {
		errs = append(errs, r.addBackend(&backends[i], at.Index(i))...)
	}
	return errs
}

// addBackend adds a backend, or its weight where the rule has the pool already.
func (r *HTTPRule) addBackend(b *httpBackend, at *field.Path) field.ErrorList {
	weight := int32(1)
	if b.Weight != nil {
		weight = *b.Weight
	}
	switch i := slices.IndexFunc(r.Backends, func(s PoolShare) bool { return s.Pool == b.Name }); {
	case b.Kind != "InferencePool":
		return field.ErrorList{field.NotSupported(at.Child("kind"), cmp.Or(b.Kind, "Service"), []string{"InferencePool"})}
	case !slices.Contains(poolGroups, b.Group):
		return field.ErrorList{field.NotSupported(at.Child("group"), b.Group, poolGroups)}
	case b.Filters != nil:
		return field.ErrorList{field.Forbidden(at.Child("filters"), "is not simulated")}
	case weight < 0 || weight > maxWeight:
		return field.ErrorList{field.Invalid(at.Child("weight"), weight, "must be between 0 and 1000000")}
	case i >= 0:
		r.Backends[i].Weight += weight
	default:
		r.Backends = append(r.Backends, PoolShare{b.Name, weight, at})
	}
	return nil
}

// maxWeight is the greatest weight of the Gateway API.
const maxWeight = 1_000_000
