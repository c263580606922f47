// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"cmp"
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
		c.Endpoints += count(pool, "replicas") * count(pool, "dataParallelism")
		c.Tiers = max(c.Tiers, 1+len(items(child(pool, "kvCache", "tiers"))))
	}
	for _, client := range items(child(scenario, "workload", "clients")) {
		tokens, _ := strconv.Atoi(text(child(client, "prefix", "tokens")))
		alone := child(client, "sessions") == nil && child(client, "prompts") == nil && child(client, "prefix", "examples") == nil
		if alone && tokens > 0 && (c.SharedTokens == 0 || tokens < c.SharedTokens) {
			c.SharedTokens = tokens
		}
	}
	return c
}

// count is a number of a pool, 1 unless it is given.
func count(pool *yamlv3.Node, name string) int {
	n, err := strconv.Atoi(text(child(pool, name)))
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
	return known
}
