// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"context"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	scaleclient "k8s.io/client-go/scale"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// cluster has a Deployment and its pods that are ready.
type cluster struct {
	client.Client
	lock     sync.RWMutex
	replicas int32
	ready    int32
	written  bool
}

func (c *cluster) Scales(string) scaleclient.ScaleInterface { return scales{c: c} }

// Get returns the Deployment. KEDA gets nothing else.
func (c *cluster) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	deployment, ok := into.(*appsv1.Deployment)
	if !ok {
		return fmt.Errorf("no object of type %T", into)
	}
	deployment.Spec.Replicas = &c.replicas
	return nil
}

// List returns the pods that are ready. KEDA lists nothing else.
func (c *cluster) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	pods, ok := into.(*corev1.PodList)
	if !ok {
		return fmt.Errorf("no list of type %T", into)
	}
	for range c.ready {
		pods.Items = append(pods.Items, corev1.Pod{Status: corev1.PodStatus{
			Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		}})
	}
	return nil
}

// Status drops patches: the object in memory has the failures that KEDA counts.
func (c *cluster) Status() client.SubResourceWriter { return statuses{} }

type statuses struct{ client.SubResourceWriter }

func (statuses) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return nil
}

type scales struct {
	scaleclient.ScaleInterface
	c *cluster
}

func (s scales) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: s.c.replicas}}, nil
}

func (s scales) Update(_ context.Context, _ schema.GroupResource, to *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	s.c.replicas, s.c.written = to.Spec.Replicas, true
	return to, nil
}
