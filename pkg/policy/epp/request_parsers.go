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
// behind which the EPP knows no prompt.
var (
	openAIParser      = parser(openAIParserType, 0)
	anthropicParser   = parser(anthropicParserType, 0)
	vllmHTTPParser    = parser(vllmHTTPParserType, 0)
	sglangHTTPParser  = parser(sglangHTTPParserType, routerMain)
	vllmGRPCParser    = parser(vllmGRPCParserType, 0)
	vertexAIParser    = parser(vertexAIParserType, 0)
	passthroughParser = parser(passthroughParserType, 0)
)

func parser(name string, since release) pluginType {
	return pluginType{name: name, roles: parserRole, since: since, treatment: treatParser}
}

func treatParser(c *Config, _ *Cluster, p *plugin) (Treatment, string) {
	if c.document.RequestHandler.Parsers[0].PluginRef == p.Name && p.Type == passthroughParserType {
		return Exact, "hides prompts from all other plugins"
	}
	return NoEffect, "requests have no protocol"
}
