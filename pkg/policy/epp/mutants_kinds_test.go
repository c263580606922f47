// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"
)

// sourceMutants list two extractors of a source, in both orders, and a source twice.
func sourceMutants() []mutant {
	rightOf := []struct{ source, extractor string }{
		{"metrics-data-source", "core-metrics-extractor"},
		{"dcgm-data-source", "dcgm-extractor"},
		{"models-data-source", "models-data-extractor"},
		{"endpoint-notification-source", "precise-prefix-cache-producer"},
	}
	others := []string{
		"core-metrics-extractor", "multicluster-metrics-extractor", "dcgm-extractor", "models-data-extractor", "topology-extractor",
		"inflight-load-producer", "mm-embeddings-cache-producer", "approx-prefix-cache-producer", "queue-scorer", "dcgm-data-source",
	}
	var all []mutant
	add := func(name, sources string, types ...string) {
		all = append(all, mutant{"source-" + name + ".yaml", mutantHeader + pluginList(types...) + "dataLayer:\n" + sources})
	}
	for _, r := range rightOf {
		for _, other := range others {
			if other == r.extractor || other == r.source {
				continue
			}
			types := []string{r.source, r.extractor, other, "random-picker", "token-producer"}
			for order, list := range map[string][2]string{"behind": {r.extractor, other}, "before": {other, r.extractor}} {
				add(r.source+"-"+other+"-"+order, "  sources: [{pluginRef: "+r.source+", extractors: [{pluginRef: "+list[0]+"}, {pluginRef: "+list[1]+"}]}]\n", types...)
			}
		}
		one := "{pluginRef: " + r.source + ", extractors: [{pluginRef: " + r.extractor + "}]}"
		types := []string{r.source, r.extractor, "random-picker", "token-producer"}
		add(r.source+"-twice", "  sources: ["+one+", "+one+"]\n", types...)
		add(r.source+"-bare-twice", "  sources: [{pluginRef: "+r.source+"}, {pluginRef: "+r.source+"}]\n", types...)
		add(r.source+"-two-names", "  sources: [{pluginRef: a}, {pluginRef: "+r.source+"}]\n", append([]string{r.source + ", name: a"}, types...)...)
		add(r.source+"-alone", "  injectDefaults: false\n  sources: ["+one+"]\n", types...)
		add(r.source+"-without", "  injectDefaults: false\n  sources: [{pluginRef: "+r.source+", extractors: []}]\n", types...)
	}
	for i, second := range []string{"{version: v1, kind: Pod}", "{version: v1, kind: Node}", "{group: a, version: v1, kind: Pod}", "{group: '', version: v1, kind: Pod}", "{version: v2, kind: Pod}"} {
		text := mutantHeader + pluginList("k8s-notification-source", "random-picker") + "- {type: k8s-notification-source, name: b, parameters: " + second + "}\n"
		all = append(all, mutant{fmt.Sprintf("source-objects-%d.yaml", i), text + "dataLayer:\n  sources: [{pluginRef: k8s-notification-source}, {pluginRef: b}]\n"})
	}
	return byName(all)
}

// preciseFieldMutants have parameters of the precise index beside its sizes.
func preciseFieldMutants() []mutant {
	values := []string{
		"tokenProcessorConfig: {blockSizeTokens: 0}", "tokenProcessorConfig: {blockSizeTokens: -1}", "tokenProcessorConfig: {blockSizeTokens: 64}",
		"tokenProcessorConfig: {blockSizeTokens: 1.5}", "tokenProcessorConfig: {blockSizeTokens: '64'}", "tokenProcessorConfig: {blockSize: -1}",
		"tokenProcessorConfig: {blockSize: 0, blockSizeTokens: 0}", "tokenProcessorConfig: {blockSize: 32, blockSizeTokens: 64}",
		"tokenProcessorConfig: {blockSize: -1, blockSizeTokens: 64}", "tokenProcessorConfig: {hashSeed: 42}", "tokenProcessorConfig: {hashSeed: '42'}",
		"tokenProcessorConfig: {hashAlgorithm: xxh64}", "tokenProcessorConfig: {hashAlgorithm: sha256}", "tokenProcessorConfig: {hashAlgorithm: ''}",
		"tokenProcessorConfig: null", "tokenProcessorConfig: {}", "tokenProcessorConfig: []", "tokenProcessorConfig: {blocksize: 64}",
		"speculativeIndexing: true", "speculativeIndexing: 'true'", "speculativeIndexing: yes", "speculativeTTL: 2s", "speculativeTTL: 2",
		"speculativeTTL: soon", "speculativeIndexing: true, speculativeTTL: soon", "speculativeIndexing: true, speculativeTTL: ''",
		"speculativeIndexing: true, speculativeTTL: 0s", "speculativeIndexing: true, speculativeTTL: -1s", "speculativeIndexing: true, speculativeTTL: 2562048h",
		"indexerConfig: {}", "indexerConfig: null", "indexerConfig: []", "indexerConfig: {kvBlockIndexConfig: {}}", "indexerConfig: {kvBlockIndexConfig: null}",
		"indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: null}}", "indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: {}}}",
		"indexerConfig: {kvBlockIndexConfig: {costAwareMemoryConfig: {}}}", "indexerConfig: {kvBlockIndexConfig: {costAwareMemoryConfig: {size: 5}}}",
		"indexerConfig: {kvBlockIndexConfig: {enableMetrics: true, metricsLoggingInterval: 1000000000}}",
		"indexerConfig: {kvBlockIndexConfig: {enableMetrics: true, metricsLoggingInterval: 0}}",
		"indexerConfig: {kvBlockIndexConfig: {enableMetrics: true, metricsLoggingInterval: -5}}",
		"indexerConfig: {kvBlockIndexConfig: {metricsLoggingInterval: 1s}}", "indexerConfig: {KVBlockScorerConfig: null}",
		"indexerConfig: {KVBlockScorerConfig: {scoringStrategy: LongestPrefix}}", "indexerConfig: {KVBlockScorerConfig: {ScoringStrategy: Longest}}",
		"indexerConfig: {kvCacheBackendConfigs: []}", "indexerConfig: {kvCacheBackendConfigs: null}", "indexerConfig: {kvCacheBackendConfigs: [null]}",
		"indexerConfig: {kvCacheBackendConfigs: [{name: gpu, weight: -1}]}", "indexerConfig: {kvCacheBackendConfigs: [{name: gpu, weight: 1}, {name: gpu, weight: 2}]}",
		"indexerConfig: {kvCacheBackendConfigs: [{name: gpu, weight: '1'}]}", "kvEventsConfig: null", "kvEventsConfig: {}", "kvEventsConfig: {topicFilter: ''}",
		"kvEventsConfig: {engineType: vllm}", "kvEventsConfig: {engineType: VLLM}", "kvEventsConfig: {engineType: trtllm}", "kvEventsConfig: {engineType: ''}",
		"kvEventsConfig: {discoverPods: false}", "kvEventsConfig: {discoverPods: 'false'}", "kvEventsConfig: {podDiscoveryConfig: null}",
		"kvEventsConfig: {podDiscoveryConfig: {podLabelSelector: 'a in (b'}}", "kvEventsConfig: {podDiscoveryConfig: {socketPort: 70000}}",
		"kvEventsConfig: {concurrency: 4, concurrency: 5}",
	}
	var all []mutant
	for _, owner := range []string{"precise-prefix-cache-producer", "precise-prefix-cache-scorer"} {
		for i, value := range values {
			all = append(all, mutant{
				fmt.Sprintf("precise-fields-%s-%02d.yaml", owner, i),
				mutantHeader + pluginList("token-producer", "random-picker") + "- {type: " + owner + ", parameters: {" + value + "}}\n",
			})
		}
	}
	return all
}

// timeMutants have durations and intervals in parameters of plugins, and bands with
// quantities at the borders of their grammar.
func timeMutants() []mutant {
	var all []mutant
	durations := []string{"5s", "5", "'5'", "0s", "-5s", "1ns", "999us", "2562048h", "''", "null", "1d", "' 5s'", "5S"}
	for name, plugin := range map[string]string{
		"scrape":     "metrics-data-source, parameters: {interval: %s}",
		"models":     "models-data-source, parameters: {interval: %s}",
		"dcgm":       "dcgm-data-source, parameters: {interval: %s}",
		"staleness":  "utilization-detector, parameters: {metricsStalenessThreshold: %s}",
		"prediction": "predicted-latency-producer, parameters: {contextTTL: %s}",
		"request":    "active-request-scorer, parameters: {requestTimeout: %s}",
		"tokens":     "token-producer, parameters: {modelName: m, vllm: {url: 'http://m:8000', timeout: %s}}",
	} {
		for i, value := range durations {
			text := mutantHeader + pluginList("queue-scorer") + "- {type: " + fmt.Sprintf(plugin, value) + "}\n"
			all = append(all, mutant{fmt.Sprintf("time-%s-%02d.yaml", name, i), text})
		}
	}
	quantities := []string{
		"1e", "'1E+3'", "1e+3", "'1e3k'", "'1Ke'", "1.", "'1.Gi'", "'.5Gi'", "'1 '", "'\\u00a05'", "\"\\u00a05\"", "\"5\\u2009\"", "'٥'", "'１'", "00005", "'00005'", "'-0.0'", "1.0000000000000001", "0.5", "'0.5Gi'", "9.3E", "'9.3Ei'",
		"'1e18'", "'1e19'", "1e19", "12345678901234567890", "'1Zi'", "'1Y'", "1_0k", "!!str 5", "!!int '5'", "!!float 5", "'5#'", "5 # c", "'5e-1'", "'1,000'",
	}
	for _, field := range []string{"maxBytes", "maxRequests"} {
		for i, value := range quantities {
			all = append(all, mutant{
				fmt.Sprintf("time-quantity-%s-%02d.yaml", field, i),
				mutantHeader + "featureGates: [flowControl]\n" + pluginList("queue-scorer") + "flowControl:\n  defaultNegativePriorityBand:\n    " + field + ": " + value + "\n",
			})
		}
	}
	return byName(all)
}

// readerMutants are documents with features of YAML and JSON that few files have.
func readerMutants() []mutant {
	rest := "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"
	plugins := "plugins:\n- type: queue-scorer\n"
	json := `{"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", "plugins": [%s]}`
	entry := `{"type": "queue-scorer"}`
	texts := map[string]string{
		"anchor":                 rest + "plugins:\n- &a {type: queue-scorer}\n- {type: max-score-picker}\n",
		"alias":                  rest + "plugins:\n- {type: &t queue-scorer, name: a}\n- {type: *t, name: b}\n",
		"alias-before-anchor":    rest + "plugins:\n- {type: *t}\n- {type: &t queue-scorer}\n",
		"alias-of-object":        rest + "plugins:\n- &a {type: queue-scorer}\n- *a\n",
		"anchor-twice":           rest + "plugins:\n- {type: &t queue-scorer}\n- {type: &t max-score-picker}\n- {type: *t, name: x}\n",
		"anchor-alone":           rest + "plugins:\n- {type: queue-scorer, parameters: &p}\n",
		"alias-of-itself":        rest + "plugins: &p\n- {type: queue-scorer, parameters: {a: *p}}\n",
		"merge":                  rest + "plugins:\n- &a {type: queue-scorer}\n- {<<: *a, name: b}\n",
		"merge-overridden":       rest + "plugins:\n- &a {type: queue-scorer}\n- {<<: *a, type: max-score-picker}\n",
		"merge-list":             rest + "plugins:\n- &a {type: queue-scorer}\n- {<<: [*a, {name: c}]}\n",
		"merge-inline":           rest + "plugins:\n- {<<: {type: queue-scorer}}\n",
		"merge-scalar":           rest + "plugins:\n- {<<: x, type: queue-scorer}\n",
		"merge-quoted":           rest + "plugins:\n- {'<<': {type: queue-scorer}}\n",
		"anchor-field":           "x: &t queue-scorer\n" + rest + "plugins:\n- {type: *t}\n",
		"duplicate-top":          rest + plugins + plugins,
		"duplicate-kind":         rest + "kind: EndpointPickerConfig\n" + plugins,
		"duplicate-kind-other":   rest + "kind: Other\n" + plugins,
		"duplicate-entry":        rest + "plugins:\n- type: queue-scorer\n  type: max-score-picker\n",
		"duplicate-quoted":       rest + "plugins:\n- type: queue-scorer\n  'type': max-score-picker\n",
		"duplicate-escaped":      rest + "plugins:\n- type: queue-scorer\n  \"\\x74ype\": max-score-picker\n",
		"duplicate-parameter":    rest + "plugins:\n- type: low-queue-filter\n- type: token-load-scorer\n  parameters: {queueThresholdTokens: 1, queueThresholdTokens: 2}\n",
		"duplicate-deep":         rest + plugins + "flowControl: {defaultPriorityBand: {maxBytes: 1, maxBytes: 1}}\n",
		"duplicate-json":         fmt.Sprintf(json, `{"type": "queue-scorer", "type": "queue-scorer"}`),
		"duplicate-json-top":     `{"kind": "EndpointPickerConfig", ` + fmt.Sprintf(json, entry)[1:],
		"duplicate-json-escaped": fmt.Sprintf(json, `{"type": "queue-scorer", "\u0074ype": "queue-scorer"}`),
		"duplicate-json-deep":    fmt.Sprintf(json, `{"type": "token-load-scorer", "parameters": {"queueThresholdTokens": 1, "queueThresholdTokens": 1}}`),
		"duplicate-of-case":      rest + plugins + "Plugins: []\n",
		"key-number":             rest + plugins + "5: x\n",
		"key-true":               rest + plugins + "true: x\n",
		"key-yes":                rest + plugins + "yes: x\n",
		"key-null":               rest + plugins + "null: x\n",
		"key-empty":              rest + plugins + "'': x\n",
		"key-list":               rest + plugins + "? [a]\n: x\n",
		"key-explicit":           rest + "? plugins\n: [{type: queue-scorer}]\n",
		"key-tagged":             rest + "!!str plugins: [{type: queue-scorer}]\n",
		"tag-unknown":            rest + "plugins:\n- {type: !mine queue-scorer}\n",
		"tag-binary":             rest + "plugins:\n- {type: !!binary cXVldWUtc2NvcmVy}\n",
		"tag-binary-bad":         rest + "plugins:\n- {type: !!binary '*'}\n",
		"tag-int":                rest + "plugins:\n- {type: queue-scorer, name: !!int x}\n",
		"tag-str":                rest + "plugins:\n- {type: queue-scorer, name: !!str 5}\n",
		"tag-map":                rest + "plugins:\n- !!map {type: queue-scorer}\n",
		"tag-set":                rest + "plugins: !!set {a}\n",
		"tag-seq-of-map":         rest + "plugins: !!seq {type: queue-scorer}\n",
		"tab-indent":             rest + "plugins:\n\t- type: queue-scorer\n",
		"tab-entry":              rest + "plugins:\n-\ttype: queue-scorer\n",
		"tab-second":             rest + "plugins:\n- type: queue-scorer\n\tname: a\n",
		"tab-value":              rest + "plugins:\n- type:\tqueue-scorer\n",
		"tab-after-value":        rest + "plugins:\n- type: queue-scorer\t\n",
		"tab-comment":            rest + "plugins:\n- type: queue-scorer\t# c\n",
		"tab-comment-line":       rest + "\t# c\n" + plugins,
		"tab-line":               rest + "\t\n" + plugins,
		"tab-flow":               rest + "plugins: [\t{type: queue-scorer}\t]\n",
		"tab-flow-line":          rest + "plugins: [\n\t{type: queue-scorer}\n\t]\n",
		"tab-in-quotes":          rest + plugins + "- {type: context-length-aware, parameters: {label: 'a\tb'}}\n",
		"tab-in-plain":           rest + plugins + "- type: context-length-aware\n  parameters:\n    label: a\tb\n",
		"tab-before-colon":       rest + "plugins\t:\n- type: queue-scorer\n",
		"tab-json":               strings.ReplaceAll(fmt.Sprintf(json, entry), " ", "\t"),
		"tab-json-lines":         strings.ReplaceAll(fmt.Sprintf(json, entry), ", ", ",\n\t"),
		"unicode-name":           rest + "plugins:\n- {type: queue-scorer, name: größe}\n",
		"unicode-emoji":          rest + "plugins:\n- {type: queue-scorer, name: 🚀}\n",
		"unicode-escape":         rest + "plugins:\n- {type: \"queue\\u002dscorer\"}\n",
		"unicode-escape-long":    rest + "plugins:\n- {type: queue-scorer, name: \"\\U0001F680\"}\n",
		"unicode-escape-half":    rest + "plugins:\n- {type: queue-scorer, name: \"\\ud83d\"}\n",
		"unicode-escape-large":   rest + "plugins:\n- {type: queue-scorer, name: \"\\U00110000\"}\n",
		"unicode-nbsp":           rest + "plugins:\n-\u00a0type: queue-scorer\n",
		"unicode-nbsp-value":     rest + "plugins:\n- type:\u00a0queue-scorer\n",
		"unicode-nel":            rest + "plugins:\u0085- type: queue-scorer\n",
		"unicode-line":           rest + "plugins:\n- type: queue-scorer\u2028  name: a\n",
		"unicode-zero-width":     rest + "plugins:\n- type: queue-scorer\u200b\n",
		"unicode-hyphen":         rest + "plugins:\n- type: queue‑scorer\n",
		"unicode-quotes":         rest + "plugins:\n- type: “queue-scorer”\n",
		"unicode-mark-within":    rest + "\ufeff" + plugins,
		"unicode-mark-in-value":  rest + "plugins:\n- type: \ufeffqueue-scorer\n",
		"unicode-bad":            rest + "plugins:\n- {type: queue-scorer, name: \xff}\n",
		"unicode-bad-comment":    rest + "# \xff\n" + plugins,
		"unicode-cut":            rest + "plugins:\n- {type: queue-scorer, name: \xe2\x82}\n",
		"unicode-surrogate":      rest + "plugins:\n- {type: queue-scorer, name: \xed\xa0\x80}\n",
		"unicode-control":        rest + "plugins:\n- {type: queue-scorer, name: a\x01}\n",
		"unicode-delete":         rest + "plugins:\n- {type: queue-scorer, name: a\x7f}\n",
		"unicode-escape-char":    rest + "plugins:\n- {type: queue-scorer, name: \"a\x1b\"}\n",
		"unicode-utf16":          "\xff\xfe" + wide(rest+plugins),
		"unicode-utf16-unmarked": wide(rest + plugins),
		"unicode-json-escape":    fmt.Sprintf(json, `{"type": "queue\u002dscorer"}`),
		"unicode-json-half":      fmt.Sprintf(json, `{"type": "queue-scorer", "name": "\ud83d"}`),
		"unicode-json-bad":       fmt.Sprintf(json, "{\"type\": \"queue-scorer\", \"name\": \"\xff\"}"),
		"unicode-json-mark":      "\ufeff" + fmt.Sprintf(json, entry),
		"unicode-json-nbsp":      "\u00a0" + fmt.Sprintf(json, entry),
		"unicode-json-control":   fmt.Sprintf(json, "{\"type\": \"queue-scorer\", \"name\": \"\x01\"}"),
		"json-comment":           "// c\n" + fmt.Sprintf(json, entry),
		"json-comment-within":    fmt.Sprintf(json, "# c\n"+entry),
		"json-comma":             fmt.Sprintf(json, entry+","),
		"json-comma-twice":       fmt.Sprintf(json, entry+",,"+entry),
		"json-single-quotes":     strings.ReplaceAll(fmt.Sprintf(json, entry), `"`, "'"),
		"json-case":              strings.ReplaceAll(fmt.Sprintf(json, entry), "plugins", "Plugins"),
		"json-case-entry":        fmt.Sprintf(json, `{"Type": "queue-scorer"}`),
		"json-null":              fmt.Sprintf(json, "null"),
		"json-entry-string":      fmt.Sprintf(json, `"queue-scorer"`),
		"json-type-number":       fmt.Sprintf(json, `{"type": 5}`),
		"json-number-forms":      fmt.Sprintf(json, `{"type": "token-load-scorer", "parameters": {"queueThresholdTokens": 1e3}}`),
		"json-number-zero":       fmt.Sprintf(json, `{"type": "token-load-scorer", "parameters": {"queueThresholdTokens": 007}}`),
		"json-number-plus":       fmt.Sprintf(json, `{"type": "token-load-scorer", "parameters": {"queueThresholdTokens": +7}}`),
		"json-number-hex":        fmt.Sprintf(json, `{"type": "token-load-scorer", "parameters": {"queueThresholdTokens": 0x7}}`),
		"json-number-nan":        fmt.Sprintf(json, `{"type": "token-load-scorer", "parameters": {"queueThresholdTokens": NaN}}`),
		"json-list":              "[" + fmt.Sprintf(json, entry) + "]",
		"json-cut":               strings.TrimSuffix(fmt.Sprintf(json, entry), "}"),
		"json-plain-key":         strings.ReplaceAll(fmt.Sprintf(json, entry), `"kind"`, "kind"),
		"json-newline-in-text":   fmt.Sprintf(json, "{\"type\": \"queue-\nscorer\"}"),
		"json-in-yaml":           rest + "plugins: [" + entry + "]\n",
		"json-lines-before":      "\n\n  " + fmt.Sprintf(json, entry),
		"json-document":          "---\n" + fmt.Sprintf(json, entry),
		"json-document-end":      fmt.Sprintf(json, entry) + "\n...\n",
		"text-block":             rest + "plugins:\n- type: |\n    queue-scorer\n",
		"text-block-chomped":     rest + "plugins:\n- type: |-\n    queue-scorer\n",
		"text-folded":            rest + "plugins:\n- type: >-\n    queue-scorer\n",
		"text-quoted-lines":      rest + "plugins:\n- type: 'queue-\n    scorer'\n",
		"text-escaped-lines":     rest + "plugins:\n- type: \"queue-\\\n    scorer\"\n",
		"text-bad-escape":        rest + "plugins:\n- type: \"queue-\\qscorer\"\n",
		"text-open-quote":        rest + "plugins:\n- type: 'queue-scorer\n",
		"text-open-list":         rest + "plugins: [{type: queue-scorer}\n",
		"text-open-map":          rest + "plugins: [{type: queue-scorer]\n",
		"text-at":                rest + "plugins:\n- type: @queue-scorer\n",
		"text-percent":           rest + "plugins:\n- type: %queue-scorer\n",
		"text-backtick":          rest + "plugins:\n- type: `queue-scorer`\n",
		"text-colon":             rest + "plugins:\n- type: queue-scorer: x\n",
		"text-hash":              rest + "plugins:\n- type: queue-scorer#x\n",
		"text-yes":               rest + "plugins:\n- {type: queue-scorer, name: yes}\n",
		"text-null":              rest + "plugins:\n- {type: queue-scorer, name: ~}\n",
		"text-date":              rest + "plugins:\n- {type: queue-scorer, name: 2026-11-29}\n",
		"text-octal":             rest + "plugins:\n- {type: queue-scorer, name: 0o7}\n",
		"text-sixty":             rest + "plugins:\n- {type: queue-scorer, name: 1:30}\n",
		"text-windows-lines":     strings.ReplaceAll(rest+plugins, "\n", "\r\n"),
		"text-old-mac-lines":     strings.ReplaceAll(rest+plugins, "\n", "\r"),
		"text-no-last-line":      strings.TrimSuffix(rest+plugins, "\n"),
		"indent-list-in":         rest + "plugins:\n  - type: queue-scorer\n",
		"indent-uneven":          rest + "plugins:\n- type: queue-scorer\n- type: max-score-picker\n   name: a\n",
		"indent-top":             " apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n" + plugins,
		"indent-all":             "  " + strings.ReplaceAll(strings.TrimSuffix(rest+plugins, "\n"), "\n", "\n  "),
		"separator-within":       rest + "---\n" + plugins,
		"separator-indented":     rest + plugins + "  ---\n",
		"separator-in-text":      rest + "plugins:\n- type: |-\n    queue-scorer\n---\n",
		"separator-in-block":     rest + plugins + "- type: context-length-aware\n  parameters:\n    label: |-\n      a\n      ---\n      b\n",
		"separator-with-text":    "--- {apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig, plugins: [{type: queue-scorer}]}\n",
		"separator-with-tag":     "--- !!map\n" + rest + plugins,
		"separator-short":        "--\n" + rest + plugins,
		"separator-long":         "----\n" + rest + plugins,
		"separator-blank":        "--- \n" + rest + plugins,
		"separator-tab":          "---\t\n" + rest + plugins,
		"separator-windows":      "---\r\n" + rest + plugins,
		"separator-second-bad":   rest + plugins + "---\n\t: [\n",
		"separator-second-text":  rest + plugins + "--- x\n",
		"separator-end-text":     rest + plugins + "... x\n",
		"separator-directive":    "%YAML 1.1\n--- # c\n" + rest + plugins,
	}
	var all []mutant
	for name, text := range texts {
		all = append(all, mutant{"reader-" + name + ".yaml", text})
	}
	return byName(all)
}

// wide is a text of ASCII in UTF-16, the low byte first.
func wide(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteByte(c)
		b.WriteByte(0)
	}
	return b.String()
}
