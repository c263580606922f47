// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// blisInferencePerf takes over a description of inference-perf, as inference-sim expands
// it: each question is different, and no stage waits for the answers of the one before.
func (c *converter) blisInferencePerf(in *object) {
	client := v1alpha1.Client{Name: "users", Class: "standard"}
	if stages := in.children("stages"); len(stages) > 0 {
		from, to := c.staged(len(stages), in.at("stages"))
		until := c.traffic.Horizon.Duration
		c.ratedStages(stages, from, to, 0, in.at("stages"), &client)
		if until != "" {
			c.traffic.Horizon.Duration = until
		}
		if len(stages) == 1 {
			c.note("inference-sim sends exactly rate times duration requests; here their number is random")
		}
	} else {
		in.demand("state the stages", "stages")
	}
	if shared := in.required("shared_prefix"); shared != nil {
		c.sharedPrefix(shared, &client)
		shared.done()
	}
	client.Prompts = nil
	if client.Copies != nil {
		client.Copies.Arrivals = v1alpha1.RandomArrivals
		c.note("inference-sim makes each system prompt a tenant; here all requests are of one")
	}
	in.done()
	c.traffic.Workload.Clients = []v1alpha1.Client{client}
}

// archive is how the name of a tar archive ends.
var archive = regexp.MustCompile(`\.(tar|tar\.gz|tgz)$`)

// blisServeGen takes over a folder of ServeGen as a trace that describes clients.
func (c *converter) blisServeGen(in *object) {
	in.demand("", "path")
	in.refuse("a part of three times of a day, which inference-sim puts together by its seed, cannot be carried: state time_window, or none for all of the data",
		"window_duration_secs", "drain_timeout_secs")
	in.refuse("has no unit that all versions of inference-sim agree on: state slice of the trace", "span_start", "span_end")
	path := in.text("path", "")
	t := &v1alpha1.Trace{Format: v1alpha1.ServeGenTrace, File: &path}
	if path != "" && !archive.MatchString(path) {
		folder := path
		path += ".tar.gz"
		c.note("pack the folder first: tar -czf %s -C %s .", path, folder)
	}
	if start, known := map[string]float64{"midnight": 0, "morning": 8 * hour, "afternoon": 14 * hour}[in.word("time_window", "", "midnight", "morning", "afternoon")]; known {
		const length = hour / 2
		t.Slice = &v1alpha1.TraceSlice{From: span(start), To: spanPositive(start + length)}
		if c.traffic.Horizon.Duration == "" {
			c.traffic.Horizon.Duration = spanPositive(length)
		}
	}
	in.done()
	if path == "" {
		c.fault(field.Required(field.NewPath("servegen_data", "path"), "must name the folder of the data"))
	}
	c.note("inference-sim makes cohorts of the data, with lengths averaged over clients, in SLO classes that it draws; here the clients of the data send requests, in one class")
	c.traffic.Workload.Trace = t
}
