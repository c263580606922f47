// SPDX-License-Identifier: Apache-2.0

package config

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A parserLoader completes and checks the parsers of the section requestHandler.
type parserLoader struct{ *Loader }

// defaultParsers lists the default parsers where none is listed, and makes
// parsers that are listed by type only. Versions up to gie-v1.4 have none.
func (l parserLoader) defaultParsers() {
	switch {
	case l.Dialect.Framework < version.GIE15:
		return
	case l.Dialect.Framework < version.Router09:
		l.defaultParser()
		return
	}
	handler := l.Doc.RequestHandler
	if handler.PropagatePriority {
		l.Notice(l.path.Child("requestHandler", "propagatePriority"), "no-effect", "no effect here: engines do not look at priorities")
	}
	if len(handler.Parsers) == 0 {
		for _, name := range []string{OpenAIParserType, AnthropicParserType, VLLMHTTPParserType} {
			handler.Parsers = append(handler.Parsers, Reference{PluginRef: name})
		}
		if l.Dialect.Framework >= version.RouterMain {
			handler.Parsers = append(handler.Parsers, Reference{PluginRef: PassthroughParserType})
		}
	}
	for i, parser := range handler.Parsers {
		at := l.parserPath(i)
		if l.ByName[parser.PluginRef] == nil {
			if l.types.Lookup(l.Dialect, parser.PluginRef) == nil {
				l.addAt(defaultsStep, field.Invalid(at, parser.PluginRef, "no plugin has this name"+l.nearestName(parser.PluginRef)))
				continue
			}
			l.createListed(parser.PluginRef, at)
		}
		l.step = parsersStep
		l.refer(parser.PluginRef, ParserRole, "a parser", at)
	}
}

// createListed makes a plugin that a reference names by its type alone, which
// may need parameters.
func (l parserLoader) createListed(typeName string, at *field.Path) {
	l.step = defaultsStep
	before := len(l.Faults)
	l.create(typeName)
	for i := range l.Faults[before:] {
		l.Faults[before+i].Err.Field = at.String()
	}
}

func (l parserLoader) parserPath(i int) *field.Path {
	if l.movedParser {
		return l.path.Child("parser", "pluginRef")
	}
	return l.path.Child("requestHandler", "parsers").Index(i).Child("pluginRef")
}

// defaultParser is for the versions with one. Of a name that there is not, they
// make the default parser, and then miss the name.
func (l parserLoader) defaultParser() {
	handler := l.Doc.RequestHandler
	if len(handler.Parsers) == 0 {
		handler.Parsers = []Reference{{PluginRef: OpenAIParserType}}
	}
	if l.ByName[handler.Parsers[0].PluginRef] == nil {
		l.create(OpenAIParserType)
	}
	l.step = parsersStep
	l.refer(handler.Parsers[0].PluginRef, ParserRole, "a parser", l.path.Child("parser", "pluginRef"))
}

// tokensOff reports whether the EPP sees no prompt. A parser that claims no
// path takes all that is left, and the passthrough parser is one: where it
// comes first, the EPP reads no body.
func (l parserLoader) tokensOff() bool {
	parsers := l.Doc.RequestHandler.Parsers
	return len(parsers) > 0 && l.ByName[parsers[0].PluginRef].Type == PassthroughParserType
}
