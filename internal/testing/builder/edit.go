// SPDX-License-Identifier: Apache-2.0

package builder

import (
	"time"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// A ScenarioEdit changes a scenario: one of those below, or a function of a
// test's own.
type ScenarioEdit func(*v1alpha1.Scenario)

// Requests ends arrivals after n.
func Requests(n int64) ScenarioEdit {
	return func(s *v1alpha1.Scenario) { s.Horizon.Requests = ptr.To(n) }
}

// Duration ends arrivals after a simulated time.
func Duration(d time.Duration) ScenarioEdit {
	return func(s *v1alpha1.Scenario) { s.Horizon.Duration = v1alpha1.PositiveDuration(d.String()) }
}

// Replicas sets the size of the first pool.
func Replicas(n int32) ScenarioEdit {
	return func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = n }
}

// PickerConfig gives the router an EPP configuration in place.
func PickerConfig(inline string) ScenarioEdit {
	return func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Inline: ptr.To(inline)}
	}
}

// PickerConfigFrom takes the router's EPP configuration from a ConfigMap.
func PickerConfigFrom(name, key string) ScenarioEdit {
	return func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{
			ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: name, Key: key},
		}
	}
}

// Client adds a client of the class "default" with its own prefix group. rate
// is in requests a second.
func Client(name, rate string) ScenarioEdit {
	return func(s *v1alpha1.Scenario) { s.Workload.Clients = append(s.Workload.Clients, makeClient(name, rate)) }
}

// TraceFrom replays a trace of a ConfigMap in place of the clients.
func TraceFrom(format v1alpha1.TraceFormat, name, key string) ScenarioEdit {
	return func(s *v1alpha1.Scenario) {
		s.Workload = v1alpha1.Workload{Trace: &v1alpha1.Trace{
			Format:       format,
			ConfigMapRef: &v1alpha1.ConfigMapKeyReference{Name: name, Key: key},
		}}
	}
}

// TraceFile replays a file in place of the clients.
func TraceFile(format v1alpha1.TraceFormat, path string) ScenarioEdit {
	return func(s *v1alpha1.Scenario) {
		s.Workload = v1alpha1.Workload{Trace: &v1alpha1.Trace{Format: format, File: ptr.To(path)}}
	}
}

// SLO adds a bound on a class's TTFT, such as 500ms.
func SLO(class, ttft string) ScenarioEdit {
	return func(s *v1alpha1.Scenario) { s.SLOs = append(s.SLOs, makeSLO(class, ttft)) }
}

// NoSLOs takes all of them away.
func NoSLOs(s *v1alpha1.Scenario) { s.SLOs = nil }

func makeSLO(class, ttft string) v1alpha1.SLO {
	return v1alpha1.SLO{Class: class, TTFT: v1alpha1.PositiveDuration(ttft)}
}
