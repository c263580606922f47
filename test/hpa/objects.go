// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	defaults "k8s.io/kubernetes/pkg/apis/autoscaling/v2"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// object returns the autoscaler of a spec, with the defaults of the API server.
func object(spec hpa.Spec) *autoscalingv2.HorizontalPodAutoscaler {
	o := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "target"},
			MaxReplicas:    spec.Max,
		},
	}
	if spec.Min != 0 {
		o.Spec.MinReplicas = &spec.Min
	}
	for i, m := range spec.Metrics {
		o.Spec.Metrics = append(o.Spec.Metrics, metricSpec(i, m))
	}
	if spec.Behavior != nil {
		o.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{
			ScaleUp:   rules(spec.Behavior.ScaleUp),
			ScaleDown: rules(spec.Behavior.ScaleDown),
		}
	}
	defaults.SetDefaults_HorizontalPodAutoscaler(o)
	return o
}

func metricSpec(i int, m hpa.Metric) autoscalingv2.MetricSpec {
	spec := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(m.Source)}
	identifier := autoscalingv2.MetricIdentifier{Name: metricName(i)}
	switch m.Source {
	case hpa.Resource:
		spec.Resource = &autoscalingv2.ResourceMetricSource{Name: resourceName(i, m), Target: target(m.Target)}
	case hpa.ContainerResource:
		spec.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: resourceName(i, m), Container: metricName(i), Target: target(m.Target)}
	case hpa.Pods:
		spec.Pods = &autoscalingv2.PodsMetricSource{Metric: identifier, Target: target(m.Target)}
	case hpa.Object:
		spec.Object = &autoscalingv2.ObjectMetricSource{Metric: identifier, Target: target(m.Target)}
	case hpa.External:
		spec.External = &autoscalingv2.ExternalMetricSource{Metric: identifier, Target: target(m.Target)}
	}
	return spec
}

// resourceName gives each metric a resource of its own. Stories have at most one of the CPU.
func resourceName(i int, m hpa.Metric) corev1.ResourceName {
	if m.CPU {
		return corev1.ResourceCPU
	}
	return corev1.ResourceName(metricName(i))
}

func target(t hpa.Target) autoscalingv2.MetricTarget {
	spec := autoscalingv2.MetricTarget{Type: autoscalingv2.MetricTargetType(t.Type)}
	switch t.Type {
	case hpa.Utilization:
		percent := int32(t.Value)
		spec.AverageUtilization = &percent
	case hpa.AverageValue:
		spec.AverageValue = quantity(t.Value)
	case hpa.Value:
		spec.Value = quantity(t.Value)
	}
	return spec
}

// quantity is read from its text, as the API server does.
func quantity(milli int64) *resource.Quantity {
	q := resource.MustParse(resource.NewMilliQuantity(milli, resource.DecimalSI).String())
	return &q
}

func rules(r *hpa.Rules) *autoscalingv2.HPAScalingRules {
	if r == nil {
		return nil
	}
	spec := &autoscalingv2.HPAScalingRules{}
	if r.Window != nil {
		seconds := int32(*r.Window / time.Second)
		spec.StabilizationWindowSeconds = &seconds
	}
	if r.Select != "" {
		selected := autoscalingv2.ScalingPolicySelect(r.Select)
		spec.SelectPolicy = &selected
	}
	for _, p := range r.Policies {
		spec.Policies = append(spec.Policies, autoscalingv2.HPAScalingPolicy{
			Type: autoscalingv2.HPAScalingPolicyType(p.Type), Value: p.Value, PeriodSeconds: int32(p.Period / time.Second),
		})
	}
	if r.Tolerance != nil {
		spec.Tolerance = quantity(*r.Tolerance)
	}
	return spec
}

func podName(i int) string { return fmt.Sprintf("p%d", i) }

// pod returns pod i of a sync. Its main container has the requests of the whole pod, and each
// ContainerResource has a container of its own, of which the pod's requests are 0.
func pod(start time.Time, metrics []hpa.Metric, now *Sync, i int) *corev1.Pod {
	p := &now.Scale.Pods[i]
	o := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: podName(i), Labels: map[string]string{"app": "x"}},
		Status:     corev1.PodStatus{Phase: corev1.PodPhase(p.Phase)},
	}
	if p.Terminating {
		deleted := metav1.Now()
		o.DeletionTimestamp = &deleted
	}
	if p.Readiness != hpa.NoCondition {
		began := at(start, p.Start)
		o.Status.StartTime = &began
		o.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionStatus(p.Readiness), LastTransitionTime: at(start, p.Transition),
		}}
	}
	o.Spec.Containers = []corev1.Container{container("main")}
	for m := range metrics {
		if metrics[m].Source == hpa.ContainerResource {
			o.Spec.Containers = append(o.Spec.Containers, container(metricName(m)))
		}
	}
	for m, metric := range metrics {
		if metric.Source == hpa.Resource || metric.Source == hpa.ContainerResource {
			request(o.Spec.Containers, m, metric, now.Observed[m].Readings[i].Request)
		}
	}
	return o
}

func container(name string) corev1.Container {
	return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{}}}
}

func request(containers []corev1.Container, m int, metric hpa.Metric, milli int64) {
	owner := "main"
	if metric.Source == hpa.ContainerResource {
		owner = metricName(m)
	}
	for _, c := range containers {
		switch {
		case c.Name != owner:
			c.Resources.Requests[resourceName(m, metric)] = *quantity(0)
		case milli >= 0:
			c.Resources.Requests[resourceName(m, metric)] = *quantity(milli)
		}
	}
}

// at returns a time of the story.
func at(start time.Time, t simtime.Time) metav1.Time {
	return metav1.NewTime(start.Add(time.Duration(t)))
}
