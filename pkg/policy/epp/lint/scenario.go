// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// A scenarioContext is what a manifest of Windtunnel says of the cluster.
type scenarioContext struct {
	// sources is how the names of the configurations begin that it is about: the
	// object's kind and name, and the field of one of several routers.
	sources string
	context Context
}

// scenarios are those of a file, as far as it can be read.
func scenarios(file []byte) []scenarioContext {
	var all []scenarioContext
	for documents := yamlv3.NewDecoder(bytes.NewReader(file)); ; {
		var document yamlv3.Node
		if documents.Decode(&document) != nil {
			return all
		}
		if len(document.Content) == 0 {
			continue
		}
		root := document.Content[0]
		if scenario := child(root, "spec", "scenario"); scenario != nil {
			object := text(child(root, "kind")) + " " + text(child(root, "metadata", "name")) + ", "
			for i, router := range items(child(scenario, "routers")) {
				sources := object + "spec.scenario.routers[" + strconv.Itoa(i) + "]."
				all = append(all, scenarioContext{sources: sources, context: contextOf(scenario, router, text(child(router, "model")))})
			}
			all = append(all, scenarioContext{sources: object, context: contextOf(scenario, child(scenario, "router"), "")})
		}
	}
}

// contextOf is what a scenario says of the EPPs of a router and of the engines that serve a
// model; of all engines where the model is empty.
func contextOf(scenario, router *yamlv3.Node, model string) Context {
	var c Context
	c.Replicas, _ = strconv.Atoi(text(child(router, "replicas")))
	c.ScrapeInterval, _ = time.ParseDuration(text(child(router, "metricsRefreshInterval")))
	for _, pool := range items(child(scenario, "pools")) {
		if model != "" && text(child(pool, "model")) != model {
			continue
		}
		if size, err := strconv.Atoi(text(child(pool, "engine", "blockSize"))); err == nil {
			c.BlockTokens = size
		}
		c.Endpoints += ports(scenario, pool)
		c.Tiers = max(c.Tiers, 1+len(items(child(pool, "kvCache", "tiers"))))
	}
	c.SharedTokens = sharedTokens(child(scenario, "workload"), model)
	return c
}

// sharedTokens is the longest prefix of the clients of a model; 0 if some prompts share more than a prefix, or may.
func sharedTokens(workload *yamlv3.Node, model string) int {
	if child(workload, "trace") != nil || child(workload, "traces") != nil {
		return 0
	}
	longest := 0
	for _, client := range items(child(workload, "clients")) {
		if model != "" && text(child(client, "model")) != model {
			continue
		}
		for _, more := range [][]string{{"preset"}, {"sessions"}, {"prompts"}, {"prefix", "examples"}} {
			if child(client, more...) != nil {
				return 0
			}
		}
		tokens, _ := strconv.Atoi(text(child(client, "prefix", "tokens")))
		longest = max(longest, tokens)
	}
	return longest
}

// maximum finds the maximum of replicas in the manifest of an autoscaler.
var maximum = regexp.MustCompile(`\bmax(?:Replicas|ReplicaCount)["']?[ \t]*:[ \t]*["']?([0-9]+)`)

// ports is how many endpoints a pool has at most: ranks behind one port are one.
func ports(scenario, pool *yamlv3.Node) int {
	replicas := count(pool, "replicas")
	for _, scaler := range items(child(scenario, "scalers")) {
		if !slices.ContainsFunc(items(child(scaler, "pools")), func(p *yamlv3.Node) bool { return text(p) == text(child(pool, "name")) }) {
			continue
		}
		replicas = max(replicas, count(scaler, "maxReplicas"))
		for _, source := range []string{"horizontalPodAutoscaler", "scaledObject", "podAutoscaler"} {
			if found := maximum.FindStringSubmatch(text(child(scaler, source, "inline"))); found != nil {
				most, _ := strconv.Atoi(found[1])
				replicas = max(replicas, most)
			}
		}
	}
	if text(child(pool, "dataParallelBalancing")) == "Internal" {
		return replicas
	}
	return replicas * count(pool, "dataParallelism")
}

// count is a number of a pool or a scaler, 1 unless it is given.
func count(of *yamlv3.Node, name string) int {
	n, err := strconv.Atoi(text(child(of, name)))
	if err != nil {
		return 1
	}
	return n
}

// contextFor completes what is known otherwise by what the configuration's own
// manifest says, or the chart that starts its EPP.
func contextFor(source *files.Source, known Context, all []scenarioContext) Context {
	for _, s := range all {
		if strings.HasPrefix(source.Name, s.sources) {
			known.Replicas = cmp.Or(known.Replicas, s.context.Replicas)
			known.ScrapeInterval = cmp.Or(known.ScrapeInterval, s.context.ScrapeInterval)
			known.BlockTokens = cmp.Or(known.BlockTokens, s.context.BlockTokens)
			known.Endpoints = cmp.Or(known.Endpoints, s.context.Endpoints)
			known.Tiers = cmp.Or(known.Tiers, s.context.Tiers)
			known.SharedTokens = cmp.Or(known.SharedTokens, s.context.SharedTokens)
		}
	}
	known.Replicas = cmp.Or(known.Replicas, source.Start.Replicas)
	known.ScrapeInterval = cmp.Or(known.ScrapeInterval, source.Start.ScrapeInterval)
	known.Experimental = known.Experimental || source.Start.Experimental
	known.Tokenizes = known.Tokenizes || source.Start.Tokenizes
	return known
}
