// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/live/epp/launch"
)

// The pod of a live run's Job has the EPP beside its worker. Before both, a container waits for the
// replicas and writes the files with which an EPP of llm-d needs no Kubernetes. The EPP is a program of
// the user's: it has no token of the worker's account. With priorities it reads Kubernetes; then one more
// container serves what it reads there, and is ready before the EPP starts, which otherwise ends.

const (
	liveProgram    = "/windtunnel-live" // beside the program of the other pods
	pickerFolder   = "/run/windtunnel/epp"
	tokenFolder    = "/var/run/secrets/kubernetes.io/serviceaccount" //nolint:gosec // a path
	containerEPP   = "epp"
	containerFirst = "prepare"
	portGRPC       = 9002
	portHealth     = 9003
	portMetrics    = 9090
	portObjects    = 9004
	portSpans      = 4317
)

// makeLivePod makes the pod of a worker that of a live run.
func makeLivePod(spec *corev1.PodSpec, s subject, p *subjectPlan, job string) {
	mount(spec, "epp", pickerFolder, emptyFolder("16Mi"))
	c := &spec.Containers[0]
	c.VolumeMounts[len(c.VolumeMounts)-1].ReadOnly = false // the endpoints change
	c.Command = []string{liveProgram}
	spans := fmt.Sprintf("127.0.0.1:%d", portSpans)
	engines := []string{"--folder=" + pickerFolder}
	for i := range p.Live.Pools {
		engines = append(engines, fmt.Sprintf("--engines=%s=%s:%d", p.Live.Pools[i].Name, serviceName(job, i), portHTTP))
	}
	c.Args = append([]string{
		"worker", "--plan=" + planFolder, "--round=" + roundFolder, "--inputs=" + inputsFolder,
		fmt.Sprintf("--epp=127.0.0.1:%d", portGRPC), fmt.Sprintf("--epp-health=127.0.0.1:%d", portHealth),
		"--spans=" + spans,
	}, engines...)

	first := *c.DeepCopy()
	first.Name = containerFirst
	first.Args = append([]string{"prepare", "--plan=" + planFolder, "--inputs=" + inputsFolder, fmt.Sprintf("--objects=127.0.0.1:%d", portObjects)}, engines...)
	first.VolumeMounts = withoutToken(first.VolumeMounts)
	picker := corev1.Container{
		Name:                     containerEPP,
		Image:                    p.Live.Image,
		Args:                     append(launch.Flags(pickerFolder, portGRPC, portHealth, portMetrics), p.Live.Args...),
		Resources:                podResources(s.execution().Resources),
		VolumeMounts:             withoutToken([]corev1.VolumeMount{{Name: "epp", MountPath: pickerFolder, ReadOnly: true}}),
		RestartPolicy:            ptr.To(corev1.ContainerRestartPolicyAlways),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		SecurityContext:          c.SecurityContext.DeepCopy(),
	}
	for _, variable := range launch.Environment(pickerFolder, spans) {
		name, value, _ := strings.Cut(variable, "=")
		picker.Env = append(picker.Env, corev1.EnvVar{Name: name, Value: value})
	}
	spec.InitContainers = []corev1.Container{first}
	if p.Live.Priorities {
		spec.InitContainers = append(spec.InitContainers, objectsContainer(&first, picker.VolumeMounts))
	}
	spec.InitContainers = append(spec.InitContainers, picker)
	spec.TerminationGracePeriodSeconds = ptr.To(int64(10)) // the EPP waits for all of it
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "no-token", VolumeSource: emptyFolder("1Mi")})
}

// objectsContainer serves what an EPP reads from Kubernetes. It has a port of the pod, where the kubelet asks
// whether it has started: the EPP waits for that.
func objectsContainer(first *corev1.Container, mounts []corev1.VolumeMount) corev1.Container {
	c := *first.DeepCopy()
	c.Name, c.Args = "objects", []string{"objects", "--folder=" + pickerFolder, fmt.Sprintf("--address=0.0.0.0:%d", portObjects)}
	c.Resources = smallResources()
	c.Env = []corev1.EnvVar{memoryLimit(c.Resources)}
	c.VolumeMounts, c.RestartPolicy = mounts, ptr.To(corev1.ContainerRestartPolicyAlways)
	c.StartupProbe = &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/api", Port: intstr.FromInt32(portObjects)}},
		PeriodSeconds: 1, FailureThreshold: 60,
	}
	return c
}

// withoutToken adds an empty folder where Kubernetes would mount the token of the pod's account:
// it leaves out a container with a mount of its own there.
func withoutToken(mounts []corev1.VolumeMount) []corev1.VolumeMount {
	return append(mounts, corev1.VolumeMount{Name: "no-token", MountPath: tokenFolder, ReadOnly: true})
}

func emptyFolder(size string) corev1.VolumeSource {
	return corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr.To(resource.MustParse(size))}}
}

// pickerFailure says how the EPP of a live run's pod ended while the worker ran, with the end of its
// log; "" where it did not.
func pickerFailure(pods []corev1.Pod) string {
	for i := range pods {
		pod := &pods[i]
		for j := range pod.Status.InitContainerStatuses {
			c := &pod.Status.InitContainerStatuses[j]
			ended := c.LastTerminationState.Terminated
			if ended == nil && terminated(pod) == nil {
				ended = c.State.Terminated
			}
			if c.Name != containerEPP || ended == nil || pod.DeletionTimestamp != nil {
				continue
			}
			return fmt.Sprintf("the EPP ended with exit code %d; the end of its log: %s", ended.ExitCode, printable.Clip(strings.TrimSpace(ended.Message), 1536))
		}
	}
	return ""
}
