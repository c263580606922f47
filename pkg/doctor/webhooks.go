// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// A webhook is one of either kind of configuration.
type webhook struct {
	config, name string
	rules        []admissionregistrationv1.RuleWithOperations
	policy       *admissionregistrationv1.FailurePolicyType
	service      *admissionregistrationv1.ServiceReference
}

// webhooks looks for webhooks of which no pod answers, and which refuse what the manager creates
// then.
func (c *Cluster) webhooks(ctx context.Context) []Finding {
	all, err := c.allWebhooks(ctx)
	if err != nil {
		return cannot("list webhooks", err)
	}
	var found []Finding
	for _, w := range all {
		if w.service == nil || w.policy != nil && *w.policy == admissionregistrationv1.Ignore || !slices.ContainsFunc(w.rules, concerns) {
			continue
		}
		ready, err := c.hasEndpoints(ctx, w.service)
		if err != nil {
			return cannot(fmt.Sprintf("list the EndpointSlices of namespace %s", w.service.Namespace), err)
		}
		if !ready {
			found = append(found, one(Fail, fmt.Sprintf("kubectl get pods -n %s%s", w.service.Namespace, c.Flags),
				"no pod answers webhook %s of %s (service %s/%s), and without an answer it refuses the objects that the manager creates", w.name, w.config, w.service.Namespace, w.service.Name)...)
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, "", "no webhook without pods refuses Jobs, pods, ConfigMaps, runs or sweeps")
}

func (c *Cluster) allWebhooks(ctx context.Context) ([]webhook, error) {
	var all []webhook
	var validating admissionregistrationv1.ValidatingWebhookConfigurationList
	if err := c.List(ctx, admissionregistrationv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations"), "", metav1.ListOptions{}, &validating); err != nil {
		return nil, err
	}
	for i := range validating.Items {
		for _, w := range validating.Items[i].Webhooks {
			all = append(all, webhook{validating.Items[i].Name, w.Name, w.Rules, w.FailurePolicy, w.ClientConfig.Service})
		}
	}
	var mutating admissionregistrationv1.MutatingWebhookConfigurationList
	if err := c.List(ctx, admissionregistrationv1.SchemeGroupVersion.WithResource("mutatingwebhookconfigurations"), "", metav1.ListOptions{}, &mutating); err != nil {
		return nil, err
	}
	for i := range mutating.Items {
		for _, w := range mutating.Items[i].Webhooks {
			all = append(all, webhook{mutating.Items[i].Name, w.Name, w.Rules, w.FailurePolicy, w.ClientConfig.Service})
		}
	}
	return all, nil
}

// created are what the manager and people create, by group.
var created = map[string][]string{
	"": {"pods", "configmaps", "serviceaccounts"}, "batch": {"jobs"}, "rbac.authorization.k8s.io": {"rolebindings"},
	v1alpha1.GroupVersion.Group: plurals,
}

// concerns reports whether a rule is about what the manager or a person creates.
func concerns(rule admissionregistrationv1.RuleWithOperations) bool {
	has := func(list []string, word string) bool {
		return slices.Contains(list, word) || slices.Contains(list, "*")
	}
	creates := slices.ContainsFunc(rule.Operations, func(o admissionregistrationv1.OperationType) bool {
		return o == admissionregistrationv1.Create || o == admissionregistrationv1.OperationAll
	})
	for group, resources := range created { // in any order
		if creates && has(rule.APIGroups, group) && slices.ContainsFunc(resources, func(r string) bool { return has(rule.Resources, r) }) {
			return true
		}
	}
	return false
}

// hasEndpoints reports whether a pod of a service is ready.
func (c *Cluster) hasEndpoints(ctx context.Context, service *admissionregistrationv1.ServiceReference) (bool, error) {
	var slicesOf discoveryv1.EndpointSliceList
	err := c.List(ctx, discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), service.Namespace,
		metav1.ListOptions{LabelSelector: labels.FormatLabels(map[string]string{discoveryv1.LabelServiceName: service.Name})}, &slicesOf)
	if err != nil {
		return false, err
	}
	for i := range slicesOf.Items {
		if slices.ContainsFunc(slicesOf.Items[i].Endpoints, func(e discoveryv1.Endpoint) bool { return e.Conditions.Ready == nil || *e.Conditions.Ready }) {
			return true, nil
		}
	}
	return false, nil
}
