// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/worker"
)

func TestDecide(t *testing.T) {
	const (
		ready, isComplete, isFailed, isStalled   = v1alpha1.ConditionReady, v1alpha1.ConditionComplete, v1alpha1.ConditionFailed, v1alpha1.ConditionStalled
		reconciling, isSuspendedType             = v1alpha1.ConditionReconciling, v1alpha1.ConditionSuspended
		waiting, oneOfTwo, noneOfTwo, heldByName = "no pod of Job JOB runs yet", "2 of 4 simulations done", "0 of 4 simulations done", "another client suspended Job JOB; "
	)
	const board = "ensure ConfigMap PREFIX-leaderboard-#"
	const index = "ensure ConfigMap PREFIX-index-#"
	for name, tc := range map[string]struct {
		set  func(*fixture)
		want decided
	}{
		"an object that is being deleted is left to the garbage collector": {
			func(s *fixture) { deleting(s.observation.subject.object()) },
			decided{},
		},
		"without a Job one is created": {
			func(*fixture) {},
			decided{Acts: []string{"create ConfigMap JOB-round", "create Job JOB"}, Types: []string{reconciling}, Reason: "Pending", Message: waiting},
		},
		"without anything everything is created, the Job last": {
			func(s *fixture) {
				s.observation.children.account, s.observation.children.configMaps = workerAccount{}, nil
			},
			decided{
				Acts:  []string{"create ServiceAccount windtunnel-worker", "create RoleBinding windtunnel-worker", "create ConfigMap PREFIX-plan", "create ConfigMap JOB-round", "create Job JOB"},
				Types: []string{reconciling}, Reason: "Pending", Message: waiting,
			},
		},
		"a Job of another plan is deleted": {
			func(s *fixture) {
				s.job().job(func(job *batchv1.Job) { job.Name, job.Labels = "weights-0ld", nil })
			},
			decided{Acts: []string{"delete Job weights-0ld"}, Types: []string{reconciling}, Reason: "Pending", Message: waiting},
		},
		"a Job of another plan that is being deleted is not deleted again": {
			func(s *fixture) {
				s.job().job(func(job *batchv1.Job) { job.Name = "weights-0ld"; deleting(job) })
			},
			decided{Types: []string{reconciling}, Reason: "Pending", Message: waiting},
		},
		"a Job that somebody deletes is waited for": {
			func(s *fixture) { s.job(func(job *batchv1.Job) { deleting(job) }) },
			decided{Types: []string{reconciling}, Reason: "Pending", Message: "another client deleted Job JOB; the manager creates it again once the deletion is complete"},
		},
		"a pod that cannot be scheduled is told": {
			func(s *fixture) {
				s.job().pod(1, func(pod *corev1.Pod) {
					pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available"}}
				})
			},
			decided{Types: []string{reconciling}, Reason: "Blocked", Message: waiting + "; shard 1: Unschedulable: 0/3 nodes are available"},
		},
		"an image that cannot be pulled is told": {
			func(s *fixture) {
				s.job().pod(0, running).pod(1, func(pod *corev1.Pod) {
					pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{
						Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"},
					}}}
				})
			},
			decided{Types: []string{reconciling}, Reason: "Running", Message: noneOfTwo + "; shard 1: ImagePullBackOff: Back-off pulling image"},
		},
		"a container that is being created is no news": {
			func(s *fixture) {
				s.job().pod(0, func(pod *corev1.Pod) {
					pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{
						Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"},
					}}}
				})
			},
			decided{Types: []string{reconciling}, Reason: "Pending", Message: waiting},
		},
		"one shard's results count": {
			func(s *fixture) { s.job().done(1) },
			decided{Acts: []string{index}, Types: []string{reconciling}, Reason: "Running", Message: oneOfTwo},
		},
		"all shards' results complete it, whatever the Job says": {
			func(s *fixture) { s.job().done(1).done(0) },
			decided{Acts: []string{index, board}, Types: []string{isComplete, ready}, Reason: "Complete", Message: "4 simulations done"},
		},
		"results that are known need no pod": {
			func(s *fixture) { s.job().done(1).read(0) },
			decided{Acts: []string{index, board}, Types: []string{isComplete, ready}, Reason: "Complete", Message: "4 simulations done"},
		},
		"results that nobody names are deleted when it is complete": {
			func(s *fixture) {
				s.job().done(1).done(0)
				for name, component := range map[string]string{"older": ComponentResult, "older-plan": ComponentPlan, "by-hand": ""} {
					cm := configMapMetadata()
					cm.Name, cm.Labels = name, map[string]string{LabelComponent: component}
					s.observation.children.configMaps = append(s.observation.children.configMaps, *cm)
				}
				slices.SortFunc(s.observation.children.configMaps, func(a, b metav1.PartialObjectMetadata) int { return strings.Compare(a.Name, b.Name) })
			},
			decided{
				Acts:    []string{index, board},
				Cleanup: []string{"delete ConfigMap older", "delete ConfigMap older-plan"},
				Types:   []string{isComplete, ready}, Reason: "Complete", Message: "4 simulations done",
			},
		},
		"the last of a round's Jobs without a shard's report has lost results": {
			func(s *fixture) {
				s.job(ended(batchv1.JobComplete), func(job *batchv1.Job) { job.Annotations[AnnotationLosses] = fmt.Sprint(maxLosses - 1) }).done(1)
			},
			decided{
				Acts:  []string{index},
				Types: []string{isFailed, isStalled}, Reason: "ResultMissing",
				Message: "Job JOB is complete, but results are missing: shard 0: no succeeded pod is left",
			},
		},
		"a failed Job is told in the worker's words": {
			func(s *fixture) {
				s.job(ended(batchv1.JobFailed)).done(1).pod(0, exited(worker.BadInputExitCode, encodedReport(store.Report{Error: "bad input: plan.json: no such file"})))
			},
			decided{
				Acts:  []string{index},
				Types: []string{isFailed, isStalled}, Reason: "JobFailed",
				Message: "Job JOB failed (" + oneOfTwo + "): shard 0 failed: bad input: plan.json: no such file",
			},
		},
		"a worker that died without words is told by its exit code and log": {
			func(s *fixture) { s.job(ended(batchv1.JobFailed)).pod(0, exited(1, "panic: boom\n")) },
			decided{
				Types: []string{isFailed, isStalled}, Reason: "JobFailed",
				Message: "Job JOB failed (" + noneOfTwo + "): shard 0 failed: pod pod-0-0: Error, exit code 1: panic: boom",
			},
		},
		"a pod that was evicted is told by its reason": {
			func(s *fixture) {
				s.job(ended(batchv1.JobFailed)).pod(0, func(pod *corev1.Pod) {
					pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "The node was low on memory"}
				})
			},
			decided{
				Types: []string{isFailed, isStalled}, Reason: "JobFailed",
				Message: "Job JOB failed (" + noneOfTwo + "): shard 0 failed: pod pod-0-0: Evicted: The node was low on memory",
			},
		},
		"of a failed Job only the shards that failed for good speak": {
			func(s *fixture) {
				s.job(ended(batchv1.JobFailed), func(job *batchv1.Job) { job.Status.FailedIndexes = ptr.To("1") }).
					pod(0, exited(1, "once")).pod(1, exited(1, "for good"))
			},
			decided{
				Types: []string{isFailed, isStalled}, Reason: "JobFailed",
				Message: "Job JOB failed (" + noneOfTwo + "): shard 1 failed: pod pod-1-1: Error, exit code 1: for good",
			},
		},
		"a failed Job without pods speaks itself": {
			func(s *fixture) { s.job(ended(batchv1.JobFailed)) },
			decided{
				Types: []string{isFailed, isStalled}, Reason: "JobFailed",
				Message: "Job JOB failed (" + noneOfTwo + "): Because: the Job said so",
			},
		},
		"a report of another plan fails it": {
			func(s *fixture) {
				s.job(ended(batchv1.JobComplete)).done(1, func(r *store.Report) { r.PlanHash = "older" })
			},
			decided{
				Types: []string{isFailed, isStalled}, Reason: "ResultCorrupt",
				Message: "pod pod-1-0 reports results of round 0 of plan \"older\", not of round 0 of \"#\"",
			},
		},
		"a report of another shard fails it": {
			func(s *fixture) {
				s.job(ended(batchv1.JobComplete)).done(1, func(r *store.Report) { r.Shard = 0 })
			},
			decided{
				Types: []string{isFailed, isStalled}, Reason: "ResultCorrupt",
				Message: "pod pod-1-0 of shard 1 reports results of shard 0",
			},
		},
		"a report without results fails it": {
			func(s *fixture) {
				s.job(ended(batchv1.JobComplete)).done(1, func(r *store.Report) { r.Results = nil })
			},
			decided{
				Types: []string{isFailed, isStalled}, Reason: "ResultCorrupt",
				Message: "pod pod-1-0 of shard 1 succeeded but reports no results",
			},
		},
		"two pods of a shard that report the same are one": {
			func(s *fixture) { s.job().done(1).done(1) },
			decided{Acts: []string{index}, Types: []string{reconciling}, Reason: "Running", Message: oneOfTwo},
		},
		"two pods of a shard that differ fail it": {
			func(s *fixture) {
				s.job(ended(batchv1.JobComplete)).done(1).done(1, func(r *store.Report) { r.Results.SHA256 += "0" })
			},
			decided{
				Types: []string{isFailed, isStalled}, Reason: "ResultCorrupt",
				Message: "pods pod-1-0 and pod-1-1 of shard 1 report different results",
			},
		},
		"an object of another owner is a conflict": {
			func(s *fixture) { s.observation.children.conflicts = []string{"Job weights-1"} },
			decided{
				Types: []string{isStalled}, Reason: "Conflict",
				Message: "Job weights-1 exists, and this object does not own it: delete it, or rename this object",
			},
		},
		"faults of the spec are told, and its Jobs stopped": {
			func(s *fixture) {
				s.job()
				s.observation.plan, s.observation.specErrors = nil, field.ErrorList{field.Required(field.NewPath("spec", "a"), ""), field.NotFound(field.NewPath("spec", "b"), "c")}
			},
			decided{
				Acts: []string{"delete Job JOB"}, Types: []string{isStalled}, Reason: "Invalid",
				Message: `spec.a: Required value; spec.b: Not found: "c"`,
			},
		},
		"inputs that are missing are told apart": {
			func(s *fixture) {
				s.observation.plan, s.observation.specErrors = nil, field.ErrorList{field.NotFound(field.NewPath("spec", "b"), "c")}
			},
			decided{Types: []string{isStalled}, Reason: "InputMissing", Message: `spec.b: Not found: "c"`},
		},
		"a plan that no ConfigMap holds is refused": {
			func(s *fixture) { s.observation.plan.size = 901 << 10 },
			decided{
				Types: []string{isStalled}, Reason: "Invalid",
				Message: "the plan takes 901 KiB, but a ConfigMap holds at most 900 KiB: use fewer or smaller clients, profiles and seeds",
			},
		},
		"a suspended spec creates a Job that waits": {
			func(s *fixture) { s.spec(func(spec *v1alpha1.PolicySweepSpec) { spec.Execution.Suspend = true }) },
			decided{
				Acts: []string{"create ConfigMap JOB-round", "create Job JOB"}, Types: []string{isSuspendedType}, Reason: "Suspended",
				Message: "spec.execution.suspend is true; " + noneOfTwo,
			},
		},
		"a Job that somebody else suspends is left so": {
			func(s *fixture) { s.job(func(job *batchv1.Job) { job.Spec.Suspend = ptr.To(true) }).done(1) },
			decided{Acts: []string{index}, Types: []string{reconciling}, Reason: "Pending", Message: heldByName + oneOfTwo},
		},
		"a Job that somebody else resumes is left so": {
			func(s *fixture) {
				s.spec(func(spec *v1alpha1.PolicySweepSpec) { spec.Execution.Suspend = true }).
					job(func(job *batchv1.Job) { job.Spec.Suspend = ptr.To(false) })
			},
			decided{Types: []string{isSuspendedType}, Reason: "Suspended", Message: "spec.execution.suspend is true; " + noneOfTwo},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			job, prefix := s.task().job, s.observation.plan.prefix
			tc.set(s)
			got := s.decide()
			got.Message = anyDigest.ReplaceAllString(chunkHash.ReplaceAllString(got.Message, "$1-#"), "#")
			want := tc.want
			want.Message = strings.ReplaceAll(want.Message, "JOB", job)
			for i := range want.Acts {
				want.Acts[i] = strings.NewReplacer("JOB", job, "PREFIX", prefix).Replace(want.Acts[i])
			}
			for i := range got.Acts {
				got.Acts[i] = contentHash.ReplaceAllString(got.Acts[i], "-$1-#")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecideDoesNotChangeTheObservation(t *testing.T) {
	s := newFixture(t).job().done(0).done(1)
	s.look()
	before := s.observation.subject.deepCopied()
	decide(s.observation, epoch)
	if diff := cmp.Diff(before.object(), s.observation.subject.object()); diff != "" {
		t.Errorf("the subject changed (-before +after):\n%s", diff)
	}
}

func TestAllErrorsOfASpecAreReported(t *testing.T) {
	var errs field.ErrorList
	for range 3000 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "scenario"), "value", "is wrong"))
	}
	s := newFixture(t)
	s.observation.plan, s.observation.specErrors = nil, errs
	message := s.decide().Message
	if len(message) > maxMessage {
		t.Errorf("the message has %d bytes, want at most %d", len(message), maxMessage)
	}
	told := strings.Count(message, "is wrong")
	if want := fmt.Sprintf("; and %d more", 3000-told); !strings.HasSuffix(message, want) {
		t.Errorf("the message ends with %q, want %q", message[len(message)-40:], want)
	}
	s.observation.specErrors = errs[:3]
	if message := s.decide().Message; strings.Count(message, "is wrong") != 3 || strings.Contains(message, "more") {
		t.Errorf("got %q, want three faults", message)
	}
}

// FuzzReport feeds termination messages: none makes decide panic, and none but
// the true one has anything read.
func FuzzReport(f *testing.F) {
	f.Add(`{"plan":"p","shard":0,"results":{"name":"weights-0-1-00000000","rows":2,"sha256":"00000000"}}`)
	f.Add(`{}`)
	f.Add(``)
	f.Add(`{"shard":-1,"results":{}}`)
	s := newFixture(f).job().done(1)
	results := s.results(0)
	f.Add(encodedReport(store.Report{PlanHash: s.observation.plan.hash, Shard: 0, Results: &results}))
	f.Fuzz(func(t *testing.T, message string) {
		w := *s.observation
		w.job.pods = slices.Clone(s.observation.job.pods)
		again := &fixture{t: t, observation: &w, rows: s.rows}
		again.pod(0, exited(0, message)).decide()
		r, err := store.DecodeReport(message)
		isTrue := err == nil && r.PlanHash == s.observation.plan.hash && r.Round == 0 && r.Shard == 0 && r.Results != nil && !r.Partial
		if (w.job.reports.lists[0] != nil) != isTrue {
			t.Errorf("believed %q", message)
		}
	})
}
