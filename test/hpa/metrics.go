// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"context"
	"errors"
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

var errMetric = errors.New("no metric")

// metrics are the metrics APIs. Each metric is known by the name that metricName gives it, but
// for the CPU's.
type metrics struct {
	start time.Time
	// cpu is the index of the CPU's metric.
	cpu      int
	observed []hpa.Observation
}

// index returns the index of a metric by its name.
func index(name string) int {
	var i int
	if _, err := fmt.Sscanf(name, "m%d", &i); err != nil {
		return -1
	}
	return i
}

func (m *metrics) GetResourceMetric(_ context.Context, resource corev1.ResourceName, _ string, _ labels.Selector, container string) (metricsclient.PodMetricsInfo, time.Time, error) {
	switch {
	case container != "":
		return m.readings(index(container))
	case resource == corev1.ResourceCPU:
		return m.readings(m.cpu)
	default:
		return m.readings(index(string(resource)))
	}
}

func (m *metrics) GetRawMetric(name, _ string, _, _ labels.Selector) (metricsclient.PodMetricsInfo, time.Time, error) {
	return m.readings(index(name))
}

func (m *metrics) readings(i int) (metricsclient.PodMetricsInfo, time.Time, error) {
	if m.observed[i].Failed {
		return nil, time.Time{}, errMetric
	}
	samples := metricsclient.PodMetricsInfo{}
	for pod, r := range m.observed[i].Readings {
		if r.Sampled {
			samples[podName(pod)] = metricsclient.PodMetric{Timestamp: at(m.start, r.At).Time, Window: r.Window, Value: r.Value}
		}
	}
	return samples, time.Now(), nil
}

func (m *metrics) GetObjectMetric(name, _ string, _ *autoscalingv2.CrossVersionObjectReference, _ labels.Selector) (int64, time.Time, error) {
	values, now, err := m.values(name)
	if err != nil {
		return 0, now, err
	}
	return values[0], now, nil
}

func (m *metrics) GetExternalMetric(name, _ string, _ labels.Selector) ([]int64, time.Time, error) {
	return m.values(name)
}

func (m *metrics) values(name string) ([]int64, time.Time, error) {
	o := m.observed[index(name)]
	if o.Failed || len(o.Values) == 0 {
		return nil, time.Time{}, errMetric
	}
	return o.Values, time.Now(), nil
}
