// SPDX-License-Identifier: Apache-2.0

package query

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// sinceMain are the versions whose flow control exports how full its bands are, since11 those that export the
// saturations of several detectors (llm-d-router pull request 2827).
var sinceMain, since11 = version.ParseRange("router-main.."), version.ParseRange("router-v0.11..")

// detectorSaturation is the saturation by the detectors of a max-saturation-detector.
var detectorSaturation = Metric{
	Names: []Name{{"llm_d_epp_flow_control_detector_saturation", since11}},
	Type:  Gauge, labels: []label{detectorName, stageName}, byDetector: true,
	Help:       "The load of a stage as a share of the limits of one of the detectors of a max-saturation-detector.",
	Difference: "There is a series for each detector and each stage that it is for and that endpoints of the router have. The EPP writes the metric when it dispatches, the simulation when it is scraped.",
	stages:     pooledStages[:2],
	absent: func(e *EPP) string {
		switch {
		case !e.FlowControl:
			return withoutFlowControl(e)
		case len(e.Detectors) == 0:
			return "the saturation detector is no max-saturation-detector"
		default:
			return ""
		}
	},
}

// pooledStages are the series of saturations of pools.
var pooledStages = []stage{
	{"prefill", func(s policy.Saturation) float64 { return s.Prefill }, func(e *EPP) bool { return e.hasStages() && e.Prefills }},
	{"decode", func(s policy.Saturation) float64 { return s.Decode }, func(e *EPP) bool { return e.hasStages() && e.Decodes }},
	{"effective", func(s policy.Saturation) float64 { return s.Effective }, nil},
}

// capacity returns how full the bands of flow control are.
func capacity(name, of string, share func(policy.QueuedBand) float64) Metric {
	return Metric{
		Names: []Name{{name, sinceMain}}, Type: Gauge, labels: []label{inferencePool, priority}, absent: withoutFlowControl,
		Help:       "How many of the " + of + " that it may hold a band of the EPP's flow control holds, 0 to 1.",
		Difference: "There is a series for each priority of the workload's clients, from the start of the run on. If a trace has requests, or a policy at the gateway sets priorities, there is one series, that of the fullest band.",
		band:       share, most: 1,
		gateway: func(s *autoscaling.Sample) (float64, bool) {
			fullest := 0.0
			for _, b := range s.Router.Bands {
				fullest = max(fullest, share(b))
			}
			return fullest, true
		},
	}
}
