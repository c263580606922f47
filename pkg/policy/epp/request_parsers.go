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
	openAIParser      = parser(openAIParserType, false)
	anthropicParser   = parser(anthropicParserType, false)
	vllmHTTPParser    = parser(vllmHTTPParserType, false)
	sglangHTTPParser  = parser(sglangHTTPParserType, true)
	vllmGRPCParser    = parser(vllmGRPCParserType, false)
	vertexAIParser    = parser(vertexAIParserType, false)
	passthroughParser = parser(passthroughParserType, false)
)

func parser(name string, afterV010 bool) pluginType {
	return pluginType{name: name, roles: parserRole, afterV010: afterV010, treatment: treatParser}
}

func treatParser(l *loader, p *plugin) (Treatment, string) {
	if l.doc.RequestHandler.Parsers[0].PluginRef == p.Name && p.Type == passthroughParserType {
		return Exact, "hides prompts from all other plugins"
	}
	return Ignored, "requests have no protocol"
}
