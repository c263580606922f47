// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/starter"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

// A servingPool is an InferencePool of a cluster with its EPP and its engines. It is read, and never written.
type servingPool struct {
	client *kube.Client
	key    types.NamespacedName
	// ready are the replicas that are ready, by the name of what they belong to.
	ready map[string]int64
}

// read returns what runs now: the replicas are those that are ready.
func (p *servingPool) read(ctx context.Context) (*deployment.Cluster, error) {
	pool, err := p.inferencePool(ctx)
	if err != nil {
		return nil, fmt.Errorf("read InferencePool %s: %w", p.key, err)
	}
	p.ready = map[string]int64{}
	files := []deployment.File{pool}
	for _, kind := range []struct {
		of   schema.GroupVersion
		name string
	}{
		{schema.GroupVersion{Group: "apps", Version: "v1"}, "Deployment"},
		{schema.GroupVersion{Group: "apps", Version: "v1"}, "StatefulSet"},
		{schema.GroupVersion{Group: "leaderworkerset.x-k8s.io", Version: "v1"}, "LeaderWorkerSet"},
	} {
		more, err := p.workloads(ctx, kind.of.WithKind(kind.name))
		if err != nil {
			return nil, fmt.Errorf("read the %ss of namespace %s: %w", kind.name, p.key.Namespace, err)
		}
		files = append(files, more...)
	}
	c, err := deployment.Read(files, deployment.Options{Catalogue: latency.Builtin(), Pool: p.key.Name})
	switch {
	case err != nil:
		return nil, fmt.Errorf("InferencePool %s: %w", p.key, err)
	case c.Described:
		return nil, fmt.Errorf("InferencePool %s selects no engine of vLLM", p.key)
	}
	return c, nil
}

// inferencePool reads the pool in the newest version that the cluster has.
func (p *servingPool) inferencePool(ctx context.Context) (f deployment.File, err error) {
	for _, of := range []schema.GroupVersion{
		{Group: "inference.networking.k8s.io", Version: "v1"}, {Group: "inference.networking.x-k8s.io", Version: "v1alpha2"},
	} {
		var o unstructured.Unstructured
		if err = p.client.Get(ctx, of.WithResource("inferencepools"), p.key, &o); err == nil {
			return manifestOf(&o, of.WithKind("InferencePool"))
		}
		if !apierrors.IsNotFound(err) {
			break
		}
	}
	return f, err
}

// workloads are the objects of a kind, none where the cluster does not have it, and the ConfigMaps of EPPs among them.
func (p *servingPool) workloads(ctx context.Context, kind schema.GroupVersionKind) ([]deployment.File, error) {
	var list unstructured.UnstructuredList
	err := p.client.List(ctx, kind.GroupVersion().WithResource(strings.ToLower(kind.Kind)+"s"), p.key.Namespace, metav1.ListOptions{}, &list)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	var files []deployment.File
	for i := range list.Items {
		o := &list.Items[i]
		ready, _, _ := unstructured.NestedInt64(o.Object, "status", "readyReplicas")
		if err := unstructured.SetNestedField(o.Object, ready, "spec", "replicas"); err != nil {
			return nil, err
		}
		p.ready[kind.Kind+" "+o.GetName()] = ready
		f, err := manifestOf(o, kind)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		if strings.Contains(string(f.Text), "config-file") {
			more, err := p.configMaps(ctx, o)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
		}
	}
	return files, err
}

// configMaps are those that the pods of an EPP mount.
func (p *servingPool) configMaps(ctx context.Context, o *unstructured.Unstructured) (files []deployment.File, err error) {
	volumes, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "volumes")
	for _, volume := range volumes {
		of, _ := volume.(map[string]any)
		name, _, _ := unstructured.NestedString(of, "configMap", "name")
		if name == "" {
			continue
		}
		var m unstructured.Unstructured
		if err := p.client.Get(ctx, kube.ConfigMaps, types.NamespacedName{Namespace: p.key.Namespace, Name: name}, &m); err != nil {
			return nil, fmt.Errorf("ConfigMap %s of %s: %w", name, o.GetName(), err)
		}
		f, err := manifestOf(&m, kube.ConfigMaps.GroupVersion().WithKind("ConfigMap"))
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func manifestOf(o *unstructured.Unstructured, kind schema.GroupVersionKind) (deployment.File, error) {
	o.SetGroupVersionKind(kind)
	text, err := o.MarshalJSON()
	return deployment.File{Name: "the cluster", Text: text}, err
}

// take gives a scenario the replicas of the cluster, but those of pools with an autoscaler, and the configuration of the EPP.
func (p *servingPool) take(s *v1alpha1.Scenario, c *deployment.Cluster) error {
	for i := range c.Pools {
		in := &c.Pools[i]
		at := slices.IndexFunc(s.Pools, func(to v1alpha1.Pool) bool { return to.Name == in.Name })
		if len(s.Pools) == 1 && len(c.Pools) == 1 {
			at = 0
		}
		switch {
		case at < 0:
			return fmt.Errorf("%s of InferencePool %s is no pool of the scenario: name it %s there", in.From, p.key, in.Name)
		case p.ready[in.From] == 0:
			return fmt.Errorf("no replica of %s is ready", in.From)
		case slices.ContainsFunc(s.Scalers, func(of v1alpha1.Scaler) bool { return slices.Contains(of.Pools, s.Pools[at].Name) }):
			continue
		}
		s.Pools[at].Replicas = in.Replicas
	}
	to := &s.Router
	if len(s.Routers) > 0 {
		at := slices.IndexFunc(s.Routers, func(r v1alpha1.ModelRouter) bool { return r.PoolName() == p.key.Name })
		if at < 0 {
			return errors.New("no router of the scenario is that of InferencePool " + p.key.Name)
		}
		to = &s.Routers[at].Router
	}
	in := &c.Routers[0].Picker
	text := cmp.Or(in.Text, starter.DefaultPicker)
	to.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: cmp.Or(in.Version, to.EndpointPickerConfig.Version, "auto"), Inline: &text}
	to.Policies, to.Replicas = nil, max(1, int32(in.Replicas))
	if in.RefreshInterval > 0 {
		to.MetricsRefreshInterval = v1alpha1.RefreshInterval(in.RefreshInterval.String())
	}
	return nil
}

// changes says how a scenario differs from the one before.
func changes(before, after *v1alpha1.Scenario) string {
	var all []string
	rest := after.DeepCopy()
	for i := range rest.Pools {
		at := slices.IndexFunc(before.Pools, func(p v1alpha1.Pool) bool { return p.Name == rest.Pools[i].Name })
		if at >= 0 && before.Pools[at].Replicas != rest.Pools[i].Replicas {
			all = append(all, fmt.Sprintf("pool %s: %d → %d replicas", rest.Pools[i].Name, before.Pools[at].Replicas, rest.Pools[i].Replicas))
			rest.Pools[i].Replicas = before.Pools[at].Replicas
		}
	}
	if !equality.Semantic.DeepEqual(before.Router, rest.Router) || !equality.Semantic.DeepEqual(before.Routers, rest.Routers) {
		all = append(all, "the EPP has another configuration")
		rest.Router, rest.Routers = before.Router, before.Routers
	}
	if !equality.Semantic.DeepEqual(before, rest) {
		all = append(all, "the run has another scenario")
	}
	return strings.Join(all, "; ")
}
