// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const servedVerifierType = "destination-endpoint-served-verifier"

// What these plugins do is not routing.
var (
	// agentIdentity names the flow that a request belongs to, for flow control.
	agentIdentity = pluginType{
		name:         "agent-identity",
		registration: gie("router-v0.9.."),
		roles:        observerRole,
		alpha:        true,
		parameters:   func() any { return &agentIdentityParameters{} },
		treatment:    treatAgentIdentity,
	}
	// servedVerifier writes a header for conformance tests.
	servedVerifier = pluginType{
		name:         servedVerifierType,
		registration: gie("gie-v1.2.."),
		roles:        observerRole,
		treatment:    ignoredAs("only writes a header of the answer"),
	}
	// fileDiscovery lists endpoints in a file.
	fileDiscovery = pluginType{
		name:         "file-discovery",
		registration: gie("router-v0.9.."),
		roles:        discoveryRole,
		parameters:   func() any { return &fileDiscoveryParameters{} },
		treatment:    ignoredAs("endpoints are those of the scenario"),
	}
	// endpointNotificationSource tells its extractors of endpoints that come and
	// go.
	endpointNotificationSource = pluginType{
		name:         "endpoint-notification-source",
		registration: gie("gie-v1.5.."),
		roles:        dataSourceRole,
		treatment:    ignoredAs("endpoints are those of the scenario"),
	}
	// k8sNotificationSource tells its extractors of objects of one kind.
	k8sNotificationSource = pluginType{
		name:         "k8s-notification-source",
		registration: gie("gie-v1.4.."),
		roles:        dataSourceRole,
		parameters:   func() any { return &k8sNotificationParameters{} },
		treatment:    ignoredAs("there is no cluster to watch"),
	}
	// modelsDataSource asks engines for the models that they serve.
	modelsDataSource = pluginType{
		name:         "models-data-source",
		registration: llmd("scheduler-v0.6.."),
		roles:        dataSourceRole,
		parameters: func() any {
			return &modelsSourceParameters{Scheme: "http", Path: "/v1/models", InsecureSkipVerify: true}
		},
		treatment: ignoredAs("no plugin reads the models that engines serve"),
	}
	// modelsDataExtractor takes them from the answers.
	modelsDataExtractor = pluginType{
		name:         "models-data-extractor",
		registration: gie("scheduler-520af478.."),
		roles:        extractorRole,
		treatment:    ignoredAs("no plugin reads the models that engines serve"),
	}
	// requestAttributeReporter tells the gateway what an answer cost.
	requestAttributeReporter = pluginType{
		name:         "request-attribute-reporter",
		registration: gie("gie-v1.4.."),
		roles:        observerRole,
		parameters:   func() any { return &attributeReporterParameters{} },
		treatment:    ignoredAs("only reports to the gateway; expressions are not compiled"),
	}
	// sessionIDProducer names the session of a request for plugins that look for
	// it in a request's attributes.
	sessionIDProducer = pluginType{
		name:         "session-id-producer",
		registration: gie("router-v0.9.."),
		roles:        producerRole,
		parameters:   func() any { return &sessionIDParameters{} },
		treatment:    ignoredAs("requests name the session that the workload puts them in"),
	}
)

type modelsSourceParameters struct {
	Scheme             string `json:"scheme"`
	Path               string `json:"path"`
	InsecureSkipVerify bool   `json:"insecureSkipVerify"`
	CACertPath         string `json:"caCertPath,omitempty" versions:"router-v0.10.."`
	ClientCertPath     string `json:"clientCertPath,omitempty" versions:"router-v0.10.."`
	ClientKeyPath      string `json:"clientKeyPath,omitempty" versions:"router-v0.10.."`
	Interval           string `json:"interval,omitempty" versions:"router-v0.10.."`
}

func (p *modelsSourceParameters) check(l *loader, path *field.Path) {
	if p.Scheme != "http" && p.Scheme != "https" {
		l.add(field.NotSupported(path.Child("scheme"), p.Scheme, []string{"http", "https"}))
	}
	if _, err := time.ParseDuration(p.Interval); p.Interval != "" && err != nil {
		l.add(field.Invalid(path.Child("interval"), p.Interval, "must be a duration such as 100ms"))
	}
}

type attributeReporterParameters struct {
	Attributes []reportedAttribute `json:"attributes"`
}

type reportedAttribute struct {
	Key struct {
		Namespace string `json:"namespace,omitempty"`
		Name      string `json:"name"`
	} `json:"key"`
	Expression string `json:"expression"`
	Condition  string `json:"condition,omitempty"`
}

func (p *attributeReporterParameters) check(l *loader, path *field.Path) {
	path = path.Child("attributes")
	if len(p.Attributes) != 1 {
		l.add(field.Invalid(path, len(p.Attributes), "must be exactly one"))
		return
	}
	if p.Attributes[0].Key.Name == "" {
		l.add(field.Required(path.Index(0).Child("key", "name"), "must name the attribute"))
	}
	p.Attributes[0].check(l, path.Index(0))
}

func (a *reportedAttribute) check(l *loader, path *field.Path) {
	if a.Expression == "" {
		l.add(field.Required(path.Child("expression"), "must be a CEL expression"))
	}
	for _, e := range []struct{ name, text string }{{"expression", a.Expression}, {"condition", a.Condition}} {
		if unfinished(e.text) {
			l.add(field.Invalid(path.Child(e.name), e.text, "must be a CEL expression"))
		}
	}
}

// unfinished tells the commonest faults of an expression, which is not compiled
// here: an operator with nothing behind it, and brackets without their like.
func unfinished(expression string) bool {
	text := strings.TrimSpace(expression)
	if text != "" && strings.ContainsRune("+-*/%<>=&|!?:.,([{", rune(text[len(text)-1])) {
		return true
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(text, pair[:1]) != strings.Count(text, pair[1:]) {
			return true
		}
	}
	return false
}

type sessionIDParameters struct {
	HeaderName string `json:"headerName,omitempty"`
	CookieName string `json:"cookieName,omitempty"`
}

func (p *sessionIDParameters) check(l *loader, path *field.Path) {
	if (strings.TrimSpace(p.HeaderName) == "") == (strings.TrimSpace(p.CookieName) == "") {
		l.add(field.Invalid(path, field.OmitValueType{}, "exactly one of headerName and cookieName must be set"))
	}
}

func ignoredAs(note string) func(*Config, *Cluster, *plugin) (Treatment, string) {
	return func(*Config, *Cluster, *plugin) (Treatment, string) { return NoEffect, note }
}

type agentIdentityParameters struct {
	AdditionalSessionHeaders []string `json:"additionalSessionHeaders,omitempty"`
}

type fileDiscoveryParameters struct {
	Path      string `json:"path"`
	WatchFile bool   `json:"watchFile"`
}

func (p *fileDiscoveryParameters) check(l *loader, path *field.Path) {
	if p.Path == "" {
		l.add(field.Required(path.Child("path"), "must name the file that lists endpoints"))
	}
}

type k8sNotificationParameters struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

func (p *k8sNotificationParameters) check(l *loader, path *field.Path) {
	if p.Version == "" {
		l.add(field.Required(path.Child("version"), "must be an API version"))
	}
	if p.Kind == "" {
		l.add(field.Required(path.Child("kind"), "must be a kind of object"))
	}
}

func treatAgentIdentity(c *Config, _ *Cluster, _ *plugin) (Treatment, string) {
	if !c.flowControlled() {
		return NoEffect, "names flows, and " + flowControlOff
	}
	return Approximated, "flows are named by the workload's tenants, not by agents"
}
