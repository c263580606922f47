// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/fallback"
	"github.com/kedacore/keda/v2/pkg/scaling/executor"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/metrics/pkg/apis/external_metrics"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
)

// operator is KEDA with one ScaledObject, whose target is a Deployment. The cluster is a few
// objects in memory.
type operator struct {
	executor executor.ScaleExecutor
	object   *kedav1alpha1.ScaledObject
	cluster  *cluster
}

func newOperator(spec keda.Spec) *operator {
	c := &cluster{}
	return &operator{
		executor: executor.NewScaleExecutor(c, c, nil, time.Second, &events.FakeRecorder{}),
		object:   scaledObject(spec),
		cluster:  c,
	}
}

// request makes the decision of one poll.
func (o *operator) request(t *testing.T, replicas int32, active, failed bool) keda.PollResult {
	o.cluster.replicas, o.cluster.written = replicas, false
	result := o.executor.RequestScale(t.Context(), o.object.DeepCopy(), active, failed, executor.ScaleExecutorOptions{})
	if result.Error != nil {
		t.Fatal(result.Error)
	}
	if result.LastActiveTime != nil {
		o.object.Status.LastActiveTime = stored(t, result.LastActiveTime)
	}
	d := keda.PollResult{Write: o.cluster.written, Active: keda.Reason(result.Conditions.GetActiveCondition().Reason)}
	if d.Write {
		d.Replicas = o.cluster.replicas
	}
	return d
}

// stored returns a time as the API server keeps it.
func stored(t *testing.T, at *metav1.Time) *metav1.Time {
	text, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	var kept metav1.Time
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	return &kept
}

// observe returns what the autoscaler gets for a trigger.
func (o *operator) observe(t *testing.T, spec keda.Spec, trigger int, target keda.Target, a keda.Answer) hpa.Observation {
	o.cluster.replicas, o.cluster.ready = target.Replicas, target.Ready
	handler := fallback.ScaledObjectHandler{Ctx: t.Context(), KubeClient: o.cluster, ScaleClient: o.cluster, UpdateLock: &o.cluster.lock, ScaledObject: o.object}
	metric := metricSpec(trigger, spec.Triggers[trigger].Metric)
	var failure error
	var values []external_metrics.ExternalMetricValue
	if a.Failed {
		failure = errors.New("the trigger failed")
	} else {
		values = []external_metrics.ExternalMetricValue{{Value: *rounded(a.Value)}}
	}
	values, _, err := fallback.GetMetricsWithFallback(handler, values, failure, metric.External.Metric.Name, metric)
	if err != nil {
		return hpa.Observation{Failed: true}
	}
	var seen hpa.Observation
	for _, v := range values {
		seen.Values = append(seen.Values, v.Value.MilliValue())
	}
	return seen
}

// rounded is how the scalers make quantities; pkg/scalers has it, with the clients of all sources.
func rounded(value float64) *resource.Quantity {
	q := resource.MustParse(fmt.Sprintf("%.3f", value))
	return &q
}

func metricSpec(i int, m hpa.Metric) autoscalingv2.MetricSpec {
	target := autoscalingv2.MetricTarget{Type: autoscalingv2.MetricTargetType(m.Target.Type)}
	if m.Target.Type == hpa.Value {
		target.Value = rounded(float64(m.Target.Value) / 1000)
	} else {
		target.AverageValue = rounded(float64(m.Target.Value) / 1000)
	}
	return autoscalingv2.MetricSpec{
		Type:     autoscalingv2.ExternalMetricSourceType,
		External: &autoscalingv2.ExternalMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: fmt.Sprintf("s%d", i)}, Target: target},
	}
}

func scaledObject(spec keda.Spec) *kedav1alpha1.ScaledObject {
	o := &kedav1alpha1.ScaledObject{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "object", CreationTimestamp: metav1.Now(), Annotations: annotations(spec.Annotations)},
		Spec:       kedav1alpha1.ScaledObjectSpec{ScaleTargetRef: &kedav1alpha1.ScaleTarget{Name: "target"}, IdleReplicaCount: spec.Idle},
	}
	o.Status.ScaleTargetGVKR = &kedav1alpha1.GroupVersionKindResource{Group: "apps", Version: "v1", Kind: "Deployment", Resource: "deployments"}
	if spec.Min != 0 {
		o.Spec.MinReplicaCount = &spec.Min
	}
	if spec.Max != 0 {
		o.Spec.MaxReplicaCount = &spec.Max
	}
	if spec.Cooldown != nil {
		o.Spec.CooldownPeriod = seconds(*spec.Cooldown)
	}
	if spec.InitialCooldown != 0 {
		o.Spec.InitialCooldownPeriod = seconds(spec.InitialCooldown)
	}
	if spec.Polling != 0 {
		o.Spec.PollingInterval = seconds(spec.Polling)
	}
	if f := spec.Fallback; f != nil {
		o.Spec.Fallback = &kedav1alpha1.Fallback{FailureThreshold: f.FailureThreshold, Replicas: f.Replicas, Behavior: string(f.Behavior)}
		if f.Behavior == "" {
			o.Spec.Fallback.Behavior = kedav1alpha1.FallbackBehaviorStatic
		}
	}
	return o
}

// annotations are those of an object, written in the ways that KEDA reads.
func annotations(a keda.Annotations) map[string]string {
	return map[string]string{
		kedav1alpha1.PausedAnnotation:          strconv.FormatBool(a.Paused),
		kedav1alpha1.PausedScaleInAnnotation:   strconv.FormatBool(a.PausedIn),
		kedav1alpha1.PausedScaleOutAnnotation:  strconv.FormatBool(a.PausedOut),
		kedav1alpha1.ForceActivationAnnotation: strconv.FormatBool(a.Forced),
	}
}

func seconds(d time.Duration) *int32 {
	s := int32(d / time.Second)
	return &s
}
