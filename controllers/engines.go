// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"net/netip"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/worker"
)

const (
	portHTTP     = 8000
	portKVEvents = experiment.LiveEventsPort
	// maxDeploymentName leaves room for what is appended to make a pod's name of at most 63
	// characters: a hash of ten and five random ones.
	maxDeploymentName = 63 - len("-0123456789-xxxxx")
	// enginesTimeout is how long replicas may take to become ready before the status says why not,
	// in seconds.
	enginesTimeout = 120
)

// deploymentName names the replicas of a pool. It has no digest where it fits, so that a scaler of the
// user's may name it too.
func deploymentName(object, pool string) string {
	whole := object + "-" + pool
	return worker.Shorten(strings.ReplaceAll(whole, ".", "-"), whole, maxDeploymentName)
}

// serviceName names the Service of a pool. It begins with a letter, as such a name must.
func serviceName(job string, pool int) string { return fmt.Sprintf("live-%s-%d", job, pool) }

// makeEngines makes what the pod of a live run's Job needs beside it: the replicas of each pool, a
// Service that finds them, and the limits of who reaches whom.
func makeEngines(s subject, p *subjectPlan, job, image string, apiServers []netip.AddrPort) []client.Object {
	e := engineMaker{subject: s, plan: p, job: job, image: image}
	objects := []client.Object{e.enginesPolicy(), e.livePolicy(apiServers)}
	for i := range p.Live.Pools {
		objects = append(objects, e.service(i), e.deployment(&p.Live.Pools[i]))
	}
	return objects
}

// engineMaker makes the objects beside a live run's Job.
type engineMaker struct {
	subject    subject
	plan       *subjectPlan
	job, image string
}

// selector are labels that the replicas of a Job have, and nothing else.
func (e engineMaker) selector() map[string]string {
	return map[string]string{LabelComponent: ComponentEngine, LabelJob: e.job}
}

func (e engineMaker) selectorOf(pool string) map[string]string {
	return mergeLabel(e.selector(), LabelPool, pool)
}

func (e engineMaker) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace:       e.subject.object().GetNamespace(),
		Name:            name,
		Labels:          mergeLabel(childLabels(e.subject, ComponentEngine, e.plan.hash), LabelJob, e.job),
		OwnerReferences: []metav1.OwnerReference{ownerReference(e.subject)},
	}
}

func (e engineMaker) service(pool int) *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: e.meta(serviceName(e.job, pool)),
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone,
			Selector:  e.selectorOf(e.plan.Live.Pools[pool].Name),
			Ports:     []corev1.ServicePort{{Name: "http", Port: portHTTP, TargetPort: intstr.FromString("http")}},
		},
	}
}

func (e engineMaker) deployment(pool *experiment.LivePool) *appsv1.Deployment {
	meta := e.meta(deploymentName(e.subject.object().GetName(), pool.Name))
	template := corev1.PodTemplateSpec{
		// Not the pool's labels, which the EPP reads from a file: an InferencePool of the namespace that
		// selects them would send its requests to simulated replicas.
		ObjectMeta: metav1.ObjectMeta{Labels: mergeLabel(meta.Labels, LabelPool, pool.Name)},
		Spec:       e.podSpec(pool.Name),
	}
	execution := e.subject.execution()
	override(&template, &execution.PodOverrides)
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas:                ptr.To(pool.Replicas),
			Selector:                &metav1.LabelSelector{MatchLabels: e.selectorOf(pool.Name)},
			ProgressDeadlineSeconds: ptr.To(int32(enginesTimeout)),
			RevisionHistoryLimit:    ptr.To(int32(0)),
			Template:                template,
		},
	}
}

func (e engineMaker) podSpec(pool string) corev1.PodSpec {
	spec := restrictedPod(e.image, podResources(e.subject.execution().Resources), []string{
		"engine", "--plan=" + planFolder, "--inputs=" + inputsFolder, "--pool=" + pool, "--replicas=1", "--address=$(POD_IP)",
		fmt.Sprintf("--port=%d", portHTTP), fmt.Sprintf("--kv-events=tcp://*:%d", portKVEvents), "--enable-prompt-tokens-details", "--rehearsal",
	})
	spec.TerminationGracePeriodSeconds = ptr.To(int64(5))
	mount(&spec, "plan", planFolder, keysOf(planName(e.plan.prefix), worker.PlanFile))
	mountTraces(&spec, e.plan)
	c := &spec.Containers[0]
	c.Name, c.Command = "engine", []string{liveProgram}
	c.Env = append(c.Env, corev1.EnvVar{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}})
	c.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: portHTTP}, {Name: "kv-events", ContainerPort: portKVEvents}}
	c.ReadinessProbe = &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/health", Port: intstr.FromString("http")}},
		PeriodSeconds: 2,
	}
	return spec
}

// enginesPolicy lets the pods of the namespace reach the replicas, which reach nothing.
func (e engineMaker) enginesPolicy() *networkingv1.NetworkPolicy {
	return e.policy("engines", e.selector(), networkingv1.NetworkPolicySpec{
		Ingress: []networkingv1.NetworkPolicyIngressRule{{
			From:  []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}},
			Ports: tcpPorts(portHTTP, portKVEvents),
		}},
	})
}

// livePolicy lets the pod of the Job reach the replicas, the API server, which takes its results, and
// name servers. No pod reaches it.
func (e engineMaker) livePolicy(apiServers []netip.AddrPort) *networkingv1.NetworkPolicy {
	dns := append(tcpPorts(53), networkingv1.NetworkPolicyPort{Protocol: ptr.To(corev1.ProtocolUDP), Port: ptr.To(intstr.FromInt32(53))})
	egress := []networkingv1.NetworkPolicyEgressRule{
		{To: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: e.selector()}}}, Ports: tcpPorts(portHTTP, portKVEvents)},
		{Ports: dns},
	}
	for _, at := range apiServers {
		egress = append(egress, networkingv1.NetworkPolicyEgressRule{
			To:    []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: netip.PrefixFrom(at.Addr(), at.Addr().BitLen()).String()}}},
			Ports: tcpPorts(int32(at.Port())),
		})
	}
	return e.policy("live", map[string]string{batchv1.JobNameLabel: e.job}, networkingv1.NetworkPolicySpec{Egress: egress})
}

func (e engineMaker) policy(of string, pods map[string]string, spec networkingv1.NetworkPolicySpec) *networkingv1.NetworkPolicy {
	spec.PodSelector.MatchLabels = pods
	spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: e.meta(e.job + "-" + of),
		Spec:       spec,
	}
}

func tcpPorts(ports ...int32) []networkingv1.NetworkPolicyPort {
	var all []networkingv1.NetworkPolicyPort
	for _, port := range ports {
		all = append(all, networkingv1.NetworkPolicyPort{Protocol: ptr.To(corev1.ProtocolTCP), Port: ptr.To(intstr.FromInt32(port))})
	}
	return all
}

// enginesTrouble says why replicas do not become ready; "" where nothing says so.
func enginesTrouble(d *appsv1.Deployment) string {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue ||
			c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse {
			return fmt.Sprintf("Deployment %s: %d of %d replicas are ready: %s", d.Name, d.Status.ReadyReplicas, ptr.Deref(d.Spec.Replicas, 1), c.Message)
		}
	}
	return ""
}
