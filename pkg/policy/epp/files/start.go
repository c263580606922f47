// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	yamlv3 "go.yaml.in/yaml/v3"
)

// A Start is what a file says of how the EPP of a configuration is started: Helm values
// in the same file, the Deployment that mounts its ConfigMap or has it as --config-text, or the
// LLMInferenceService of KServe that has it. What it does not say is zero.
type Start struct {
	// By names what starts the EPP with the configuration: an object, or the values.
	By string
	// Replicas is how many EPPs serve the pool at once: one, if they elect a leader.
	Replicas int
	// Standby is how many EPPs more wait for the leader to fail.
	Standby int
	// ScrapeInterval is the flag --refresh-metrics-interval.
	ScrapeInterval time.Duration
	// Experimental is the flag --allow-experimental-plugins.
	Experimental bool
	// Tokenizes says that a controller gives the token-producer a vLLM that renders prompts.
	Tokenizes bool
	// OtherFile is the configuration that the EPP reads in place of this one, and OtherLine
	// the line that names it.
	OtherFile string
	OtherLine int
}

// Unread says that the EPP reads another configuration; "" where it does not.
func (s *Start) Unread() string {
	if s.OtherFile == "" {
		return ""
	}
	return "the EPP does not read this configuration: pluginsConfigFile names " + s.OtherFile
}

// merge completes what is said of a configuration.
func (s *Start) merge(more *Start) {
	if s.By == "" {
		s.By = more.By
	}
	if s.Replicas == 0 {
		s.Replicas, s.Standby = more.Replicas, more.Standby
	}
	if s.ScrapeInterval == 0 {
		s.ScrapeInterval = more.ScrapeInterval
	}
	s.Experimental = s.Experimental || more.Experimental
	s.Tokenizes = s.Tokenizes || more.Tokenizes
	if s.OtherFile == "" {
		s.OtherFile, s.OtherLine = more.OtherFile, more.OtherLine
	}
}

// The flags of the EPP that a [Start] knows.
const (
	scrapeFlag       = "refresh-metrics-interval"
	experimentalFlag = "allow-experimental-plugins"
	leaderFlag       = "ha-enable-leader-election"
)

// NewStart is what flags say of how a number of EPPs is started by an object, or by values. A number of 0 is not
// known.
func NewStart(by string, replicas int, flags map[string]string) Start {
	s := Start{By: by, Replicas: replicas}
	if leader, _ := strconv.ParseBool(flags[leaderFlag]); leader {
		s.Standby = max(s.Replicas-1, 0)
		s.Replicas -= s.Standby
	}
	s.ScrapeInterval, _ = time.ParseDuration(flags[scrapeFlag])
	s.Experimental, _ = strconv.ParseBool(flags[experimentalFlag])
	return s
}

// startOf is what an object or Helm values say of the configurations in them. KServe deploys a tokenizer for
// the configuration of a service and states its URL (withInjectTokenProducerConfig of kserve v0.20).
func startOf(n *yamlv3.Node, in *Source) (s Start, ok bool) {
	if kind := scalarAt(n, "kind"); kind == "LLMInferenceService" || kind == "LLMInferenceServiceConfig" {
		return Start{Tokenizes: true}, true
	}
	return startOfValues(n, in)
}

// startOfValues is what Helm values of an EPP say: those of llm-d's charts, which have the
// configurations in pluginsCustomConfig. From two replicas on, the charts state --ha-enable-leader-election
// before the flags of the values (routerlib/templates/_deployment.yaml of llm-d-router v0.10).
func startOfValues(values *yamlv3.Node, in *Source) (s Start, ok bool) {
	configs := childOf(values, "pluginsCustomConfig")
	if configs == nil {
		return s, false
	}
	flags := map[string]string{leaderFlag: "true"}
	for _, name := range []string{scrapeFlag, experimentalFlag, leaderFlag} {
		flags[name] = cmp.Or(scalarAt(values, "flags", name), flags[name])
	}
	for _, flag := range itemsAt(values, "flags") { // older charts have a list
		flags[scalarAt(flag, "name")] = scalarAt(flag, "value")
	}
	replicas, _ := strconv.Atoi(scalarAt(values, "replicas"))
	s = NewStart("Helm values", replicas, flags)
	if file := childOf(values, "pluginsConfigFile"); file != nil && file.Value != "" && childOf(configs, file.Value) == nil {
		s.OtherFile = file.Value
		s.OtherLine, _ = in.Position(file.Line, 1)
	}
	return s, true
}

// A deployment is how an object starts the EPP, and which ConfigMaps it reads.
type deployment struct {
	start      Start
	configMaps []string
	file       string // the name of --config-file, without its folder
	inline     bool   // whether the object has the configuration itself
}

// deploymentOf reads a Deployment, as helm template prints it, or the scheduler of an
// LLMInferenceService of KServe.
func deploymentOf(root *yamlv3.Node) (d deployment, ok bool) {
	by, flags := nodeAt(root, "spec"), map[string]string{}
	pod := nodeAt(by, "template", "spec")
	switch scalarAt(root, "kind") {
	default:
		return d, false
	case "Deployment":
	case "LLMInferenceService":
		by = nodeAt(by, "router", "scheduler")
		pod = nodeAt(by, "template")
		flags[leaderFlag] = "true" // KServe adds it where there are several EPPs
		if ref := nodeAt(by, "config", "ref"); ref != nil {
			flags["config-file"] = scalarAt(ref, "key")
			d.configMaps = []string{scalarAt(ref, "name")}
		}
		d.inline = nodeAt(by, "config", "inline") != nil
	}
	for _, container := range itemsAt(pod, "containers") {
		takeFlags(flags, append(itemsAt(container, "command"), itemsAt(container, "args")...))
	}
	replicas, _ := strconv.Atoi(scalarAt(by, "replicas"))
	d.start = NewStart(objectLabel(root), replicas, flags)
	for _, volume := range itemsAt(pod, "volumes") {
		if name := scalarAt(volume, "configMap", "name"); name != "" {
			d.configMaps = append(d.configMaps, name)
		}
	}
	file, ok := flags["config-file"]
	d.file = path.Base(file)
	_, inline := flags["config-text"]
	d.inline = d.inline || inline
	return d, ok || d.inline
}

// takeFlags reads arguments: --name=value, --name value, and --name for true. The last one counts.
func takeFlags(flags map[string]string, args []*yamlv3.Node) {
	for i, arg := range args {
		flag, ok := strings.CutPrefix(arg.Value, "-")
		name, value, given := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		switch {
		case !ok:
			continue
		case !given && i+1 < len(args) && !strings.HasPrefix(args[i+1].Value, "-"):
			value = args[i+1].Value
		case !given:
			value = "true"
		}
		flags[name] = value
	}
}

// starts reports whether the Deployment's EPP reads a configuration of that name.
func (d *deployment) starts(name string) bool {
	if d.inline && strings.HasPrefix(name, d.start.By+", ") {
		return true
	}
	for _, configMap := range d.configMaps {
		if name == fmt.Sprintf("ConfigMap %s, data[%s]", configMap, d.file) || name == fmt.Sprintf("ConfigMap %s, data.%s", configMap, d.file) {
			return true
		}
	}
	return false
}

// nodeAt returns what stands below keys of a mapping, or nil.
func nodeAt(n *yamlv3.Node, keys ...string) *yamlv3.Node {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		n = childOf(n, key)
	}
	return n
}

// scalarAt is the scalar below keys of a mapping, or "".
func scalarAt(n *yamlv3.Node, keys ...string) string {
	if n = nodeAt(n, keys...); n == nil || n.Kind != yamlv3.ScalarNode {
		return ""
	}
	return n.Value
}

// itemsAt are the items of the list below a key of a mapping.
func itemsAt(n *yamlv3.Node, key string) []*yamlv3.Node {
	if n = nodeAt(n, key); n == nil || n.Kind != yamlv3.SequenceNode {
		return nil
	}
	return n.Content
}
