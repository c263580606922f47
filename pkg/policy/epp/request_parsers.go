// SPDX-License-Identifier: Apache-2.0

package epp

const (
	openAIParserType      = "openai-parser"
	anthropicParserType   = "anthropic-parser"
	vllmHTTPParserType    = "vllmhttp-parser"
	sglangHTTPParserType  = "sglanghttp-parser"
	vllmGRPCParserType    = "vllmgrpc-parser"
	vertexAIParserType    = "vertexai-parser"
	passthroughParserType = "passthrough-parser"
)

// Parsers read requests of one protocol. Simulated requests have no protocol:
// whatever parser is first reads them, unless that is the passthrough parser,
// behind which the EPP knows no prompt: before router-v0.9 its length at most, which
// an inflight-load-producer takes from the size of the body.
var (
	openAIParser      = parser(openAIParserType)
	anthropicParser   = parser(anthropicParserType)
	vllmHTTPParser    = parser(vllmHTTPParserType)
	sglangHTTPParser  = parser(sglangHTTPParserType)
	vllmGRPCParser    = parser(vllmGRPCParserType)
	vertexAIParser    = parser(vertexAIParserType)
	passthroughParser = parser(passthroughParserType)
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
