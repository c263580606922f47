// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestWhatDoesNotRouteIsIgnored(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: agent-identity}, {type: destination-endpoint-served-verifier, parameters: {any: thing}}, {type: file-discovery, parameters: {path: /f}}, "+
		"{type: endpoint-notification-source}, {type: k8s-notification-source, parameters: {version: v1, kind: Pod}}, {type: models-data-source}, {type: models-data-extractor}, "+
		"{type: request-attribute-reporter, parameters: {attributes: [{key: {name: a}, expression: '1'}]}}, {type: session-id-producer, parameters: {cookieName: c}}]\n"+
		"dataLayer: {discovery: {pluginRef: file-discovery}, sources: [{pluginRef: models-data-source, extractors: [{pluginRef: models-data-extractor}]}, "+
		"{pluginRef: endpoint-notification-source}, {pluginRef: k8s-notification-source}]}")
	for _, r := range c.Report(nil)[:9] {
		if r.Treatment != config.NoEffect || r.Note == "" {
			t.Errorf("%s: %s, %q", r.Name, r.Treatment, r.Note)
		}
	}
	s := New(c, config.Cluster{Endpoints: 2}, 1)
	route(t, s, idle(2), request(0, 1))
	if d := s.LastResult(); len(d.Scorers) != 0 || s.Routing().Responses != nil {
		t.Errorf("decision %+v, listener %v", d, s.Routing().Responses)
	}
}

func TestParametersOfWhatDoesNotRoute(t *testing.T) {
	checkParameterFaults(t, "agent-identity", "{additionalSessionHeaders: x}", `additionalSessionHeaders: Invalid value: "x": must be a list`)
	checkParameterFaults(t, "file-discovery", "{}", `path: Required value: must name the file that lists endpoints`)
	checkParameterFaults(t, "k8s-notification-source", "{group: apps}",
		`version: Required value: must be an API version`, `kind: Required value: must be a kind of object`)
	checkParameterFaults(t, "models-data-source", "{scheme: ftp, interval: soon}",
		`scheme: Unsupported value: "ftp": supported values: "http", "https"`,
		`interval: Invalid value: "soon": must be a duration such as 100ms`)
	checkParameterFaults(t, "request-attribute-reporter", "{}", `attributes: Invalid value: 0: must be exactly one`)
	checkParameterFaults(t, "request-attribute-reporter", "{attributes: [{}]}",
		`attributes[0].key.name: Required value: must name the attribute`,
		`attributes[0].expression: Required value: must be a CEL expression`)
}

func TestSessionIDProducerReadsAHeaderOrACookie(t *testing.T) {
	for parameters, fine := range map[string]bool{"{}": false, "{headerName: ' '}": false, "{headerName: a, cookieName: b}": false, "{headerName: a}": true} {
		_, errs := Load([]byte(header+"plugins: [{type: session-id-producer, parameters: "+parameters+"}]"), "", inline)
		if (len(errs) == 0) != fine || !fine && errs[0].Error() != "inline.plugins[0].parameters: Invalid value: exactly one of headerName and cookieName must be set" {
			t.Errorf("%s: %v", parameters, errs)
		}
	}
}

func TestAlphaAndDeprecatedTypesAreWarnedOf(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: agent-identity}, {type: by-label, parameters: {label: l, allowsNoLabel: true}}, {type: by-label-selector}, {type: tokenizer}]")
	want := []string{
		"plugins[0].type: agent-identity is Alpha: the EPP loads it with --allow-experimental-plugins only",
		"plugins[1].type: by-label is deprecated, use label-selector-filter",
		"plugins[2].type: by-label-selector is deprecated, use label-selector-filter",
		"plugins[3].type: tokenizer is deprecated, use token-producer",
	}
	if diff := cmp.Diff(want, c.Warnings()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// What a tokenizer makes bears its own name.
func TestTokenizerDoesNotStandInForTokenProducer(t *testing.T) {
	names := pluginNames(mustLoad(t, "plugins: [{type: tokenizer}, {type: prefix-cache-scorer}]"))
	if !strings.HasSuffix(names, "[approx-prefix-cache-producer] [token-producer]") {
		t.Errorf("plugins %s", names)
	}
	names = pluginNames(mustLoad(t, "plugins: [{name: token-producer, type: tokenizer}, {type: prefix-cache-scorer}]"))
	if !strings.HasSuffix(names, "[approx-prefix-cache-producer]") {
		t.Errorf("plugins %s", names)
	}
}
