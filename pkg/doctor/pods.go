// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// networkPolicies looks for policies that keep worker pods from the API server, to which they write
// their results.
func (c *Cluster) networkPolicies(ctx context.Context) []Finding {
	var all networkingv1.NetworkPolicyList
	if err := c.List(ctx, networkingv1.SchemeGroupVersion.WithResource("networkpolicies"), c.Namespace, metav1.ListOptions{}, &all); err != nil {
		return cannot("list NetworkPolicies", err)
	}
	var isolating []string
	allowed := false
	for i := range all.Items {
		p := &all.Items[i]
		selector, err := metav1.LabelSelectorAsSelector(&p.Spec.PodSelector)
		if err != nil || !selector.Matches(labels.Set(c.WorkerLabels)) || !limitsEgress(&p.Spec) {
			continue
		}
		isolating = append(isolating, p.Name)
		allowed = allowed || slices.ContainsFunc(p.Spec.Egress, reachesServer)
	}
	switch {
	case len(isolating) == 0:
		return one(OK, "", "no NetworkPolicy of namespace %s limits where worker pods connect to", c.Namespace)
	case !allowed:
		return one(Fail, fmt.Sprintf("kubectl apply -n %s -k config/network-policy/worker%s", c.Namespace, c.Flags),
			"NetworkPolicies keep worker pods of namespace %s from the API server (TCP 443 and 6443), so that no results come: %s", c.Namespace, listed(isolating))
	}
	return one(OK, "", "worker pods may connect to the API server (NetworkPolicies %s)", listed(isolating))
}

func limitsEgress(spec *networkingv1.NetworkPolicySpec) bool {
	return len(spec.Egress) > 0 || slices.Contains(spec.PolicyTypes, networkingv1.PolicyTypeEgress)
}

// reachesServer reports whether a rule lets pods connect to an API server. The address of the server
// is not that of a pod as a rule, so that peers which are pods alone do not count.
func reachesServer(rule networkingv1.NetworkPolicyEgressRule) bool {
	peers := len(rule.To) == 0 || slices.ContainsFunc(rule.To, func(p networkingv1.NetworkPolicyPeer) bool { return p.IPBlock != nil })
	return peers && (len(rule.Ports) == 0 || slices.ContainsFunc(rule.Ports, isServerPort))
}

// serverPorts are the usual ones of API servers.
var serverPorts = []int32{443, 6443}

func isServerPort(p networkingv1.NetworkPolicyPort) bool {
	if p.Protocol != nil && *p.Protocol != corev1.ProtocolTCP {
		return false
	}
	if p.Port == nil {
		return true
	}
	if p.Port.Type == intstr.String {
		return p.Port.StrVal == "https"
	}
	last := p.Port.IntVal
	if p.EndPort != nil {
		last = *p.EndPort
	}
	return slices.ContainsFunc(serverPorts, func(n int32) bool { return n >= p.Port.IntVal && n <= last })
}

// quotas looks for quotas that leave no room for one worker pod.
func (c *Cluster) quotas(ctx context.Context) []Finding {
	var all corev1.ResourceQuotaList
	if err := c.List(ctx, corev1.SchemeGroupVersion.WithResource("resourcequotas"), c.Namespace, metav1.ListOptions{}, &all); err != nil {
		return cannot("list ResourceQuotas", err)
	}
	var found []Finding
	for i := range all.Items {
		q := &all.Items[i]
		for _, name := range sortedNames(q.Status.Hard) {
			hard, used, needs := q.Status.Hard[name], q.Status.Used[name], c.need(name)
			room := hard.DeepCopy()
			room.Sub(used)
			if needs != nil && room.Cmp(*needs) < 0 {
				found = append(found, one(Fail, fmt.Sprintf("kubectl describe resourcequota %s -n %s%s", q.Name, c.Namespace, c.Flags),
					"ResourceQuota %s leaves %s of %s, and a worker pod needs %s: it refuses the pod", q.Name, room.String(), name, needs.String())...)
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, "", "the %d ResourceQuotas of namespace %s leave room for a worker pod", len(all.Items), c.Namespace)
}

// need is what one worker pod takes of a quota; nil where the quota does not concern it.
func (c *Cluster) need(name corev1.ResourceName) *resource.Quantity {
	single := resource.NewQuantity(1, resource.DecimalSI)
	of := func(list corev1.ResourceList, name corev1.ResourceName) *resource.Quantity {
		if q, ok := list[name]; ok {
			return &q
		}
		return nil
	}
	switch name {
	case corev1.ResourcePods, "count/pods", "count/jobs.batch", corev1.ResourceConfigMaps, "count/configmaps":
		return single
	case corev1.ResourceRequestsCPU, corev1.ResourceCPU:
		return of(c.WorkerRequests, corev1.ResourceCPU)
	case corev1.ResourceRequestsMemory, corev1.ResourceMemory:
		return of(c.WorkerRequests, corev1.ResourceMemory)
	case corev1.ResourceLimitsCPU:
		return of(c.WorkerLimits, corev1.ResourceCPU)
	case corev1.ResourceLimitsMemory:
		return of(c.WorkerLimits, corev1.ResourceMemory)
	}
	return nil
}

// limitRanges looks for limits that refuse a worker's container.
func (c *Cluster) limitRanges(ctx context.Context) []Finding {
	var all corev1.LimitRangeList
	if err := c.List(ctx, corev1.SchemeGroupVersion.WithResource("limitranges"), c.Namespace, metav1.ListOptions{}, &all); err != nil {
		return cannot("list LimitRanges", err)
	}
	var found []Finding
	for i := range all.Items {
		l := &all.Items[i]
		for _, item := range l.Spec.Limits {
			if item.Type != corev1.LimitTypeContainer && item.Type != corev1.LimitTypePod {
				continue
			}
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				limit, request := c.WorkerLimits[name], c.WorkerRequests[name]
				most, bounded := item.Max[name]
				least, atLeast := item.Min[name]
				describe := fmt.Sprintf("kubectl describe limitrange %s -n %s%s", l.Name, c.Namespace, c.Flags)
				if bounded && limit.Cmp(most) > 0 {
					found = append(found, one(Fail, describe, "LimitRange %s allows at most %s of %s, and a worker's limit is %s: set spec.execution.resources", l.Name, most.String(), name, limit.String())...)
				}
				if atLeast && request.Cmp(least) < 0 {
					found = append(found, one(Fail, describe, "LimitRange %s demands at least %s of %s, and a worker requests %s: set spec.execution.resources", l.Name, least.String(), name, request.String())...)
				}
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, "", "the %d LimitRanges of namespace %s allow a worker pod", len(all.Items), c.Namespace)
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	var names []corev1.ResourceName
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
