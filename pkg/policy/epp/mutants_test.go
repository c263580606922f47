// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// mutantsFolder is where the mutants are written for a real loader to read.
var mutantsFolder = flag.String("mutants", "", "write the mutants into this folder")

// A mutant is a configuration that differs from an accepted one in one place.
type mutant struct{ name, text string }

// TestMutantsOfAllKinds compares with what the real loaders make of generated
// configurations, kind by kind: see testdata/loader/README.md.
func TestMutantsOfAllKinds(t *testing.T) {
	mutants := mutantsOfAllKinds()
	if *mutantsFolder != "" {
		for _, m := range mutants {
			testfile.Write(t, filepath.Join(*mutantsFolder, m.name), []byte(m.text))
		}
	}
	paths, err := filepath.Glob(filepath.Join("testdata", "loader", "mutants", "*.tsv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no verdicts on mutants: %v", err)
	}
	texts := map[string]string{}
	for _, m := range mutants {
		texts[m.name] = m.text
	}
	if len(texts) != len(mutants) {
		t.Fatalf("%d mutants have %d names", len(mutants), len(texts))
	}
	for _, path := range paths {
		version := strings.TrimSuffix(filepath.Base(path), ".tsv")
		t.Run(version, func(t *testing.T) {
			verdicts := readLoaderVerdicts(t, path)
			if len(verdicts) != len(mutants) {
				t.Errorf("%d verdicts on %d mutants", len(verdicts), len(mutants))
			}
			for _, v := range verdicts {
				text := []byte(texts[v.file])
				got := Judge(text, version, nil)
				if difference := v.difference(&got, text); difference != "" {
					t.Errorf("%s: %s", v.file, difference)
				} else if got.Stage == config.Accepted {
					checkSameAgain(t, v.file, got.Config)
				}
			}
		})
	}
}

func mutantsOfAllKinds() []mutant {
	return slices.Concat(extractorMutants(), indexMutants(), quantityMutants(), durationMutants(), tickMutants(), documentMutants(),
		companyMutants(), preciseMutants(), parameterMutants(),
		sourceMutants(), preciseFieldMutants(), timeMutants(), readerMutants())
}

// byName puts mutants in the order of their names.
func byName(all []mutant) []mutant {
	slices.SortFunc(all, func(a, b mutant) int { return strings.Compare(a.name, b.name) })
	return all
}

const mutantHeader = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"

// parametersOf are what a type does not load without, in the mutants.
var parametersOf = map[string]string{
	"k8s-notification-source":           "{version: v1, kind: Pod}",
	"token-producer":                    "{modelName: m, vllm: {url: 'http://m:8000'}}",
	"multicluster-metrics-data-source":  "{}",
	"disaggregatedset-rollout-screener": "{}",
}

func pluginList(types ...string) string {
	var lines []string
	for _, t := range types {
		line := "- {type: " + t
		if p := parametersOf[t]; p != "" {
			line += ", parameters: " + p
		}
		lines = append(lines, line+"}\n")
	}
	return "plugins:\n" + strings.Join(lines, "")
}

// extractorMutants pair each data source with each plugin that might be an extractor,
// alone, twice, and behind the one that is right.
func extractorMutants() []mutant {
	var all []mutant
	sources := []string{
		"metrics-data-source", "multicluster-metrics-data-source", "dcgm-data-source", "models-data-source",
		"endpoint-notification-source", "k8s-notification-source",
	}
	extractors := []string{
		"core-metrics-extractor", "multicluster-metrics-extractor", "dcgm-extractor", "models-data-extractor", "topology-extractor",
		"inflight-load-producer", "mm-embeddings-cache-producer", "precise-prefix-cache-producer", "precise-prefix-cache-scorer",
		"approx-prefix-cache-producer", "queue-scorer", "max-score-picker", "session-id-producer", "metrics-data-source",
		"endpoint-notification-source", "agent-identity",
	}
	for _, source := range sources {
		for _, extractor := range extractors {
			types := slices.Compact(slices.Sorted(slices.Values([]string{source, extractor, "random-picker", "token-producer"})))
			types = slices.DeleteFunc(types, func(t string) bool { return t == "session-id-producer" })
			text := mutantHeader + pluginList(types...)
			if extractor == "session-id-producer" {
				text += "- {type: session-id-producer, parameters: {headerName: s}}\n"
			}
			for name, list := range map[string]string{
				"once":  "[{pluginRef: " + extractor + "}]",
				"twice": "[{pluginRef: " + extractor + "}, {pluginRef: " + extractor + "}]",
			} {
				all = append(all, mutant{
					fmt.Sprintf("extractor-%s-%s-%s.yaml", source, extractor, name),
					text + "dataLayer:\n  sources:\n  - {pluginRef: " + source + ", extractors: " + list + "}\n",
				})
			}
		}
	}
	slices.SortFunc(all, func(a, b mutant) int { return strings.Compare(a.name, b.name) })
	return all
}

// indexMutants have numbers and sizes of the precise index.
func indexMutants() []mutant {
	var all []mutant
	sizes := []string{
		"", "x", "0", "1", "0.4", "1b", "2GiB", "2gib", "2 GiB", " 2GiB", "2G", "2gi", "2Gib ", "1,024", "1,0,2kb", ",", ".", "1.5mb", "1..5mb",
		"-1", "-2GiB", "+2GiB", "1e9", "7.9EiB", "8EiB", "9EB", "9.3EB", "15EiB", "16EiB", "1E", "1ib", "1bb", "1 k b", "1kbb", "2giga", "0x10", "1_000", "1PiB", "1pb", "1tb", "3t",
	}
	forms := map[string]string{
		"cost":           "{costAwareMemoryConfig: {size: '%s'}}",
		"cost-no-memory": "{inMemoryConfig: null, costAwareMemoryConfig: {size: '%s'}}",
	}
	for _, owner := range []string{"precise-prefix-cache-producer", "precise-prefix-cache-scorer"} {
		add := func(name, parameters string) {
			all = append(all, mutant{
				"index-" + owner + "-" + name + ".yaml",
				mutantHeader + pluginList("token-producer", "random-picker") + "- {type: " + owner + ", parameters: " + parameters + "}\n",
			})
		}
		for i, size := range sizes {
			for _, form := range []string{"cost", "cost-no-memory"} {
				add(fmt.Sprintf("%s-%02d", form, i), "{indexerConfig: {kvBlockIndexConfig: "+fmt.Sprintf(forms[form], size)+"}}")
			}
		}
		for _, n := range []string{"-9223372036854775808", "-2", "-1", "0", "1", "7", "1.0", "'3'", "null"} {
			add("size-"+n, "{indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: {size: "+n+"}}}}")
			add("pods-"+n, "{indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: {podCacheSize: "+n+"}}}}")
			add("size-beside-cost-"+n, "{indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: {size: "+n+"}, costAwareMemoryConfig: {size: 1GiB}}}}")
			add("concurrency-"+n, "{kvEventsConfig: {concurrency: "+n+"}}")
			add("port-"+n, "{kvEventsConfig: {podDiscoveryConfig: {socketPort: "+n+"}}}")
		}
	}
	return all
}

// quantityMutants have quantities that are good, bad, too large and padded.
func quantityMutants() []mutant {
	values := []string{
		"0", "1", "5000", "-1", "-0", "1.5", "-0.4", "0.0000000001", "1k", "1K", "1Ki", "1ki", "1M", "1Mi", "1G", "1Gi", "1T", "1Ti", "1P", "1Pi", "1E", "1Ei", "7Ei", "8Ei", "9E", "10E", "16Ei", "20E", "100E", "100Ei",
		"9223372036854775807", "9223372036854775808", "18446744073709551616", "99999999999999999999999999", "1e3", "1E3", "1e30", "1e-3", "1e400", "1n", "1u", "1m", "1.k", ".5k", ".", "'5'", "' 5'", "'5 '", "'\\t5'", "'5 k'", "' 1Gi '", "''", "' '", "+5", "'+5'", "'--5'", "0x10", "'0x10'", "1_000", "many", "true", "null", "[1]", "{a: 1}", "'1kk'", "'1Kii'", "1.5.5", "'5\\n'", ".inf", "0b11", "0o17", "017",
	}
	fields := map[string]string{
		"bytes":         "  maxBytes: %s\n",
		"requests":      "  maxRequests: %s\n",
		"band-bytes":    "  priorityBands: [{priority: 1, maxBytes: %s}]\n",
		"band-requests": "  defaultPriorityBand:\n    maxRequests: %s\n",
	}
	var all []mutant
	for _, name := range []string{"bytes", "requests", "band-bytes", "band-requests"} {
		for i, value := range values {
			all = append(all, mutant{
				fmt.Sprintf("quantity-%s-%02d.yaml", name, i),
				mutantHeader + "featureGates: [flowControl]\n" + pluginList("queue-scorer") + "flowControl:\n" + fmt.Sprintf(fields[name], value),
			})
		}
	}
	return all
}

// durationMutants have times to live.
func durationMutants() []mutant {
	values := []string{
		"0s", "5s", "'5s'", "5", "'5'", "0", "'0'", "-5s", "1h30m", "1.5h", ".5s", "5.s", "1d", "' 5s'", "'5s '", "5S", "300ms", "300us", "300µs", "1ns", "2562047h", "2562048h", "9223372036s", "9223372037s", "''", "null", "true", "[5s]", "+5s", "1e3s", "5s5s", "-", "s", "-0s",
	}
	var all []mutant
	for _, name := range []string{"defaultRequestTTL", "crossReplicaSyncInterval"} {
		for i, value := range values {
			text := "featureGates: [flowControl]\n" + pluginList("queue-scorer") + "flowControl: {" + name + ": " + value + "}\n"
			if name == "crossReplicaSyncInterval" {
				text = pluginList("queue-scorer") + "dataLayer: {" + name + ": " + value + "}\n"
			}
			all = append(all, mutant{fmt.Sprintf("duration-%s-%02d.yaml", name, i), mutantHeader + text})
		}
	}
	return all
}

// tickMutants have intervals in seconds, of which the EPP makes tickers.
func tickMutants() []mutant {
	values := []string{"-1", "0", "1e-10", "9.9e-10", "1e-9", "0.5", "1", "300", "9e9", "9.223372036854775e9", "9.223372037e9", "1e10", "1e300", "1e400", "'1'", "null"}
	var all []mutant
	for i, value := range values {
		for _, typeName := range []string{"session-affinity-scorer", "session-affinity-filter"} {
			for _, name := range []string{"evictionSweepSeconds", "evictionTtlSeconds"} {
				all = append(all, mutant{
					fmt.Sprintf("ticks-%s-%s-%02d.yaml", typeName, name, i),
					mutantHeader + pluginList("queue-scorer") + "- {type: " + typeName + ", parameters: {strategy: session_id, sessionIdConfig: {" + name + ": " + value + "}}}\n",
				})
			}
		}
		for name, rest := range map[string]string{"sweep": "evictionSweepSeconds: " + value, "sweep-off": "evictionTtlSeconds: 0, evictionSweepSeconds: " + value, "ttl": "evictionTtlSeconds: " + value} {
			all = append(all, mutant{
				fmt.Sprintf("ticks-program-aware-fairness-%s-%02d.yaml", name, i),
				mutantHeader + pluginList("queue-scorer") + "- {type: program-aware-fairness, parameters: {" + rest + "}}\n",
			})
		}
	}
	slices.SortFunc(all, func(a, b mutant) int { return strings.Compare(a.name, b.name) })
	return all
}

// documentMutants are what a file may have around a configuration.
func documentMutants() []mutant {
	yaml := mutantHeader + pluginList("queue-scorer")
	bases := map[string]string{
		"yaml":  yaml,
		"json":  `{"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", "plugins": [{"type": "queue-scorer"}]}`,
		"flow":  `{apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig, plugins: [{type: queue-scorer}]}`,
		"bare":  pluginList("queue-scorer"),
		"wrong": mutantHeader + "plugins: [{type: no-such-type}]\n",
	}
	before := []string{
		"", "\n", "  ", "\n\n", "# c\n", "---\n", "--- # c\n", "---\n---\n", "---\n# c\n---\n", "---\n\n---\n", "---\n---\n---\n", "...\n", "...\n---\n", "---\n...\n---\n", "%YAML 1.1\n---\n", "%YAML 1.2\n---\n", "%YAML 1.0\n---\n", "%YAML 2.0\n---\n", "%YAML 1.1\n", "%TAG ! tag:x,2000:\n---\n", "%FOO bar\n---\n", "# c\n%YAML 1.1\n---\n", "%YAML 1.1\n%YAML 1.1\n---\n", "\ufeff", "\t", "a: 1\n---\n", "{}\n---\n", "null\n---\n", "~\n---\n", "[]\n---\n", "5\n---\n", "''\n---\n", "---\nnull\n---\n", "\x00",
	}
	after := []string{
		"\n# c\n", "\n", "\n\n", "  ", "\n---\n", "\n---\nkind: ConfigMap\n", "\n...\n", "\n...\nx\n", "\n}\n", "\n{}\n", "\n\"x\"\n", ",", "\nx: 1\n", "\n# c", "\n\t", "\n%YAML 1.1\n", "\n---\n%YAML 1.1\n---\n", "\x00", "\n---\n: :\n", "\n--- |\n x\n",
	}
	var all []mutant
	for _, base := range []string{"yaml", "json", "flow", "bare", "wrong"} {
		for i, text := range before {
			all = append(all, mutant{fmt.Sprintf("document-%s-before-%02d.yaml", base, i), text + bases[base]})
		}
		for i, text := range after {
			all = append(all, mutant{fmt.Sprintf("document-%s-after-%02d.yaml", base, i), strings.TrimSuffix(bases[base], "\n") + text})
		}
	}
	return all
}
