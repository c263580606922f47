// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// at is a pod of a role at a place: host, rack, zone, region; - where a label is
// absent.
func at(r, where string) map[string]string {
	labels := role(r)
	for i, name := range strings.Fields(where) {
		if name != "-" {
			labels[[]string{"kubernetes.io/hostname", "topology.kubernetes.io/rack", "topology.kubernetes.io/zone", "topology.kubernetes.io/region"}[i]] = name
		}
	}
	return labels
}

func TestTopologyAffinity(t *testing.T) {
	const extractor = ", {type: topology-extractor}"
	labels := []map[string]string{
		at("decode", "a r z x"), at("prefill", "a r z x"), at("prefill", "b r z x"), at("prefill", "c s z x"), at("prefill", "d t u x"), at("prefill", "e v w y"), role("prefill"),
	}
	all := []int{1, 2, 3, 4, 5, 6}
	byDistance := []float64{1, 0.2, 0.05, 0.02, 0, 0}
	cases := map[string]struct {
		handler, extractor, filter string
		labels                     []map[string]string
		want                       []int
		scores                     []float64
	}{
		"the same host":             {alwaysDisagg, extractor, "{}", labels, []int{1}, []float64{1}},
		"the same rack":             {alwaysDisagg, extractor, "{minAffinity: rack}", labels, []int{1, 2}, byDistance[:2]},
		"the same zone":             {alwaysDisagg, extractor, "{minAffinity: zone}", labels, []int{1, 2, 3}, byDistance[:3]},
		"the same region":           {alwaysDisagg, extractor, "{minAffinity: region}", labels, []int{1, 2, 3, 4}, byDistance[:4]},
		"nobody near":               {alwaysDisagg, extractor, "{}", append([]map[string]string{at("decode", "q r z x")}, labels[1:]...), all, []float64{0.2, 0.2, 0.05, 0.02, 0, 0}},
		"nobody knows of the peer":  {alwaysDisagg, extractor, "{}", append([]map[string]string{role("decode")}, labels[1:]...), all, make([]float64, 6)},
		"nobody tells":              {alwaysDisagg, "", "{}", labels, all, make([]float64, 6)},
		"another extractor":         {alwaysDisagg, ", {name: mine, type: topology-extractor}", "{}", labels, all, make([]float64, 6)},
		"labels of another name":    {alwaysDisagg, ", {type: topology-extractor, parameters: {hostname: llm-d.ai/role}}", "{}", labels, all, []float64{0.2, 0.2, 0.05, 0.02, 0, 0}},
		"the older handler is mute": {strings.ReplaceAll(alwaysDisagg, "disagg-profile-handler, parameters: {deciders: {prefill: always-disagg-pd-decider}}", "pd-profile-handler, parameters: {deciderPluginName: always-disagg-pd-decider}"), extractor, "{}", labels, all, make([]float64, 6)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			body := strings.Replace(disagg(tc.handler+tc.extractor+", {type: topology-affinity-scorer}, {type: topology-affinity-filter, parameters: "+tc.filter+"}"),
				"{pluginRef: prefill-filter}, {pluginRef: queue-scorer}", "{pluginRef: prefill-filter}, {pluginRef: topology-affinity-filter}, {pluginRef: topology-affinity-scorer}", 1)
			d := plant(t, body, tc.labels...).Decide(idle(7), request(0, 1)).Prefill
			if !slices.Equal(d.Candidates, tc.want) {
				t.Errorf("candidates %v, want %v", d.Candidates, tc.want)
			}
			if diff := cmp.Diff(tc.scores, d.Scores); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
	checkParameterFaults(t, "topology-affinity-filter", "{minAffinity: node}", `minAffinity: Unsupported value: "node": supported values: "host", "rack", "zone", "region"`)
	checkParameterFaults(t, "topology-extractor", "{node: x}", `node: Forbidden: unknown field; there are hostname, rack, region, zone`)
}

// With prefill first, it is the decode endpoint that looks for a near one.
func TestTopologyAffinityOfTheSecondStage(t *testing.T) {
	body := strings.Replace(disagg(prefillFirstDisagg+", {type: topology-extractor}, {type: topology-affinity-scorer}"),
		"{pluginRef: decode-filter}", "{pluginRef: decode-filter}, {pluginRef: topology-affinity-scorer, weight: 3}", 1)
	s := plant(t, body, at("prefill", "a"), at("decode", "b"), at("decode", "a"))
	if d, err := s.Route(idle(3), request(0, 1)); err != nil || d.Endpoint != 2 || d.Prefill != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestReportOfTopologyAffinity(t *testing.T) {
	const plugins = "{type: topology-affinity-scorer}, {type: topology-affinity-filter, parameters: {topologyProducerName: mine}}, {type: topology-extractor}"
	labelled := &config.Cluster{Endpoints: 1, Labels: []map[string]string{{"a": "b"}}}
	for name, tc := range map[string]struct {
		body    string
		cluster *config.Cluster
		want    string
	}{
		"two stages":       {disagg(alwaysDisagg + ", " + plugins), labelled, ""},
		"without labels":   {strings.ReplaceAll(disagg(alwaysDisagg+", "+plugins), "prefill-filter", "encoder-filter"), nil, "endpoints have no labels, and none is near to another"},
		"only one profile": {"plugins: [" + plugins + "]", labelled, "no profile knows the choice of another one, and no endpoint is near to another"},
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.ReplaceAll(tc.body, "{type: encoder-filter}", "{name: encoder-filter, type: label-selector-filter}")
			body = strings.ReplaceAll(body, "{pluginRef: queue-scorer}", "{pluginRef: queue-scorer}, {pluginRef: topology-affinity-scorer}, {pluginRef: topology-affinity-filter}")
			c, errs := Load([]byte(header+body), "", nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			for _, r := range c.Report(tc.cluster) {
				if strings.HasPrefix(r.Type, "topology-affinity-") && (r.Treatment != config.Exact || r.Note != tc.want) {
					t.Errorf("%+v, want note %q", r, tc.want)
				}
			}
			if warnings := strings.Join(c.Warnings(), "\n"); !strings.Contains(warnings, "parameters.topologyProducerName: no topology-extractor is named mine: no endpoint is near to another") {
				t.Errorf("warnings:\n%s", warnings)
			}
		})
	}
}
