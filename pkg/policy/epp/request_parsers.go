// SPDX-License-Identifier: Apache-2.0

package epp

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
	openAIParser      = parser(openAIParserType).registered(gie("gie-v1.5.."))
	anthropicParser   = parser(anthropicParserType).registered(gie("router-v0.9.."))
	vllmHTTPParser    = parser(vllmHTTPParserType).registered(gie("router-v0.9.."))
	sglangHTTPParser  = parser(sglangHTTPParserType).registered(gie("router-main.."))
	vllmGRPCParser    = parser(vllmGRPCParserType).registered(gie("gie-v1.5.."))
	vertexAIParser    = parser(vertexAIParserType).registered(gie("scheduler-520af478.."))
	passthroughParser = parser(passthroughParserType).registered(gie("gie-v1.5.."))
)

func parser(name string) pluginType {
	return pluginType{name: name, roles: parserRole, treatment: treatParser}
}

func treatParser(c *Config, _ *Cluster, p *plugin) (Treatment, string) {
	if c.document.RequestHandler.Parsers[0].PluginRef == p.Name && p.Type == passthroughParserType {
		return Exact, "hides prompts from all other plugins"
	}
	return NoEffect, "requests have no protocol"
}
