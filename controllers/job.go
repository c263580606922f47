// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/worker"
)

const (
	// retries is how often a shard that failed is tried again where nothing is
	// said, as in the schema.
	retries = 3
	// nobodyUID is the UID of worker pods, as in the image.
	nobodyUID = 65532

	planFolder   = "/etc/windtunnel/plan"
	roundFolder  = "/etc/windtunnel/round"
	inputsFolder = "/etc/windtunnel/inputs"
)

// task describes a Job to create: its simulations, its round, and the number of its pods.
type task struct {
	job    string
	round  int
	shards int
	// attempt numbers the Jobs of the round, from 0; losses are those that ended
	// without all of their results.
	attempt, losses int
	// held says that another client suspended the former Job, and must resume this one.
	held bool
	// maxFailedShards is how many of its shards may fail.
	maxFailedShards int
	// simulations is their number, work what says which.
	simulations int
	work        []byte
	// inquiries is how many there are of a Job that asks a proposer, and proposals identifies
	// the answers that the simulations of others are of.
	inquiries int
	proposals string
}

// newTask makes the task of simulating what is missing of the current round.
func newTask(s subject, p *subjectPlan, st *studyState, attempt int) *task {
	if st.asks() {
		return newInquiryTask(s, p, st, attempt)
	}
	work := p.Work(st.round, st.missing).Encode()
	shards := max(1, min(int(s.execution().Shards), len(st.missing)))
	return &task{
		job:             jobName(s.object().GetUID(), s.object().GetName(), p.hash, st.round.Index, attempt, experiment.Digest(work), s.execution()),
		round:           st.round.Index,
		attempt:         attempt,
		shards:          shards,
		maxFailedShards: max(0, min(int(s.execution().MaxFailedShards)-st.lostShards(), shards)),
		simulations:     len(st.missing),
		work:            work,
		proposals:       st.proposalsOf(st.round.Index),
	}
}

// makeJob makes the Indexed Job that does a task, an index a shard.
func makeJob(s subject, p *subjectPlan, t *task, image string) *batchv1.Job {
	labels := mergeLabel(childLabels(s, t.component(), p.hash), LabelRound, strconv.Itoa(t.round))
	if t.attempt > 0 {
		labels[LabelAttempt] = strconv.Itoa(t.attempt)
	}
	execution := s.execution()
	job := &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.object().GetNamespace(),
			Name:      t.job,
			Labels:    labels,
			Annotations: map[string]string{
				AnnotationSuspend:   strconv.FormatBool(execution.Suspend),
				AnnotationExecution: executionDigest(execution),
			},
			OwnerReferences: []metav1.OwnerReference{ownerReference(s)},
		},
		Spec: batchv1.JobSpec{
			CompletionMode: ptr.To(batchv1.IndexedCompletion),
			Completions:    ptr.To(int32(t.shards)),
			Parallelism:    ptr.To(int32(t.shards)),
			Suspend:        ptr.To(execution.Suspend || t.held),
			// A sweep without all of its rows has no verdict: the first shard too
			// many that is given up ends the Job.
			BackoffLimitPerIndex: ptr.To(retriesOf(execution)),
			MaxFailedIndexes:     ptr.To(int32(t.maxFailedShards)),
			PodReplacementPolicy: ptr.To(batchv1.Failed),
			PodFailurePolicy:     podFailurePolicy(p.Live != nil),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       makePodSpec(s, p, t, image),
			},
		},
	}
	if t.losses > 0 {
		job.Annotations[AnnotationLosses] = strconv.Itoa(t.losses)
	}
	if t.proposals != "" {
		job.Annotations[AnnotationProposals] = t.proposals
	}
	if execution.ManagedBy != "" {
		job.Spec.ManagedBy = ptr.To(execution.ManagedBy)
	}
	for _, key := range []string{LabelQueue, LabelQueuePriority} {
		if value := s.object().GetLabels()[key]; value != "" {
			job.Labels = mergeLabel(job.Labels, key, value)
		}
	}
	override(&job.Spec.Template, &execution.PodOverrides)
	return job
}

// retriesOf is how often a shard that failed is tried again.
func retriesOf(execution v1alpha1.Execution) int32 {
	return ptr.Deref(execution.RetriesPerShard, retries)
}

// attemptOf is the number of a Job among those of its round.
func attemptOf(job *batchv1.Job) int { return attemptIn(job.Labels) }

// attemptIn is the number that labels hold; 0 where they hold none.
func attemptIn(labels map[string]string) int {
	attempt, err := strconv.Atoi(labels[LabelAttempt])
	if err != nil {
		return 0
	}
	return attempt
}

// lossesOf is how many Jobs of its round before a Job ended without all results.
func lossesOf(job *batchv1.Job) int {
	losses, err := strconv.Atoi(job.Annotations[AnnotationLosses])
	if err != nil {
		return 0
	}
	return losses
}

// queued reports whether a queue or another controller decides when a Job runs.
func queued(job *batchv1.Job) bool {
	return job.Labels[LabelQueue] != "" || job.Spec.ManagedBy != nil
}

func mergeLabel(labels map[string]string, key, value string) map[string]string {
	merged := map[string]string{key: value}
	for k, v := range labels {
		merged[k] = v
	}
	return merged
}

// podFailurePolicy says which failures of a pod are the shard's own: not an
// eviction, unless the run is live, and a bad input at once. Another pod of a live
// run would meet the caches that the first one has filled.
func podFailurePolicy(live bool) *batchv1.PodFailurePolicy {
	badInput := batchv1.PodFailurePolicyRule{
		Action: batchv1.PodFailurePolicyActionFailIndex,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
			ContainerName: ptr.To(worker.Container),
			Operator:      batchv1.PodFailurePolicyOnExitCodesOpIn,
			Values:        []int32{worker.BadInputExitCode},
		},
	}
	if live {
		return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{badInput}}
	}
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
		{
			Action: batchv1.PodFailurePolicyActionIgnore,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
				{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
			},
		},
		badInput,
	}}
}

// makePodSpec makes the spec of a worker's pod, or of what takes its place.
func makePodSpec(s subject, p *subjectPlan, t *task, image string) corev1.PodSpec {
	resources := podResources(s.execution().Resources)
	args := []string{"worker", fmt.Sprintf("--shards=%d", t.shards), fmt.Sprintf("--parallelism=%d", cpus(resources))}
	if t.asks() {
		resources, args = smallResources(), []string{"propose"}
	}
	spec := restrictedPod(image, resources, args)
	spec.RestartPolicy, spec.ServiceAccountName = corev1.RestartPolicyNever, WorkerName
	// With it the worker writes its results.
	spec.AutomountServiceAccountToken = ptr.To(true)
	mount(&spec, "plan", planFolder, keysOf(planName(p.prefix), worker.PlanFile))
	if t.asks() {
		askProposer(&spec, p.ProposerOf(), t.job)
		return spec
	}
	mount(&spec, "round", roundFolder, keysOf(roundName(t.job), worker.OwnerFile, worker.RoundFile))
	mountTraces(&spec, p)
	if p.Live != nil {
		makeLivePod(&spec, s, p, t.job)
	}
	return spec
}

// restrictedPod makes the spec of a pod of one container of an image of Windtunnel, which the
// restricted pod security standard admits.
func restrictedPod(image string, resources corev1.ResourceRequirements, args []string) corev1.PodSpec {
	return corev1.PodSpec{
		AutomountServiceAccountToken: ptr.To(false),
		EnableServiceLinks:           ptr.To(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   ptr.To(true),
			RunAsUser:      ptr.To(int64(nobodyUID)),
			RunAsGroup:     ptr.To(int64(nobodyUID)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name:      worker.Container,
			Image:     image,
			Args:      args,
			Env:       []corev1.EnvVar{memoryLimit(resources)},
			Resources: resources,
			// A worker that dies without a word leaves the end of its log.
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: ptr.To(false),
				ReadOnlyRootFilesystem:   ptr.To(true),
				Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
		}},
	}
}

// memoryLimit bounds the heap of a program of Windtunnel.
func memoryLimit(of corev1.ResourceRequirements) corev1.EnvVar {
	return corev1.EnvVar{Name: "GOMEMLIMIT", Value: strconv.FormatInt(heap(of), 10)}
}

// mountTraces mounts the traces that the plan replays.
func mountTraces(spec *corev1.PodSpec, p *subjectPlan) {
	if p.Trace != nil {
		mount(spec, "inputs", inputsFolder, traceVolume(p.Trace))
	}
	for i, trace := range p.Traces {
		mount(spec, fmt.Sprintf("inputs-%d", i), path.Join(inputsFolder, worker.TraceFolder(i)), traceVolume(trace))
	}
}

// traceVolume is where a trace lies. It is read-only.
func traceVolume(in *experiment.TraceInput) corev1.VolumeSource {
	switch {
	case in.PersistentVolumeClaim != nil:
		return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
			ClaimName: in.PersistentVolumeClaim.ClaimName, ReadOnly: true,
		}}
	case in.Image != nil:
		return corev1.VolumeSource{Image: &corev1.ImageVolumeSource{
			Reference: in.Image.Reference, PullPolicy: in.Image.PullPolicy,
		}}
	default:
		return keysOf(in.ConfigMap.Name, in.ConfigMap.Key)
	}
}

// keysOf is a volume of some of a ConfigMap's keys.
func keysOf(configMap string, keys ...string) corev1.VolumeSource {
	source := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: configMap}}
	for _, key := range keys {
		source.Items = append(source.Items, corev1.KeyToPath{Key: key, Path: key})
	}
	return corev1.VolumeSource{ConfigMap: source}
}

// mount mounts a volume into the worker.
func mount(spec *corev1.PodSpec, name, folder string, source corev1.VolumeSource) {
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
	c := &spec.Containers[0]
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: folder, ReadOnly: true})
}

// makePlanConfigMap makes the ConfigMap that worker pods read their plan from.
func makePlanConfigMap(s subject, p *subjectPlan) *corev1.ConfigMap {
	cm := makeConfigMap(s, p, ComponentPlan, planName(p.prefix))
	cm.Data = map[string]string{worker.PlanFile: string(p.Encode())}
	return cm
}

// makeRoundConfigMap makes the ConfigMap from which a Job's pods read what to
// simulate of the plan, and whose the results are.
func makeRoundConfigMap(s subject, p *subjectPlan, t *task) *corev1.ConfigMap {
	owner, err := json.Marshal(worker.Owner{
		Namespace: s.object().GetNamespace(),
		Labels:    childLabels(s, ComponentResult, p.hash),
		Reference: resultReference(s),
		Prefix:    t.job,
	})
	if err != nil {
		panic(fmt.Sprintf("controllers: marshal owner: %v", err))
	}
	cm := makeConfigMap(s, p, ComponentRound, roundName(t.job))
	cm.Labels[LabelRound], cm.Labels[LabelAttempt] = strconv.Itoa(t.round), strconv.Itoa(t.attempt)
	cm.Data = map[string]string{worker.OwnerFile: string(owner)}
	cm.BinaryData = map[string][]byte{worker.RoundFile: t.work}
	if t.asks() {
		cm.BinaryData = map[string][]byte{worker.InquiriesFile: t.work}
	}
	return cm
}

// makeConfigMap makes an immutable ConfigMap of the subject's, without content.
func makeConfigMap(s subject, p *subjectPlan, component, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       s.object().GetNamespace(),
			Name:            name,
			Labels:          childLabels(s, component, p.hash),
			OwnerReferences: []metav1.OwnerReference{ownerReference(s)},
		},
		Immutable: ptr.To(true),
	}
}

// isSuspended reports whether a Job is suspended, by whomever.
func isSuspended(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// lastWantedSuspended reports whether the controllers last wanted a Job
// suspended.
func lastWantedSuspended(job *batchv1.Job) bool { return job.Annotations[AnnotationSuspend] == "true" }
