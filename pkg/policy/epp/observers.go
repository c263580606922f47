// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/flowcontrol"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const servedVerifierType = "destination-endpoint-served-verifier"

// What these plugins do is not routing.
var (
	// agentIdentity names the flow that a request belongs to, for flow control.
	agentIdentity = config.PluginType{
		Name:         config.AgentIdentityType,
		Registration: version.GIE("router-v0.9.."),
		Roles:        config.ObserverRole,
		Alpha:        true,
		Parameters:   func() any { return &agentIdentityParameters{} },
		Treatment:    treatAgentIdentity,
	}
	// servedVerifier writes a header for conformance tests.
	servedVerifier = config.PluginType{
		Name:         servedVerifierType,
		Registration: version.GIE("gie-v1.2.."),
		Roles:        config.ObserverRole,
		Treatment:    ignoredAs("only writes a header of the answer"),
	}
	// fileDiscovery lists endpoints in a file.
	fileDiscovery = config.PluginType{
		Name:         "file-discovery",
		Registration: version.GIE("router-v0.9.."),
		Roles:        config.DiscoveryRole,
		Parameters:   func() any { return &fileDiscoveryParameters{} },
		Treatment:    ignoredAs("the scenario gives the endpoints"),
	}
	// endpointNotificationSource tells its extractors of endpoints that come and
	// go.
	endpointNotificationSource = config.PluginType{
		Name:         "endpoint-notification-source",
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.DataSourceRole,
		Payload:      config.EndpointPayload,
		Treatment:    ignoredAs("the scenario gives the endpoints"),
	}
	// k8sNotificationSource tells its extractors of objects of one kind.
	k8sNotificationSource = config.PluginType{
		Name:         "k8s-notification-source",
		Registration: version.GIE("gie-v1.4.."),
		Roles:        config.DataSourceRole,
		Payload:      config.ObjectPayload,
		Parameters:   func() any { return &k8sNotificationParameters{} },
		Treatment:    ignoredAs("there is no cluster to watch"),
	}
	// modelsDataSource asks engines for the models that they serve.
	modelsDataSource = config.PluginType{
		Name:         "models-data-source",
		Registration: version.LLMD("scheduler-v0.6.."),
		Roles:        config.DataSourceRole,
		Payload:      config.ModelsPayload,
		Parameters: func() any {
			return &modelsSourceParameters{Scheme: "http", Path: "/v1/models", InsecureSkipVerify: true}
		},
		Treatment: ignoredAs("no plugin reads the models that engines serve"),
	}
	// modelsDataExtractor takes them from the answers.
	modelsDataExtractor = config.PluginType{
		Name:         "models-data-extractor",
		Registration: version.GIE("scheduler-520af478.."),
		Roles:        config.ExtractorRole,
		Payload:      config.ModelsPayload,
		Treatment:    ignoredAs("no plugin reads the models that engines serve"),
	}
	// requestAttributeReporter tells the gateway what an answer cost.
	requestAttributeReporter = config.PluginType{
		Name:         "request-attribute-reporter",
		Registration: version.GIE("gie-v1.4.."),
		Roles:        config.ObserverRole,
		Parameters:   func() any { return &attributeReporterParameters{} },
		Treatment:    ignoredAs("only reports to the gateway; expressions are not compiled"),
	}
	// sessionIDProducer names the session of a request for plugins that look for
	// it in a request's attributes.
	sessionIDProducer = config.PluginType{
		Name:         "session-id-producer",
		Registration: version.GIE("router-v0.9.."),
		Roles:        config.ProducerRole,
		Parameters:   func() any { return &sessionIDParameters{} },
		Treatment:    ignoredAs("requests name the session that the workload puts them in"),
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

func (p *modelsSourceParameters) Check(l *config.Loader, path *field.Path) {
	if p.Scheme != "http" && p.Scheme != "https" {
		l.Add(field.NotSupported(path.Child("scheme"), p.Scheme, []string{"http", "https"}))
	}
	if d, err := time.ParseDuration(p.Interval); p.Interval != "" && (err != nil || d < 0) {
		l.Add(field.Invalid(path.Child("interval"), p.Interval, "must be a duration such as 100ms"))
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

func (p *attributeReporterParameters) Check(l *config.Loader, path *field.Path) {
	path = path.Child("attributes")
	if len(p.Attributes) != 1 {
		l.Add(field.Invalid(path, len(p.Attributes), "must be exactly one"))
		return
	}
	if p.Attributes[0].Key.Name == "" {
		l.Add(field.Required(path.Index(0).Child("key", "name"), "must name the attribute"))
	}
	p.Attributes[0].Check(l, path.Index(0))
}

func (a *reportedAttribute) Check(l *config.Loader, path *field.Path) {
	if a.Expression == "" {
		l.Add(field.Required(path.Child("expression"), "must be a CEL expression"))
	}
	for _, e := range []struct{ name, text string }{{"expression", a.Expression}, {"condition", a.Condition}} {
		if unfinished(e.text) {
			l.Add(field.Invalid(path.Child(e.name), e.text, "must be a CEL expression"))
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
	return slices.ContainsFunc([]string{"()", "[]", "{}"}, func(pair string) bool { return strings.Count(text, pair[:1]) != strings.Count(text, pair[1:]) })
}

type sessionIDParameters struct {
	HeaderName string `json:"headerName,omitempty"`
	CookieName string `json:"cookieName,omitempty"`
}

func (p *sessionIDParameters) Check(l *config.Loader, path *field.Path) {
	if (strings.TrimSpace(p.HeaderName) == "") == (strings.TrimSpace(p.CookieName) == "") {
		l.Add(field.Invalid(path, field.OmitValueType{}, "exactly one of headerName and cookieName must be set"))
	}
}

func ignoredAs(note string) func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
	return func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
		return config.NoEffect, note
	}
}

type agentIdentityParameters struct {
	AdditionalSessionHeaders []string `json:"additionalSessionHeaders,omitempty"`
}

type fileDiscoveryParameters struct {
	Path      string `json:"path"`
	WatchFile bool   `json:"watchFile"`
}

func (p *fileDiscoveryParameters) Check(l *config.Loader, path *field.Path) {
	if p.Path == "" {
		l.Add(field.Required(path.Child("path"), "must name the file that lists endpoints"))
	}
}

type k8sNotificationParameters struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// SourceKey implements [config.KeyedSource]: the EPP watches a kind of object once.
func (p *k8sNotificationParameters) SourceKey() string {
	return p.Group + "/" + p.Version + ", Kind=" + p.Kind
}

func (p *k8sNotificationParameters) Check(l *config.Loader, path *field.Path) {
	if p.Version == "" {
		l.Add(field.Required(path.Child("version"), "must be an API version"))
	}
	if p.Kind == "" {
		l.Add(field.Required(path.Child("kind"), "must be a kind of object"))
	}
}

func treatAgentIdentity(c *config.Config, _ *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
	if !c.FlowControlled() {
		return config.NoEffect, "names flows, and " + flowcontrol.Off
	}
	return config.Approximated, "flows are named by the workload's tenants, not by agents; with strategy turn-priority, sessions of the tenant default are flows"
}
