// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Kinds of the objects beside a live run's Job.
var (
	kindDeployment    = appsv1.SchemeGroupVersion.WithKind("Deployment")
	kindService       = corev1.SchemeGroupVersion.WithKind("Service")
	kindNetworkPolicy = networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")
)

// metadataOf is an object of a kind of which only the metadata is read.
func metadataOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind)
	return object
}

// metadataListOf is a list of such objects.
func metadataListOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	return list
}

// listEngines lists what the subject has beside the Jobs of live runs.
func (o *observer) listEngines(ctx context.Context, w *observation, own []client.ListOption) error {
	if w.subject.kind() != v1alpha1.SimulationRunKind {
		return nil
	}
	var deployments appsv1.DeploymentList
	if err := o.cache.List(ctx, &deployments, own...); err != nil {
		return fmt.Errorf("list Deployments: %w", err)
	}
	for i := range deployments.Items {
		deployments.Items[i].SetGroupVersionKind(kindDeployment)
		w.children.engines = append(w.children.engines, &deployments.Items[i])
	}
	for _, kind := range []schema.GroupVersionKind{kindNetworkPolicy, kindService} {
		list := metadataListOf(kind)
		if err := o.cache.List(ctx, list, own...); err != nil {
			return fmt.Errorf("list %s: %w", kind.Kind, err)
		}
		for i := range list.Items {
			list.Items[i].SetGroupVersionKind(kind)
			w.children.engines = append(w.children.engines, &list.Items[i])
		}
	}
	return nil
}

// missingEngines asks the API server for what a live run's Job needs and the cache lacks, and for the
// addresses at which the pod of the Job may reach that server.
func (o *observer) missingEngines(ctx context.Context, w *observation) error {
	job := w.liveJob()
	if job == "" {
		return nil
	}
	w.noteEngines(job)
	var lacking []client.Object
	for _, want := range makeEngines(w.subject, w.plan, job, w.image, nil) {
		if w.children.engine(want) == nil {
			lacking = append(lacking, want)
		}
	}
	for _, want := range lacking {
		there := metadataOf(want.GetObjectKind().GroupVersionKind())
		found, err := o.child(ctx, w, want.GetName(), there)
		if err != nil {
			return err
		}
		if found {
			w.children.engines = append(w.children.engines, there)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	var err error
	w.apiServers, err = o.apiServers(ctx)
	return err
}

// noteEngines notes why replicas of a Job do not become ready, where its pods have no trouble of their own.
func (w *observation) noteEngines(job string) {
	current := w.currentJob()
	for _, object := range w.children.engines {
		d, is := object.(*appsv1.Deployment)
		if is && current != nil && d.Labels[LabelJob] == job && w.job.warnings[current.UID] == "" {
			w.job.warnings[current.UID] = enginesTrouble(d)
		}
	}
}

// liveJob is the Job of a live run that is to be created or has not ended; "" without one.
func (w *observation) liveJob() string {
	if w.plan == nil || w.plan.Live == nil || w.results.study == nil || w.results.study.over() {
		return ""
	}
	if w.task != nil {
		return w.task.job
	}
	job := w.currentJob()
	if job == nil || job.DeletionTimestamp != nil {
		return ""
	}
	if done, _ := finished(job); done {
		return ""
	}
	return job.Name
}

// apiServers are the addresses of the API server behind its Service.
func (o *observer) apiServers(ctx context.Context) ([]netip.AddrPort, error) {
	var slice discoveryv1.EndpointSlice
	if err := o.live.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceDefault, Name: "kubernetes"}, &slice); err != nil {
		return nil, fmt.Errorf("read the addresses of the API server: %w", err)
	}
	var all []netip.AddrPort
	for _, endpoint := range slice.Endpoints {
		for _, address := range endpoint.Addresses {
			at, err := netip.ParseAddr(address)
			if err != nil {
				return nil, fmt.Errorf("read the addresses of the API server: %w", err)
			}
			for _, port := range slice.Ports {
				all = append(all, netip.AddrPortFrom(at, uint16(ptr.Deref(port.Port, 443)))) //nolint:gosec // a port
			}
		}
	}
	slices.SortFunc(all, netip.AddrPort.Compare)
	return all, nil
}
