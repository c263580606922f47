// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"context"
	"time"
	_ "unsafe" // for linkname

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
)

// The controller exports no way to make one sync. These are its methods under names of this
// package; link.s lets them have no body here.

//go:linkname reconcileKey k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).reconcileKey
func reconcileKey(a *podautoscaler.HorizontalController, ctx context.Context, key string) (deleted bool, err error)

//go:linkname computeReplicasForMetric k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).computeReplicasForMetric
func computeReplicasForMetric(a *podautoscaler.HorizontalController, ctx context.Context, object *autoscalingv2.HorizontalPodAutoscaler,
	metric autoscalingv2.MetricSpec, spec, status int32, selector labels.Selector, seen *autoscalingv2.MetricStatus) (
	replicas int32, name string, at time.Time, condition autoscalingv2.HorizontalPodAutoscalerCondition, err error)
