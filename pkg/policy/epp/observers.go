// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

// What these plugins do is not routing.
var (
	// agentIdentity names the flow that a request belongs to, for flow control.
	agentIdentity = pluginType{
		name:       "agent-identity",
		roles:      observerRole,
		alpha:      true,
		parameters: func() any { return &agentIdentityParameters{} },
		treatment:  ignoredAs("names flows, and flow control is off"),
	}
	// servedVerifier writes a header for conformance tests.
	servedVerifier = pluginType{
		name:      "destination-endpoint-served-verifier",
		roles:     observerRole,
		treatment: ignoredAs("only writes a header of the answer"),
	}
	// fileDiscovery lists endpoints in a file.
	fileDiscovery = pluginType{
		name:       "file-discovery",
		roles:      discoveryRole,
		parameters: func() any { return &fileDiscoveryParameters{} },
		treatment:  ignoredAs("endpoints are those of the scenario"),
	}
	// endpointNotificationSource tells its extractors of endpoints that come and
	// go.
	endpointNotificationSource = pluginType{
		name:      "endpoint-notification-source",
		roles:     dataSourceRole,
		treatment: ignoredAs("endpoints are those of the scenario"),
	}
	// k8sNotificationSource tells its extractors of objects of one kind.
	k8sNotificationSource = pluginType{
		name:       "k8s-notification-source",
		roles:      dataSourceRole,
		parameters: func() any { return &k8sNotificationParameters{} },
		treatment:  ignoredAs("there is no cluster to watch"),
	}
)

func ignoredAs(note string) func(*loader, *plugin) (Treatment, string) {
	return func(*loader, *plugin) (Treatment, string) { return Ignored, note }
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
