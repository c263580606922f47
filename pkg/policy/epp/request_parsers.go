// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const (
	sglangHTTPParserType = "sglanghttp-parser"
	vllmGRPCParserType   = "vllmgrpc-parser"
	vertexAIParserType   = "vertexai-parser"
)

// Parsers read requests of one protocol. Simulated requests have no protocol:
// whatever parser is first reads them, unless that is the passthrough parser,
// behind which the EPP knows no prompt: before router-v0.9 its length at most, which
// an inflight-load-producer takes from the size of the body.
var (
	openAIParser      = parser(config.OpenAIParserType).Registered(version.GIE("gie-v1.5.."))
	anthropicParser   = parser(config.AnthropicParserType).Registered(version.GIE("router-v0.9.."))
	vllmHTTPParser    = parser(config.VLLMHTTPParserType).Registered(version.GIE("router-v0.9.."))
	sglangHTTPParser  = parser(sglangHTTPParserType).Registered(version.GIE("router-main.."))
	vllmGRPCParser    = parser(vllmGRPCParserType).Registered(version.GIE("gie-v1.5.."))
	vertexAIParser    = parser(vertexAIParserType).Registered(version.GIE("scheduler-520af478.."))
	passthroughParser = parser(config.PassthroughParserType).Registered(version.GIE("gie-v1.5.."))
)

func parser(name string) config.PluginType {
	return config.PluginType{Name: name, Roles: config.ParserRole, Treatment: treatParser}
}

func treatParser(c *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
	if c.Document.RequestHandler.Parsers[0].PluginRef == p.Name && p.Type == config.PassthroughParserType {
		return config.Exact, "hides prompts from all other plugins"
	}
	return config.NoEffect, "requests have no protocol"
}
