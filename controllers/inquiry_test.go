// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// proposes answers an inquiry with a tree whose number is that of the answer.
func proposes(w http.ResponseWriter, number int64) {
	fmt.Fprintf(w, `{"policies": [{"note": "by hand", "bundle": {"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle",
		"routing": {"signals": ["prefix-affinity"], "decisionTree": {"root": {"sum": [{"field": "endpoints.prefix_affinity", "times": %d.5}]}}}}}]}`, number)
}

// whimsical is a service that answers no inquiry twice in the same way.
func whimsical(t *testing.T) string {
	t.Helper()
	var answers atomic.Int64
	return serving(t, func(w http.ResponseWriter, _ *http.Request) { proposes(w, answers.Add(1)) })
}

// steady is a service that answers an inquiry always in the same way.
func steady(t *testing.T) string {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Generation, Island int64 }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		proposes(w, 10*q.Generation+q.Island)
	})
}

func serving(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	service := httptest.NewServer(answer)
	t.Cleanup(service.Close)
	return service.URL
}

// askingSweep evolves policies with a service.
func askingSweep(url string, shards int32, change ...func(*v1alpha1.Proposer)) *v1alpha1.PolicySweep {
	sweep := searchedSweep("evolution", shards)
	p := &v1alpha1.Proposer{URL: url, TimeoutSeconds: 5}
	for _, f := range change {
		f(p)
	}
	sweep.Spec.Parameters[0].Evolve.Proposer = p
	return sweep
}

// journal are the answers that the index of a sweep lists.
func (c *cluster) journal(s subject) []propose.Entry {
	c.t.Helper()
	own := resultReader{reader: c.client, namespace: s.object().GetNamespace(), owner: s}
	index, f, err := own.index(c.t.Context(), s.status().Results.Index, s.status().Results.SHA256)
	c.must(err)
	if f != nil {
		c.t.Fatal(f.message)
	}
	var all []propose.Entry
	for _, ref := range index.Journal {
		p, f, err := own.proposals(c.t.Context(), ref)
		c.must(err)
		if f != nil {
			c.t.Fatal(f.message)
		}
		all = append(all, p.entries...)
	}
	return all
}

// askingRows are the rows of a sweep without a cluster, that asks as the command does.
func askingRows(t *testing.T, s subject, url string, known []propose.Entry) string {
	t.Helper()
	compiled, errs, err := s.compile(t.Context(), clusterInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	c := propose.NewClient(propose.Options{
		URL: url, Timeout: 5 * time.Second, Known: known, Note: func(e propose.Entry) error {
			if known != nil {
				return fmt.Errorf("generation %d, island %d is asked for", e.Generation, e.Island)
			}
			return nil
		},
		Objectives: worker.ProposeObjectives(compiled.Plan), Features: worker.ProposeFeatures(compiled.Plan),
	})
	compiled.Plan.Proposer = func(in []search.Inquiry) [][]search.Proposed {
		all, err := c.Propose(t.Context(), in)
		if err != nil {
			t.Error(err)
			return make([][]search.Proposed, len(in))
		}
		return all
	}
	conducted, err := execute.RunLocally(t.Context(), compiled.Plan, nil, execute.Options{Parallelism: 2})
	if err != nil {
		t.Fatal(err)
	}
	return inOrder(t, conducted.Rows())
}

// TestAProposerInAClusterIsOneOnALaptop has a service answer sweeps in 1 and in 3 shards, with
// managers that forget everything and Jobs that somebody deletes: the rows are those of a laptop.
func TestAProposerInAClusterIsOneOnALaptop(t *testing.T) {
	url := steady(t)
	want := askingRows(t, sweepSubject(askingSweep(url, 1)), url, nil)
	if want == localRows(t, sweepSubject(searchedSweep("evolution", 1))) {
		t.Fatal("the service makes no difference")
	}
	for _, shards := range []int32{1, 3} {
		c := newCluster(t)
		asking := askingSweep(url, shards)
		c.create(asking)
		c.finish(asking, rand.New(rand.NewPCG(uint64(shards), 7)))
		s := c.subject(asking)
		if c.rows(s) != want {
			t.Errorf("%d shards: the rows are not those of a laptop", shards)
		}
		if n := len(c.journal(s)); n != 6 {
			t.Errorf("%d shards: %d answers, want 2 islands in 3 generations", shards, n)
		}
	}
}

// TestTheJournalDecides has a service that never says the same twice: whenever managers and Jobs
// end, the study is that of the journal.
func TestTheJournalDecides(t *testing.T) {
	url := whimsical(t)
	for seed := range uint64(4) {
		c := newCluster(t)
		sweep := askingSweep(url, 2)
		c.create(sweep)
		c.finish(sweep, rand.New(rand.NewPCG(seed, 11)))
		s := c.subject(sweep)
		if askingRows(t, s, "http://localhost:1", c.journal(s)) != c.rows(s) {
			t.Errorf("seed %d: the rows are not those that the journal gives", seed)
		}
		for _, job := range c.jobs() {
			if job.Labels[LabelComponent] == ComponentProposer {
				t.Errorf("Job %s, which asked, is still there", job.Name)
			}
		}
	}
}

// TestManagersThatDieAtAnyWrite has each manager die after a few writes, while a service never
// says the same twice.
func TestManagersThatDieAtAnyWrite(t *testing.T) {
	for left := range 5 {
		c := newCluster(t)
		asking := askingSweep(whimsical(t), 1)
		c.create(asking)
		for range 400 {
			if isTrue(c.subject(asking).status(), v1alpha1.ConditionComplete) {
				break
			}
			c.writesLeft = left
			w, d := c.decide(asking)
			err := c.reconcilers[sweeps.kind].applier.apply(t.Context(), w, d, c.clock.Now())
			c.restart()
			if err != nil {
				c.reconcile(asking)
			}
			if jobs := c.jobs(); len(jobs) > 0 {
				if job := c.latest(); len(c.open(job)) > 0 {
					c.succeed(job, 0)
				}
			}
		}
		s := c.subject(asking)
		if !isTrue(s.status(), v1alpha1.ConditionComplete) {
			t.Fatalf("%d writes each: %s", left, statusLine(s))
		}
		if askingRows(t, s, "http://localhost:1", c.journal(s)) != c.rows(s) {
			t.Errorf("%d writes each: the rows are not those that the journal gives", left)
		}
	}
}

// asked is a cluster whose sweep waits for the first answers.
func asked(t *testing.T, url string, change ...func(*v1alpha1.Proposer)) (*cluster, *v1alpha1.PolicySweep, *batchv1.Job) {
	t.Helper()
	c := newCluster(t)
	sweep := askingSweep(url, 1, change...)
	c.create(sweep)
	c.reconcile(sweep)
	c.succeed(c.latest(), 0)
	c.reconcile(sweep)
	job := c.latest()
	if job.Labels[LabelComponent] != ComponentProposer {
		t.Fatalf("the Job is %v", job.Labels)
	}
	return c, sweep, job
}

func TestThePodThatAsks(t *testing.T) {
	_, _, job := asked(t, "https://proposer.example/ask", func(p *v1alpha1.Proposer) {
		p.HeaderSecretRef = &v1alpha1.ProposerSecretReference{Name: "windtunnel-proposer", Key: "token"}
	})
	spec := job.Spec.Template.Spec
	if args := spec.Containers[0].Args; !slices.Equal(args, []string{"propose"}) || *spec.ActiveDeadlineSeconds != 3*5+proposeSlack || shardsOf(job) != 1 || *job.Spec.MaxFailedIndexes != 0 {
		t.Errorf("arguments %q, deadline %d s, %d pods, %d may fail", args, *spec.ActiveDeadlineSeconds, shardsOf(job), *job.Spec.MaxFailedIndexes)
	}
	var secrets, folders []string
	for _, v := range spec.Volumes {
		if v.Secret != nil {
			secrets = append(secrets, v.Secret.SecretName, v.Secret.Items[0].Key, v.Secret.Items[0].Path, fmt.Sprint(*v.Secret.Optional))
		}
	}
	for _, m := range spec.Containers[0].VolumeMounts {
		folders = append(folders, m.MountPath)
	}
	if !slices.Equal(secrets, []string{"windtunnel-proposer", "token", worker.HeaderFile, "true"}) || !slices.Equal(folders, []string{planFolder, roundFolder, secretFolder}) {
		t.Errorf("Secret %q, folders %q", secrets, folders)
	}
	if env := spec.Containers[0].Env; !slices.Contains(env, corev1.EnvVar{Name: "SSL_CERT_FILE", Value: "/etc/windtunnel/secret/ca.crt"}) {
		t.Errorf("environment %v", env)
	}
	if c := spec.Containers[0].SecurityContext; *c.AllowPrivilegeEscalation || !*c.ReadOnlyRootFilesystem || !*spec.SecurityContext.RunAsNonRoot {
		t.Error("the pod is not restricted")
	}
}

func TestWhatKeepsAProposerFromAnAnswerIsReported(t *testing.T) {
	says := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); _, _ = w.Write([]byte(text)) }
	}
	bearer := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hidden" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		proposes(w, 1)
	}
	withSecret := func(p *v1alpha1.Proposer) {
		p.HeaderSecretRef = &v1alpha1.ProposerSecretReference{Name: "windtunnel-proposer", Key: "token"}
	}
	hidden := map[string][]byte{"token": []byte("Bearer hidden\n")}
	for name, tc := range map[string]struct {
		answer       http.HandlerFunc
		change       []func(*v1alpha1.Proposer)
		secret       map[string][]byte
		reason, want string
	}{
		"a service that is down": {nil, nil, nil, v1alpha1.ReasonNoProposals, "connection refused"},
		"one that fails":         {says(500, "out of ideas"), nil, nil, v1alpha1.ReasonNoProposals, "500 Internal Server Error"},
		"one that is slow": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, []func(*v1alpha1.Proposer){func(p *v1alpha1.Proposer) { p.TimeoutSeconds = 1 }},
			nil, v1alpha1.ReasonNoProposals, "Timeout"},
		"one that does not answer JSON":     {says(200, "<html>"), nil, nil, v1alpha1.ReasonNoProposals, "the answer is not that of a proposer"},
		"a bundle that does not load":       {says(200, `{"policies": [{"bundle": {"kind": "PolicyBundle"}}]}`), nil, nil, v1alpha1.ReasonProposalsDropped, "policies[0].bundle.apiVersion"},
		"too many policies":                 {says(200, `{"policies": [`+strings.TrimSuffix(strings.Repeat(`{"language": "starlark", "policy": "x"},`, 9), ",")+`]}`), nil, nil, v1alpha1.ReasonProposalsDropped, "6 more than the 3 that were wanted"},
		"a Secret that is not there":        {bearer, []func(*v1alpha1.Proposer){withSecret}, nil, v1alpha1.ReasonNoProposals, "the Secret windtunnel-proposer does not exist, or has no text under the key token"},
		"a Secret without the key":          {bearer, []func(*v1alpha1.Proposer){withSecret}, map[string][]byte{"other": []byte("x")}, v1alpha1.ReasonNoProposals, "has no text under the key token"},
		"a request without the header":      {bearer, nil, hidden, v1alpha1.ReasonNoProposals, "401 Unauthorized"},
		"a Secret for no service":           {bearer, []func(*v1alpha1.Proposer){withSecret}, map[string][]byte{"token": []byte("Bearer hidden")}, v1alpha1.ReasonNoProposals, "the Secret windtunnel-proposer does not say for which service it is: add the key origin with http://127.0.0.1:"},
		"a Secret for another service":      {bearer, []func(*v1alpha1.Proposer){withSecret}, map[string][]byte{"token": []byte("Bearer hidden"), "origin": []byte("https://proposer.example")}, v1alpha1.ReasonNoProposals, "the Secret windtunnel-proposer is for another service than http://127.0.0.1:"},
		"a request with the header is fine": {bearer, []func(*v1alpha1.Proposer){withSecret}, hidden, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := "http://127.0.0.1:1"
			if tc.answer != nil {
				url = serving(t, tc.answer)
			}
			c, sweep, job := asked(t, url, tc.change...)
			if tc.secret != nil {
				if _, stated := tc.secret["origin"]; !stated && name == "a request with the header is fine" {
					tc.secret["origin"] = []byte(url)
				}
				c.must(c.client.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "windtunnel-proposer"}, Data: tc.secret}))
			}
			c.told()
			c.succeed(job, 0)
			c.reconcile(sweep)
			got := meta.FindStatusCondition(c.subject(sweep).status().Conditions, v1alpha1.ConditionProposerFailed)
			if tc.want == "" {
				if got != nil {
					t.Errorf("condition %+v", got)
				}
				return
			}
			if got == nil || got.Reason != tc.reason || !strings.Contains(got.Message, tc.want) || strings.Contains(got.Message, "hidden") {
				t.Fatalf("condition %+v, want %s with %q", got, tc.reason, tc.want)
			}
			if told := strings.Join(c.told(), "\n"); strings.Count(told, "Warning "+tc.reason) != 1 {
				t.Errorf("told %q", told)
			}
			// The search goes on, with changes of Windtunnel.
			if next := c.latest(); next.Labels[LabelComponent] != ComponentWorker || next.Labels[LabelRound] != "1" {
				t.Errorf("the next Job is %v", next.Labels)
			}
		})
	}
}

// TestAJournalThatSomebodyDamages has somebody spoil answers: before the manager has read them,
// and before another manager reads them again.
func TestAJournalThatSomebodyDamages(t *testing.T) {
	damage := map[string]struct {
		harm   func(*cluster, *corev1.ConfigMap)
		reason string
		want   string
	}{
		"deleted":  {func(c *cluster, cm *corev1.ConfigMap) { c.must(c.client.Delete(c.t.Context(), cm)) }, v1alpha1.ReasonResultMissing, "does not exist"},
		"cut off":  {func(c *cluster, cm *corev1.ConfigMap) { c.replace(cm, cutOff) }, v1alpha1.ReasonResultCorrupt, "of proposals"},
		"replaced": {func(c *cluster, cm *corev1.ConfigMap) { c.replace(cm, another) }, v1alpha1.ReasonResultCorrupt, "has the digest"},
		"of nobody": {func(c *cluster, cm *corev1.ConfigMap) {
			c.replace(cm, func(cm *corev1.ConfigMap) { cm.OwnerReferences = nil })
		}, v1alpha1.ReasonResultCorrupt, "its owner reference does not match"},
	}
	for name, tc := range damage {
		for when, readBefore := range map[string]bool{"before it is read": false, "and read again": true} {
			t.Run(name+" "+when, func(t *testing.T) {
				c, sweep, job := asked(t, steady(t))
				c.succeed(job, 0)
				if readBefore {
					c.reconcile(sweep)
					c.restart()
				}
				damaged := c.journalMap()
				tc.harm(c, damaged.DeepCopy())
				_, d := c.decide(sweep)
				c.must(c.reconcilers[sweeps.kind].applier.apply(t.Context(), mustObserve(c, sweep), d, c.clock.Now()))
				ready := meta.FindStatusCondition(c.subject(sweep).status().Conditions, v1alpha1.ConditionReady)
				if ready.Reason != tc.reason || !strings.Contains(ready.Message, tc.want) {
					t.Errorf("condition Ready is %+v, want %s with %q", ready, tc.reason, tc.want)
				}
				// Without it, an edit of the spec asks again.
				_ = c.client.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: damaged.Name}})
				edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.RetriesPerShard = nil })
				c.finish(sweep, rand.New(rand.NewPCG(5, 5)))
			})
		}
	}
}

func mustObserve(c *cluster, o client.Object) *observation {
	w, _ := c.decide(o)
	return w
}

// journalMap is the ConfigMap of answers.
func (c *cluster) journalMap() *corev1.ConfigMap {
	c.t.Helper()
	all := c.configMaps()
	at := slices.IndexFunc(all, func(cm corev1.ConfigMap) bool { return cm.Labels[LabelComponent] == ComponentJournal })
	if at < 0 {
		c.t.Fatal("there is no journal")
	}
	return &all[at]
}

func cutOff(cm *corev1.ConfigMap) {
	packed := cm.BinaryData[store.ProposalsKey]
	cm.BinaryData = map[string][]byte{store.ProposalsKey: packed[:len(packed)/2]}
}

// another has answers that the pod did not write.
func another(cm *corev1.ConfigMap) {
	packed, _ := propose.Pack([]propose.Entry{{Generation: 1}, {Generation: 1, Island: 1}})
	cm.BinaryData = map[string][]byte{store.ProposalsKey: packed}
}

// TestAnswersThatNobodyAskedFor has a pod report answers to other inquiries.
func TestAnswersThatNobodyAskedFor(t *testing.T) {
	c, sweep, job := asked(t, steady(t))
	packed, raw := propose.Pack([]propose.Entry{{Generation: 4}})
	round := c.configMap(t, roundName(job.Name))
	var owner worker.Owner
	c.must(json.Unmarshal([]byte(round.Data[worker.OwnerFile]), &owner))
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "forged", Labels: owner.Labels, OwnerReferences: []metav1.OwnerReference{owner.Reference}}}
	immutable := true
	cm.Immutable, cm.BinaryData = &immutable, map[string][]byte{store.ProposalsKey: packed}
	c.must(c.client.Create(t.Context(), cm))
	w := mustObserve(c, sweep)
	pod := c.startPod(job, 0)
	c.endPod(pod, 0, "Completed", encodedReport(store.Report{PlanHash: w.plan.hash, Round: 1, Results: &store.Reference{Name: "forged", Rows: 1, SHA256: experiment.Digest(raw)}}))
	c.reconcile(sweep)
	if ready := meta.FindStatusCondition(c.subject(sweep).status().Conditions, v1alpha1.ConditionReady); ready.Reason != v1alpha1.ReasonResultCorrupt || !strings.Contains(ready.Message, "1 entries for 2 inquiries") {
		t.Errorf("condition Ready is %+v", ready)
	}
}

func TestWhatIsDecidedOfAJobThatAsks(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*cluster, *v1alpha1.PolicySweep, *batchv1.Job)
		acts   []string
		want   string
	}{
		"it is left to run": {func(*cluster, *v1alpha1.PolicySweep, *batchv1.Job) {}, nil, "no pod of Job JOB runs yet"},
		"it runs": {func(c *cluster, _ *v1alpha1.PolicySweep, job *batchv1.Job) { c.startPod(job, 0) }, nil,
			"round 2: 2 inquiries to the proposer for 6 policies"},
		"the spec suspends it": {func(c *cluster, s *v1alpha1.PolicySweep, _ *batchv1.Job) {
			edit(c, s, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = true })
		}, []string{"suspend Job JOB"}, "spec.execution.suspend is true; round 2: 2 inquiries to the proposer for 6 policies"},
		"without its inquiries it is deleted": {func(c *cluster, _ *v1alpha1.PolicySweep, job *batchv1.Job) {
			c.must(c.client.Delete(t.Context(), c.configMap(t, roundName(job.Name))))
		}, []string{"delete Job JOB"}, "the round ConfigMap of Job JOB does not exist; the manager creates both again once the Job is deleted"},
		"once it is deleted it is created again": {func(c *cluster, _ *v1alpha1.PolicySweep, job *batchv1.Job) {
			c.must(c.client.Delete(t.Context(), job))
		}, []string{"create Job JOB"}, "no pod of Job JOB runs yet"},
		"an edit of how it runs replaces it": {func(c *cluster, s *v1alpha1.PolicySweep, _ *batchv1.Job) {
			edit(c, s, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Shards = 2 })
		}, []string{"delete Job JOB", "create ConfigMap NEXT-round", "create Job NEXT"}, "no pod of Job NEXT runs yet"},
	} {
		t.Run(name, func(t *testing.T) {
			c, asking, job := asked(t, steady(t))
			tc.change(c, asking, job)
			_, d := c.decide(asking)
			names := strings.NewReplacer(job.Name, "JOB")
			for _, a := range d.actions {
				if _, is := a.object.(*batchv1.Job); is && a.object.GetName() != job.Name {
					names = strings.NewReplacer(job.Name, "JOB", a.object.GetName(), "NEXT")
				}
			}
			var acts []string
			for _, a := range d.actions {
				acts = append(acts, names.Replace(a.String()))
			}
			s := c.subject(asking)
			if d.status != nil {
				s = d.status
			}
			ready := meta.FindStatusCondition(s.status().Conditions, v1alpha1.ConditionReady)
			if !slices.Equal(acts, tc.acts) || names.Replace(ready.Message) != tc.want {
				t.Errorf("acts %q, message %q, want %q and %q", acts, names.Replace(ready.Message), tc.acts, tc.want)
			}
		})
	}
}

// TestAJobThatAsksAndFails has the Job fail without an answer: the sweep fails as one does whose
// shard fails.
func TestAJobThatAsksAndFails(t *testing.T) {
	c, sweep, job := asked(t, steady(t))
	c.endPod(c.startPod(job, 0), 137, "OOMKilled", "")
	c.endJob(job, batchv1.JobFailed, batchv1.JobReasonFailedIndexes, "", 0)
	c.reconcile(sweep)
	ready := meta.FindStatusCondition(c.subject(sweep).status().Conditions, v1alpha1.ConditionReady)
	if ready.Reason != v1alpha1.ReasonJobFailed || !strings.Contains(ready.Message, "round 2: 2 inquiries to the proposer for 6 policies") {
		t.Errorf("condition Ready is %+v", ready)
	}
}
