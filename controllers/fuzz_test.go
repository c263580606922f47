// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// choices are made by bytes; when they have run out, the first of each is taken.
type choices struct{ data []byte }

// of returns one of 0 to n-1.
func (c *choices) of(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % n
}

// one reports true once in n times.
func (c *choices) one(n int) bool { return c.of(n) == n-1 }

// pick returns one of some values.
func pick[T any](c *choices, from ...T) T { return from[c.of(len(from))] }

// setting makes observations of bytes: likely ones and absurd ones.
type setting struct {
	*choices
	*fixture
}

// changeSubject gives the subject any spec of the same plan, and any status.
func (s setting) changeSubject() {
	sw := s.observation.subject.(sweep)
	sw.Generation = int64(1 + s.of(3))
	sw.Spec.Execution.Suspend, sw.Spec.Execution.Shards = s.one(4), int32(1+s.of(4))
	if s.one(3) {
		sw.Spec.Promote = &v1alpha1.Promotion{Format: v1alpha1.SourceFormat, When: pick(s.choices, v1alpha1.PromoteWhenPassed, v1alpha1.PromoteWhenComplete)}
	}
	if s.one(3) {
		sw.Spec.Follow = &v1alpha1.Follow{Best: int32(1 + s.of(3))}
	}
	if s.one(20) {
		deleting(sw)
	}
	if s.one(2) {
		return
	}
	st := &sw.Status
	st.ObservedGeneration = int64(s.of(4))
	st.PlanHash = pick(s.choices, s.observation.plan.hash, "", "another")
	for _, typ := range append(ownConditions, v1alpha1.ConditionPassed, v1alpha1.ConditionLinted) {
		if s.one(3) {
			st.Conditions = append(st.Conditions, metav1.Condition{
				Type: typ, Status: pick(s.choices, metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown),
				Reason: pick(s.choices, "Running", "Complete"), ObservedGeneration: int64(s.of(4)),
			})
		}
	}
	if s.one(2) {
		st.Results = &v1alpha1.ResultsStatus{Index: pick(s.choices, "an-index", "gone"), Chunks: int64(s.of(3)), Rows: int64(s.of(6))}
	}
	if s.one(2) {
		st.Progress = &v1alpha1.ProgressStatus{Total: int64(s.of(9)), Completed: int64(s.of(9)), Shards: int32(s.of(4))}
	}
	st.Leaderboard, st.Promoted = pick(s.choices, "", "a-leaderboard"), pick(s.choices, "", "weights-promoted")
	for i := range s.of(3) {
		st.Followed = append(st.Followed, followedName("weights", i))
	}
}

// addJobs adds Jobs of this plan and of others, in any state.
func (s setting) addJobs() {
	for i := range s.of(4) {
		s.job(func(job *batchv1.Job) {
			job.UID = types.UID(fmt.Sprintf("job-%d", i))
			if i > 0 {
				job.Name = fmt.Sprintf("%s-%d", job.Name, i)
			}
			switch s.of(8) {
			case 1:
				job.Labels = nil
			case 2:
				job.Annotations = nil
			case 3:
				job.Labels = with(job.Labels, LabelPlan, "another")
			case 4:
				job.Labels = with(job.Labels, LabelRound, pick(s.choices, "1", "-1", "nonsense"))
			case 5:
				job.Annotations[AnnotationSuspend] = pick(s.choices, "true", "nonsense")
			}
			job.Spec.Suspend = pick(s.choices, ptr.To(false), ptr.To(true), nil)
			if s.one(6) {
				deleting(job)
			}
			if s.one(3) {
				ended(pick(s.choices, batchv1.JobComplete, batchv1.JobFailed, batchv1.JobFailureTarget))(job)
				job.Status.FailedIndexes = pick(s.choices, nil, ptr.To("1"), ptr.To("0-7,x"))
			}
			if s.one(9) {
				job.Spec.Completions = pick(s.choices, nil, ptr.To[int32](1), ptr.To[int32](9))
			}
		})
		if s.one(4) {
			s.observation.children.configMaps = s.observation.children.configMaps[:len(s.observation.children.configMaps)-1]
		}
	}
}

// addPods adds pods of any index, in any state, with any message.
func (s setting) addPods() {
	for range s.of(6) {
		index := s.of(5) - 1
		switch s.of(4) {
		case 0:
			s.pod(index, running)
		case 1:
			s.pod(index, exited(int32(s.of(3)), pick(s.choices, "", "no report", `{"shard":7}`)))
		case 2:
			if index >= 0 && index < shards {
				s.done(index)
			}
		case 3:
			s.pod(index, func(pod *corev1.Pod) { pod.Status.Phase = pick(s.choices, corev1.PodFailed, corev1.PodUnknown, "") })
		}
	}
	for shard := range shards {
		if s.one(3) {
			s.read(shard)
		}
	}
}

// addConfigMaps adds ConfigMaps of every component.
func (s setting) addConfigMaps() {
	if s.one(4) {
		s.observation.children.configMaps = nil
	}
	for i := range s.of(6) {
		cm := configMapMetadata()
		cm.Name = pick(s.choices, fmt.Sprint("cm-", i), "an-index", "a-leaderboard", "weights-promoted")
		cm.UID = types.UID(cm.Name)
		if s.observation.children.hasConfigMap(cm.Name) {
			continue
		}
		cm.Labels = map[string]string{
			LabelComponent: pick(s.choices, ComponentPlan, ComponentRound, ComponentResult, ComponentIndex, ComponentLeaderboard, ComponentPromoted, "nonsense"),
			LabelPlan:      pick(s.choices, planLabel(s.observation.plan.hash), "another"),
			LabelRound:     pick(s.choices, "0", "1", "x"),
		}
		if s.one(6) {
			deleting(cm)
		}
		s.observation.children.configMaps = append(s.observation.children.configMaps, *cm)
	}
}

// addRest adds followers, conflicts, the account, and what is wrong.
func (s setting) addRest() {
	w := s.observation
	for i := range s.of(3) {
		run := &v1alpha1.SimulationRun{}
		run.Name, run.UID, run.Labels = followedName("weights", i), types.UID(fmt.Sprint("run-", i)), map[string]string{LabelContent: "another"}
		w.children.followers = append(w.children.followers, run)
	}
	w.children.account = workerAccount{serviceAccount: !s.one(3), roleBinding: !s.one(3)}
	if s.one(8) {
		w.children.conflicts = []string{"Job weights-1"}
	}
	if s.one(4) {
		w.results.indexed = map[string]bool{"cm-0": true}
	}
	switch s.of(12) {
	case 1:
		w.plan, w.specErrors = nil, field.ErrorList{field.Required(field.NewPath("spec"), "")}
	case 2:
		w.plan, w.specErrors = nil, field.ErrorList{field.NotFound(field.NewPath("spec"), "profiles")}
	case 3:
		w.plan.size = maxPlanBytes + 1
	}
}

// observed leaves in the observation what an observer would have put there.
func (s setting) observed() {
	w := s.observation
	w.results.study, w.task, w.job.reports = nil, nil, nil
	if settled(w.subject) || w.subject.object().GetDeletionTimestamp() != nil {
		w.plan, w.specErrors = nil, nil
		return
	}
	if w.plan == nil || w.plan.size > maxPlanBytes || stillComplete(w) {
		return
	}
	s.look()
}

// carryOut does to the observation what a decision says, as if nothing went wrong. What
// is deleted is gone at once.
func (s setting) carryOut(d decision) {
	for _, a := range d.actions {
		s.do(a)
	}
	if d.status != nil {
		s.observation.subject = d.status.deepCopied()
	}
	for _, a := range d.cleanup {
		s.do(a)
	}
}

func (s setting) do(a action) {
	w := s.observation
	switch object := a.object.(type) {
	case *batchv1.Job:
		s.doJob(a, object)
	case *v1alpha1.SimulationRun:
		w.children.followers = slices.DeleteFunc(slices.Clone(w.children.followers), func(o *v1alpha1.SimulationRun) bool { return o.Name == object.Name })
		if a.verb == verbCreate {
			w.children.followers = append(w.children.followers, object)
		}
	case *corev1.ServiceAccount:
		w.children.account.serviceAccount = true
	case *rbacv1.RoleBinding:
		w.children.account.roleBinding = true
	default:
		w.children.configMaps = slices.DeleteFunc(slices.Clone(w.children.configMaps), func(o metav1.PartialObjectMetadata) bool { return o.Name == object.GetName() })
		if a.verb != verbDelete {
			cm := configMapMetadata()
			object.(*corev1.ConfigMap).ObjectMeta.DeepCopyInto(&cm.ObjectMeta)
			w.children.configMaps = append(w.children.configMaps, *cm)
		}
	}
}

func (s setting) doJob(a action, job *batchv1.Job) {
	w := s.observation
	w.children.jobs = slices.Clone(w.children.jobs)
	switch a.verb {
	case verbCreate:
		job = job.DeepCopy()
		job.UID = "created"
		w.children.jobs = append(w.children.jobs, job)
		w.job.pods = nil
	case verbDelete, verbDeleteForeground:
		w.children.jobs = slices.DeleteFunc(w.children.jobs, func(o *batchv1.Job) bool { return o.UID == job.UID })
	default:
		i := slices.IndexFunc(w.children.jobs, func(o *batchv1.Job) bool { return o.UID == job.UID })
		w.children.jobs[i] = job.DeepCopy()
		w.children.jobs[i].Spec.Suspend = ptr.To(a.verb == verbSuspend)
		w.children.jobs[i].Annotations = with(w.children.jobs[i].Annotations, AnnotationSuspend, fmt.Sprint(a.verb == verbSuspend))
	}
}

// with is a map like another one but for one value.
func with(m map[string]string, key, value string) map[string]string {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// summary is all of a decision.
func summary(d decision) string {
	text := fmt.Sprintln(d.actions, d.cleanup, d.events, d.requeueAfter)
	if d.status != nil {
		text += cmp.Diff(nil, d.status.object())
	}
	return text
}

// FuzzDecide decides about observations that random bytes make up.
func FuzzDecide(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		data := make([]byte, 120)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		f.Add(data)
	}
	model := newFixture(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := setting{choices: &choices{data}, fixture: model.again(t)}
		s.changeSubject()
		s.addConfigMaps()
		s.addJobs()
		s.addPods()
		s.addRest()
		s.observed()
		s.examine()
	})
}

// again is a fixture like another one before anything was done in it.
func (s *fixture) again(t *testing.T) *fixture {
	p := *s.observation.plan
	w := *s.observation
	w.subject, w.plan, w.children.configMaps = s.observation.subject.deepCopied(), &p, slices.Clone(s.observation.children.configMaps)
	j, err := newStudyRows(&p)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t: t, observation: &w, rows: j, simulations: s.simulations}
}

// examine decides, and decides again after each decision is carried out, until
// nothing is left to do.
func (s setting) examine() {
	t := s.t
	wasSettled := settled(s.observation.subject)
	for i := range 5 {
		before := s.frozen()
		d := decide(s.observation, epoch)
		if diff := cmp.Diff(before, s.frozen()); diff != "" {
			t.Fatalf("deciding changed the observation (-before +after):\n%s", diff)
		}
		if again := decide(s.observation, epoch); summary(again) != summary(d) {
			t.Fatalf("two decisions about one observation: %s and %s", summary(d), summary(again))
		}
		if wasSettled && (len(d.actions) > 0 || d.status != nil) {
			t.Fatalf("a settled subject is worked on: %s", summary(d))
		}
		if len(d.actions) == 0 && d.status == nil && len(d.cleanup) == 0 {
			return
		}
		if words := s.wrong(d, i); words != "" {
			t.Fatalf("%s: %s", words, summary(d))
		}
		s.carryOut(d)
		s.observed()
	}
	t.Fatalf("there is always something left to do: %s", summary(decide(s.observation, epoch)))
}

// wrong says what is wrong with the status of a decision. What the first one finds
// may be absurd; later ones go on from what an earlier one wrote.
func (s setting) wrong(d decision, i int) string {
	if d.status == nil {
		return ""
	}
	st, was := d.status.status(), s.observation.subject.status()
	types := map[string]bool{}
	for _, c := range st.Conditions {
		if types[c.Type] {
			return "condition " + c.Type + " is there twice"
		}
		types[c.Type] = true
	}
	switch {
	case st.ObservedGeneration != d.status.object().GetGeneration():
		return "observedGeneration is not the generation"
	case !types[v1alpha1.ConditionReady]:
		return "there is no condition Ready"
	case i > 0 && was.Progress != nil && st.Progress != nil && st.Progress.Completed < was.Progress.Completed:
		return "progress fell"
	case i > 0 && settled(s.observation.subject):
		return "a settled status changed"
	}
	return ""
}

// frozen is a copy of all objects of the observation.
func (s setting) frozen() []any {
	copied := []any{s.observation.subject.deepCopied().object()}
	for _, job := range s.observation.children.jobs {
		copied = append(copied, job.DeepCopy())
	}
	for i := range s.observation.children.configMaps {
		copied = append(copied, s.observation.children.configMaps[i].DeepCopy())
	}
	for i := range s.observation.job.pods {
		copied = append(copied, s.observation.job.pods[i].DeepCopy())
	}
	return copied
}
