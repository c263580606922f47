// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

// prefixSettings are what moved from prefix-cache-scorer to the producer.
var prefixSettings = []string{
	"autoTune", "blockSizeTokens", "blockSize", "hashBlockSize", "maxPrefixBlocksToMatch", "maxPrefixTokensToMatch", "lruCapacityPerServer",
}

// renamedParameters are by type.
var renamedParameters = map[string][2]string{
	"token-producer":               {"http", "url"},
	"tokenizer":                    {"http", "url"},
	"mm-embeddings-cache-producer": {"cacheSizeInMB", "cacheSizeInMBPerServer"},
	"approx-prefix-cache-producer": {"blockSize", "blockSizeTokens"},
	preciseProducer:                {"blockSize", "blockSizeTokens"},
	preciseScorer:                  {"blockSize", "blockSizeTokens"},
}

// parameter mends one that the plugin does not have: moved, renamed, misspelt or,
// if it is asked for, dropped.
func (m *editFinder) parameter(f *Finding) []candidate {
	path := steps(f.Path)
	l, ok := m.last(f.Path)
	if !ok || len(path) < 3 || path[0] != "plugins" || path[2] != "parameters" {
		return nil
	}
	entry := "plugins[" + path[1] + "]"
	typeName := text(child(valueAt(m.Root, entry), "type"))
	if len(path) == 3 {
		return m.deletion(f.Path)
	}
	name := path[len(path)-1]
	var all []candidate
	switch {
	case typeName == "prefix-cache-scorer" && text(valueAt(m.Root, entry+".parameters.mode")) == "cache_tracking":
		all = append(all, m.precise(entry))
	case strings.HasPrefix(typeName, "precise-prefix-cache-") && name == "tokenProcessorConfig":
		all = append(all, m.tokenProcessor(entry, f.Path))
	case typeName == "prefix-cache-scorer" && slices.Contains(prefixSettings, name):
		all = append(all, m.moveToProducer(entry))
	case typeName == affinityFilter && name == "maxTokensInFlightPenalty":
		all = append(all, m.penalty(f.Path, l))
	case typeName == pdHandler && (name == "threshold" || name == "hashBlockSize"):
		all = append(all, m.pdDecider(entry))
	}
	if names, ok := renamedParameters[typeName]; ok {
		for i := range names {
			if names[i] == name {
				all = append(all, candidate{splices: m.renameKey(f.Path, names[1-i])})
			}
		}
	}
	if known := nearest(name, namesIn(f.Message)); known != "" {
		all = append(all, candidate{splices: m.renameKey(f.Path, known)})
	}
	return append(all, m.deletion(f.Path)...)
}

// deletion takes out what the version does not have, if that is asked for.
func (m *editFinder) deletion(path string) []candidate {
	if !m.deleteUnknown {
		return nil
	}
	return []candidate{{splices: m.removeAt(path)}}
}

// namesIn are the names that a message about an unknown field lists.
func namesIn(message string) []string {
	_, list, found := strings.Cut(message, "there are ")
	if !found {
		return nil
	}
	list, _, _ = strings.Cut(list, ";")
	return strings.Split(list, ", ")
}

// precise makes the precise scorer of what once was a mode of the other one.
func (m *editFinder) precise(entry string) candidate {
	c := m.renameTo(entry+".type", preciseScorer)
	if c.splices != nil {
		c.splices = append(c.splices, m.removeAt(entry+".parameters.mode")...)
	}
	return c
}

// penalty turns tokens into the milliseconds that they take at the default
// throughput.
func (m *editFinder) penalty(path string, l link) candidate {
	const peakPrefillTokensPerSecond = 15928
	tokens, err := strconv.ParseFloat(text(l.value()), 64)
	edit := m.renameKey(path, "maxTTFTPenaltyMs")
	if err != nil || edit == nil {
		return candidate{}
	}
	value := m.Replace(l.value(), strconv.FormatFloat(math.Round(tokens/peakPrefillTokensPerSecond*1000), 'f', -1, 64))
	if value == nil {
		return candidate{}
	}
	return candidate{splices: append(edit, value...)}
}

// moveToProducer takes the settings of the index from the scorer to the producer
// that has them now, which is listed behind the scorer.
func (m *editFinder) moveToProducer(entry string) candidate {
	parameters := valueAt(m.Root, entry+".parameters")
	l, ok := m.last(entry)
	if !ok || slices.Contains(pluginNames(m.Root), approxProducer) {
		return candidate{}
	}
	lines, flow, moved := producerSettings(parameters)
	if len(lines) == 0 {
		return candidate{}
	}
	remove := m.removeKeys(entry+".parameters", moved)
	insert := m.InsertAfter(l.parent, l.index,
		append([]string{"- type: " + approxProducer, "  parameters:"}, lines...),
		"{type: "+approxProducer+", parameters: {"+strings.Join(flow, ", ")+"}}")
	if remove == nil || insert == nil {
		return candidate{}
	}
	return candidate{splices: append(remove, insert...), types: []string{approxProducer}}
}

// producerSettings are the settings of the index as the producer takes them.
func producerSettings(parameters *yamlv3.Node) (lines, flow, moved []string) {
	add := func(setting, comment string) {
		flow = append(flow, setting)
		if comment != "" {
			setting += " " + comment
		}
		lines = append(lines, "    "+setting)
	}
	tokens := blockTokens(parameters)
	if child(parameters, "hashBlockSize") != nil && child(parameters, "autoTune") == nil {
		add("autoTune: false", "") // Versions of that name had no other way.
	}
	for _, name := range prefixSettings {
		value := child(parameters, name)
		if value == nil {
			continue
		}
		moved = append(moved, name)
		switch blocks, err := strconv.ParseFloat(value.Value, 64); {
		case name == "hashBlockSize" || name == "blockSize":
			if child(parameters, "blockSizeTokens") == nil {
				add(fmt.Sprintf("blockSizeTokens: %d", int(max(1, tokens))), value.LineComment)
			}
		case name == "maxPrefixBlocksToMatch" && err == nil && child(parameters, "maxPrefixTokensToMatch") == nil:
			// The producer looks at a limit in blocks only where it has none in tokens.
			add(fmt.Sprintf("maxPrefixTokensToMatch: %d", int(float64(blocks*tokens))), value.LineComment)
		default:
			add(name+": "+value.Value, value.LineComment)
		}
	}
	return lines, flow, moved
}

// blockTokens is the size of the scorer's blocks: it counts in characters, and
// has 64 by default.
func blockTokens(parameters *yamlv3.Node) float64 {
	const charactersPerToken = 4
	if tokens, err := strconv.ParseFloat(text(child(parameters, "blockSizeTokens")), 64); err == nil {
		return tokens
	}
	for _, name := range []string{"blockSize", "hashBlockSize"} {
		if characters, err := strconv.ParseFloat(text(child(parameters, name)), 64); err == nil {
			return characters / charactersPerToken
		}
	}
	return 64 / charactersPerToken
}

// tokenProcessor takes the settings of blocks out of indexerConfig.
func (m *editFinder) tokenProcessor(entry, path string) candidate {
	n, at := valueAt(m.Root, path), entry+".parameters"
	into := valueAt(m.Root, at)
	if n == nil || n.Kind != yamlv3.MappingNode || into == nil || edit.IsFlow(into) || child(into, "tokenProcessorConfig") != nil {
		return candidate{}
	}
	lines := []string{"tokenProcessorConfig:"}
	for i := 0; i+1 < len(n.Content); i += 2 {
		start, end, ok := m.Scalar(n.Content[i+1])
		if !ok {
			return candidate{}
		}
		line := "  " + n.Content[i].Value + ": " + m.Text[start:end]
		if comment := n.Content[i+1].LineComment; comment != "" {
			line += " " + comment
		}
		lines = append(lines, line)
	}
	remove := m.removeAt(path)
	if remove == nil {
		return candidate{}
	}
	first := into.Content[0]
	return candidate{splices: append(m.InsertLines(m.Lines[first.Line-1], strings.Repeat(" ", first.Column-1), lines), remove...)}
}

// removeKeys takes keys out of a mapping, or the mapping where it holds no others.
func (m *editFinder) removeKeys(path string, names []string) []edit.Splice {
	if n := valueAt(m.Root, path); len(keys(n)) == len(names) {
		return m.removeAt(path)
	}
	var all []edit.Splice
	for _, name := range names {
		splices := m.removeAt(path + "." + name)
		if splices == nil {
			return nil
		}
		all = append(all, splices...)
	}
	return all
}

// decider mends a pd-profile-handler whose decider is not listed.
func (m *editFinder) decider(path []string) []candidate {
	if len(path) < 2 || path[0] != "plugins" {
		return nil
	}
	entry := "plugins[" + path[1] + "]"
	if text(child(valueAt(m.Root, entry), "type")) != pdHandler {
		return nil
	}
	return []candidate{m.pdDecider(entry)}
}

// pdDecider lists the decider that does what the handler's threshold, in
// characters, did; without a threshold all prompts were handed over.
func (m *editFinder) pdDecider(entry string) candidate {
	const charactersPerToken = 4
	l, ok := m.last(entry)
	if !ok {
		return candidate{}
	}
	parameters := valueAt(m.Root, entry+".parameters")
	var old []string
	for _, name := range []string{"threshold", "hashBlockSize"} {
		if child(parameters, name) != nil {
			old = append(old, name)
		}
	}
	c := candidate{}
	if len(old) > 0 {
		if c.splices = m.removeKeys(entry+".parameters", old); c.splices == nil {
			return candidate{}
		}
	}
	if m.listsDecider() {
		return c
	}
	threshold, _ := strconv.Atoi(text(child(parameters, "threshold")))
	if threshold <= 0 {
		return m.alwaysDisaggregate(entry, l, c)
	}
	tokens := max(1, threshold/charactersPerToken)
	insert := m.InsertAfter(l.parent, l.index,
		[]string{"- type: prefix-based-pd-decider", "  parameters:", fmt.Sprintf("    nonCachedTokens: %d", tokens)},
		fmt.Sprintf("{type: prefix-based-pd-decider, parameters: {nonCachedTokens: %d}}", tokens))
	if insert == nil {
		return candidate{}
	}
	c.splices, c.types = append(c.splices, insert...), []string{"prefix-based-pd-decider"}
	return c
}

// alwaysDisaggregate lists the decider that says yes to all, and names it.
func (m *editFinder) alwaysDisaggregate(entry string, l link, c candidate) candidate {
	const typeName = "always-disagg-pd-decider"
	named := m.addParameter(entry, "deciderPluginName", typeName)
	insert := m.InsertAfter(l.parent, l.index, []string{"- type: " + typeName}, "{type: "+typeName+"}")
	if insert == nil || named == nil || len(c.splices) > 0 && child(valueAt(m.Root, entry), "parameters") != nil && m.emptied(entry, c) {
		return candidate{}
	}
	return candidate{splices: append(append(named, insert...), c.splices...), types: []string{typeName}}
}

// emptied reports whether edits take all parameters away.
func (m *editFinder) emptied(entry string, c candidate) bool {
	text, ok := m.Apply(c.splices)
	return !ok || valueAt(parse([]byte(text)), entry+".parameters") == nil
}

// addParameter gives a plugin in block style one more parameter.
func (m *editFinder) addParameter(entry, name, value string) []edit.Splice {
	n := valueAt(m.Root, entry)
	if n == nil || n.Kind != yamlv3.MappingNode || edit.IsFlow(n) {
		return nil
	}
	if into := child(n, "parameters"); into != nil {
		if into.Kind != yamlv3.MappingNode || edit.IsFlow(into) || len(into.Content) == 0 {
			return nil
		}
		first := into.Content[0]
		return m.InsertLines(m.Lines[first.Line-1], strings.Repeat(" ", first.Column-1), []string{name + ": " + value})
	}
	indent := strings.Repeat(" ", n.Column-1)
	return m.InsertLines(m.BlockEnd(n, len(n.Content)-2, 2), indent, []string{"parameters:", "  " + name + ": " + value})
}

func (m *editFinder) listsDecider() bool {
	for _, item := range items(child(m.Root, "plugins")) {
		if t := text(child(item, "type")); t == "prefix-based-pd-decider" || t == "always-disagg-pd-decider" {
			return true
		}
	}
	return false
}
