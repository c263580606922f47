// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	autoscalinglisters "k8s.io/client-go/listers/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

const (
	namespace = "ns"
	name      = "hpa"
	key       = namespace + "/" + name
)

// init removes the error handlers: they wait for a while after the last error, which is 26 years
// for the clock of a bubble. Only the end of a controller reports an error.
func init() { utilruntime.ErrorHandlers = nil }

// controller is the real controller in a cluster of one autoscaler. The cluster is a few
// objects in memory: nothing is watched, and each sync reads what the test has put there.
type controller struct {
	real    *podautoscaler.HorizontalController
	objects cache.Indexer
	pods    cache.Indexer
	scale   *scale
	metrics *metrics
	stored  *autoscalingv2.HorizontalPodAutoscaler
}

// newController returns a controller for one autoscaler. Its clock is that of the bubble.
func newController(t *testing.T, stored *autoscalingv2.HorizontalPodAutoscaler, o hpa.Options) *controller {
	ctx, stop := context.WithCancel(t.Context())
	namespaces := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	hpas := hpaInformer{cache.NewSharedIndexInformer(&cache.ListWatch{}, &autoscalingv2.HorizontalPodAutoscaler{}, 0, maps.Clone(namespaces))}
	pods := podInformer{cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.Pod{}, 0, maps.Clone(namespaces))}
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{apps})
	mapper.Add(apps.WithKind("Deployment"), meta.RESTScopeNamespace)
	c := &controller{
		objects: hpas.Informer().GetIndexer(),
		pods:    pods.Informer().GetIndexer(),
		scale:   &scale{},
		metrics: &metrics{},
		stored:  stored,
	}
	c.real = podautoscaler.NewHorizontalController(ctx, events{}, c.scale, statuses{c: c}, mapper, c.metrics, hpas, pods,
		o.SyncPeriod, o.DownscaleStabilisation, o.Tolerance, o.CPUInitialisation, o.InitialReadinessDelay)
	t.Cleanup(func() {
		stop()
		c.real.Run(ctx, 0) // stops the queue's goroutines
	})
	return c
}

// sync runs one reconciliation. Its error says that a metric failed; the conditions say so too.
func (c *controller) sync(ctx context.Context) error {
	if err := c.objects.Replace([]any{c.stored.DeepCopy()}, ""); err != nil {
		return err
	}
	_, err := reconcileKey(c.real, ctx, key)
	return err
}

// proposal asks the controller for the proposal of one metric, which its status does not show.
func (c *controller) proposal(ctx context.Context, i int) hpa.Proposal {
	var status autoscalingv2.MetricStatus
	replicas, _, _, condition, err := computeReplicasForMetric(c.real, ctx, c.stored.DeepCopy(), c.stored.Spec.Metrics[i],
		c.scale.Scale.Spec.Replicas, c.scale.Scale.Status.Replicas, labels.SelectorFromSet(labels.Set{"app": "x"}), &status)
	if err != nil {
		return hpa.Proposal{Failed: hpa.Reason(condition.Reason)}
	}
	p := hpa.Proposal{Replicas: replicas}
	current := currentValue(&status)
	switch {
	case c.scale.Scale.Status.Replicas == 0 && (status.Object != nil || status.External != nil) && current.AverageValue != nil:
		// The controller divides by 0, and what it shows depends on the processor.
	case current.AverageValue != nil:
		p.Usage = current.AverageValue.MilliValue()
	case current.Value != nil:
		p.Usage = current.Value.MilliValue()
	}
	if current.AverageUtilization != nil {
		p.Utilization = *current.AverageUtilization
	}
	return p
}

func currentValue(s *autoscalingv2.MetricStatus) *autoscalingv2.MetricValueStatus {
	switch {
	case s.Resource != nil:
		return &s.Resource.Current
	case s.ContainerResource != nil:
		return &s.ContainerResource.Current
	case s.Pods != nil:
		return &s.Pods.Current
	case s.Object != nil:
		return &s.Object.Current
	default:
		return &s.External.Current
	}
}

// condition returns a condition of the status, which is empty before the controller sets it.
func (c *controller) condition(kind autoscalingv2.HorizontalPodAutoscalerConditionType) autoscalingv2.HorizontalPodAutoscalerCondition {
	for _, condition := range c.stored.Status.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return autoscalingv2.HorizontalPodAutoscalerCondition{}
}

// reason returns the reason of a condition.
func (c *controller) reason(kind autoscalingv2.HorizontalPodAutoscalerConditionType) hpa.Reason {
	return hpa.Reason(c.condition(kind).Reason)
}

var nameInMessage = regexp.MustCompile(`\bm\d\b`)

// chosen returns the index of the metric that the controller followed, which it only names in a
// message.
func (c *controller) chosen() int {
	message := c.condition(autoscalingv2.ScalingActive).Message
	if strings.Contains(message, "cpu") {
		return c.metrics.cpu
	}
	return index(nameInMessage.FindString(message))
}

type hpaInformer struct{ informer cache.SharedIndexInformer }

func (i hpaInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i hpaInformer) Lister() autoscalinglisters.HorizontalPodAutoscalerLister {
	return autoscalinglisters.NewHorizontalPodAutoscalerLister(i.informer.GetIndexer())
}

type podInformer struct{ informer cache.SharedIndexInformer }

func (i podInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i podInformer) Lister() corelisters.PodLister {
	return corelisters.NewPodLister(i.informer.GetIndexer())
}

// scale is the scale subresource of the target.
type scale struct {
	scaleclient.ScaleInterface
	autoscalingv1.Scale
	written bool
}

func (s *scale) Scales(string) scaleclient.ScaleInterface { return s }

func (s *scale) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return s.Scale.DeepCopy(), nil
}

func (s *scale) Update(_ context.Context, _ schema.GroupResource, to *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	s.written = true
	s.Spec.Replicas = to.Spec.Replicas
	return to, nil
}

// statuses keeps the status that the controller writes.
type statuses struct {
	autoscalingclient.HorizontalPodAutoscalerInterface
	c *controller
}

func (s statuses) HorizontalPodAutoscalers(string) autoscalingclient.HorizontalPodAutoscalerInterface {
	return s
}

func (s statuses) UpdateStatus(_ context.Context, written *autoscalingv2.HorizontalPodAutoscaler, _ metav1.UpdateOptions) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	s.c.stored.Status = *written.Status.DeepCopy()
	return written, nil
}

// events drops the events of the controller.
type events struct{ coreclient.EventInterface }

func (e events) Events(string) coreclient.EventInterface { return e }

func (events) CreateWithEventNamespace(e *corev1.Event) (*corev1.Event, error) {
	return e, nil
}

func (events) PatchWithEventNamespace(e *corev1.Event, _ []byte) (*corev1.Event, error) {
	return e, nil
}

// metricName is how metric i is known in the cluster.
func metricName(i int) string { return "m" + string(rune('0'+i)) }
