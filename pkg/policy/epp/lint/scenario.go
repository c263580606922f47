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
	object  string // its kind and name
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
			object := text(child(root, "kind")) + " " + text(child(root, "metadata", "name"))
			all = append(all, scenarioContext{object, contextOf(scenario)})
		}
	}
}

// contextOf is what a scenario says of the EPPs and the engines.
func contextOf(scenario *yamlv3.Node) Context {
	var c Context
	router := child(scenario, "router")
	c.Replicas, _ = strconv.Atoi(text(child(router, "replicas")))
	c.ScrapeInterval, _ = time.ParseDuration(text(child(router, "metricsRefreshInterval")))
	for _, pool := range items(child(scenario, "pools")) {
		if size, err := strconv.Atoi(text(child(pool, "engine", "blockSize"))); err == nil {
			c.BlockTokens = size
		}
	}
	return c
}

// contextFor completes what is known otherwise by what the configuration's own
// manifest says.
func contextFor(source *files.Source, known Context, all []scenarioContext) Context {
	for _, s := range all {
		if strings.HasPrefix(source.Name, s.object+", ") {
			known.Replicas = cmp.Or(known.Replicas, s.context.Replicas)
			known.ScrapeInterval = cmp.Or(known.ScrapeInterval, s.context.ScrapeInterval)
			known.BlockTokens = cmp.Or(known.BlockTokens, s.context.BlockTokens)
		}
	}
	return known
}
