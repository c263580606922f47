// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

// searched are sweeps of several kinds, most of several rounds.
var searched = map[string]func(*v1alpha1.PolicySweepSpec){
	"grid": func(*v1alpha1.PolicySweepSpec) {},
	"tpe": func(s *v1alpha1.PolicySweepSpec) {
		size, confirm := int32(4), int32(2)
		s.Search = v1alpha1.Search{Algorithm: v1alpha1.TPESearch, MaxTrials: 12, Seed: 1, GenerationSize: &size, Confirm: &confirm}
	},
	"halving": func(s *v1alpha1.PolicySweepSpec) {
		s.Search = v1alpha1.Search{Algorithm: v1alpha1.SuccessiveHalvingSearch, MaxTrials: 9, Seed: 1,
			Halving: &v1alpha1.Halving{Fidelity: v1alpha1.RequestsFidelity, Reduction: 3}}
	},
	"evolution": func(s *v1alpha1.PolicySweepSpec) {
		size, confirm := int32(6), int32(2)
		s.Scenario.Router = v1alpha1.Router{Policies: &v1alpha1.Policies{Bundle: &v1alpha1.ManifestSource{Inline: ptr.To(poorBundle)}}, MetricsRefreshInterval: "50ms"}
		s.Parameters = []v1alpha1.Parameter{{Name: "policy", Path: "router.policies.bundle", Evolve: &v1alpha1.Evolution{MaxNodes: 9}}}
		s.Baseline.Parameters = []v1alpha1.Assignment{{Name: "policy", Value: "scenario"}}
		s.Search = v1alpha1.Search{Algorithm: v1alpha1.MAPElitesSearch, MaxTrials: 24, Seed: 1, GenerationSize: &size, Confirm: &confirm,
			Features: []v1alpha1.Feature{{Metric: "cacheHit.gpu", Min: "0", Max: "1", Bins: 4}},
			Islands:  &v1alpha1.Islands{Count: 2, MigrateEvery: 2}}
	},
	"precise": func(s *v1alpha1.PolicySweepSpec) {
		most := int32(8)
		s.Replications.Precision, s.Replications.MaxCount, s.Replications.Metric = "0.001%", &most, "e2e.mean"
	},
}

// poorBundle chooses replicas at random.
const poorBundle = `{apiVersion: sim.windtunnel.dev/v1alpha1, kind: PolicyBundle, routing: {signals: [prefix-affinity], decisionTree: {root: {value: 0}}}}`

func searchedSweep(kind string, shards int32) *v1alpha1.PolicySweep {
	sweep := builder.MakeSweep("weights", "team-a").UID("weights-uid").Generation(1).Scenario(builder.Requests(30)).
		Values("replicas", replicasPath, "1", "2", "3").
		Values("seqs", "pools[llama].engine.maxNumSeqs", "1", "2", "8", "64").
		Baseline("replicas", "2").Baseline("seqs", "8").Seeds(1, 2).Shards(shards).Obj()
	searched[kind](&sweep.Spec)
	return sweep
}

// TestTheDigestDoesNotDependOnHowItIsRun runs sweeps in 1, 3 and 16 shards that end
// in any order, with managers that forget everything, pods that are stopped and Jobs
// that somebody deletes half-way. Their results have the digest that they have on a laptop.
func TestTheDigestDoesNotDependOnHowItIsRun(t *testing.T) {
	for kind := range searched {
		t.Run(kind, func(t *testing.T) {
			want := localDigest(t, sweepSubject(searchedSweep(kind, 1)))
			for _, shards := range []int32{1, 3, 16} {
				c := newCluster(t)
				sweep := searchedSweep(kind, shards)
				c.create(sweep)
				rounds := c.finish(sweep, rand.New(rand.NewPCG(uint64(shards), 1)))
				st := c.subject(sweep).status()
				if st.Results.Digest != want || kind == "grid" && st.Results.Rows != st.Progress.Completed {
					t.Errorf("%d shards: digest %s, want %s; %d rows named of %d", shards, st.Results.Digest, want, st.Results.Rows, st.Progress.Completed)
				}
				if kind != "grid" && rounds < 2 {
					t.Errorf("%d shards: %d rounds", shards, rounds)
				}
			}
		})
	}
}

// finish lets a sweep's shards end in random order, with trouble, until it is
// complete. It returns the number of its rounds.
func (c *cluster) finish(sweep *v1alpha1.PolicySweep, random *rand.Rand) int {
	c.t.Helper()
	rounds := map[string]bool{}
	for range 1000 {
		c.reconcile(sweep)
		s := c.subject(sweep)
		if isTrue(s.status(), v1alpha1.ConditionComplete) {
			return len(rounds)
		}
		if isTrue(s.status(), v1alpha1.ConditionFailed) {
			break
		}
		if random.IntN(8) == 0 {
			c.restart()
		}
		job := c.latest()
		rounds[job.Labels[LabelRound]] = true
		open := c.open(job)
		switch {
		case random.IntN(12) == 0:
			c.must(c.client.Delete(c.t.Context(), job))
			c.collectGarbage()
		case random.IntN(6) == 0 && len(open) > 0:
			c.stop(job, c.startPod(job, open[random.IntN(len(open))]), random.IntN(4))
		case len(open) > 0:
			c.succeed(job, open[random.IntN(len(open))])
		}
	}
	c.t.Fatalf("it does not complete: %s", statusLine(c.subject(sweep)))
	return 0
}

// latest is the Job of the last round: one that simulates comes after the one that asks a
// proposer.
func (c *cluster) latest() *batchv1.Job {
	jobs := c.jobs()
	if len(jobs) == 0 {
		c.t.Fatal("there is no Job")
	}
	order := func(a, b batchv1.Job) int {
		return cmp.Or(strings.Compare(a.Labels[LabelRound], b.Labels[LabelRound]), strings.Compare(a.Labels[LabelComponent], b.Labels[LabelComponent]),
			attemptOf(&a)-attemptOf(&b))
	}
	last := slices.MaxFunc(jobs, order)
	return &last
}

// open are the indexes of a Job that have not succeeded.
func (c *cluster) open(job *batchv1.Job) []int {
	done := map[int]bool{}
	for _, pod := range c.pods() {
		if index, ok := completionIndex(&pod); ok && pod.Labels[batchv1.JobNameLabel] == job.Name && pod.Status.Phase == corev1.PodSucceeded {
			done[index] = true
		}
	}
	var open []int
	for index := range shardsOf(job) {
		if !done[index] {
			open = append(open, index)
		}
	}
	return open
}

// localDigest is that of a sweep without a cluster.
func localDigest(t testing.TB, s subject) string {
	t.Helper()
	compiled, errs, err := s.compile(t.Context(), clusterInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	conducted, err := execute.RunLocally(t.Context(), compiled.Plan, compiled.Traces, execute.Options{Parallelism: 2})
	if err != nil {
		t.Fatal(err)
	}
	digest, err := result.RowsDigest(conducted.Rows())
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// TestAnEditCostsWhatChanged edits a sweep and counts what is simulated again.
func TestAnEditCostsWhatChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.PolicySweepSpec)
		want int // simulations of the next Job
	}{
		"another value":         {func(s *v1alpha1.PolicySweepSpec) { s.Parameters[0].Values = append(s.Parameters[0].Values, "4") }, 8},
		"values in other order": {func(s *v1alpha1.PolicySweepSpec) { s.Parameters[0].Values = []string{"3", "2", "1"} }, 0},
		"fewer values":          {func(s *v1alpha1.PolicySweepSpec) { s.Parameters[1].Values = []string{"2", "8"} }, 0},
		"another objective": {func(s *v1alpha1.PolicySweepSpec) {
			s.Objectives[0] = v1alpha1.Objective{Metric: "ttft.p99", Direction: v1alpha1.Minimize}
		}, 0},
		"one seed for another":   {func(s *v1alpha1.PolicySweepSpec) { s.Replications.Seeds = []int64{2, 3} }, 12},
		"something in all of it": {func(s *v1alpha1.PolicySweepSpec) { builder.Requests(31)(&s.Scenario) }, 24},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			sweep := searchedSweep("grid", 2)
			c.create(sweep)
			c.finish(sweep, rand.New(rand.NewPCG(1, 1)))
			edit(c, sweep, func(s *v1alpha1.PolicySweep) { tc.edit(&s.Spec) })
			w, _ := c.decide(sweep)
			got := 0
			if w.task != nil {
				got = w.task.simulations
			}
			if got != tc.want {
				t.Errorf("%d simulations are to be run, want %d", got, tc.want)
			}
			c.finish(sweep, rand.New(rand.NewPCG(2, 1)))
			s := c.subject(sweep)
			if want := localDigest(t, s); s.status().Results.Digest != want {
				t.Errorf("digest %s, want %s", s.status().Results.Digest, want)
			}
			if diff := localRows(t, s); diff != c.rows(s) {
				t.Error("the rows are not those of a laptop")
			}
			if reused := int(s.status().Progress.Completed) - tc.want; int(s.status().Progress.Reused) > reused {
				t.Errorf("%d are said to be reused, and %d can be", s.status().Progress.Reused, reused)
			}
		})
	}
}

// TestResultsOfOthersServeToo lets a sweep reuse what another one simulated, and
// then deletes that one with all that it owns.
func TestResultsOfOthersServeToo(t *testing.T) {
	c := newCluster(t)
	second := searchedSweep("grid", 2)
	second.Name, second.UID = "second", "second-uid"
	second.Spec.Parameters[0].Values = []string{"2", "3", "4"}
	second.Spec.ReuseFrom = []string{"weights"}
	c.create(second)
	c.reconcile(second)
	if words := statusLine(c.subject(second)); words != fmt.Sprintf(
		"status of generation 1: Ready=False Stalled=True (InputMissing): spec.reuseFrom[0]: Not found: %q: there is no PolicySweep or SimulationRun of this name in namespace team-a", "weights") {
		t.Errorf("without it, %s", words)
	}
	first := searchedSweep("grid", 2)
	c.create(first)
	c.finish(first, rand.New(rand.NewPCG(1, 1)))
	c.must(c.client.DeleteAllOf(c.t.Context(), &corev1.Pod{}))
	for _, job := range c.jobs() {
		c.must(c.client.Delete(t.Context(), &job))
	}
	waiting := (watcher{cache: c.client, subjects: sweeps}).ofSource(t.Context(), first)
	if len(waiting) != 1 || waiting[0].Name != "second" {
		t.Errorf("its creation wakes %v", waiting)
	}
	c.reconcile(second)
	if got := c.subject(second).status().Progress; got.Reused != 16 || got.Completed != 16 || got.Total != 24 {
		t.Errorf("progress %+v, want 16 of 24 reused", got)
	}
	for _, cm := range c.configMaps() {
		if ownedBy(&cm, sweepSubject(first)) {
			c.must(c.client.Delete(t.Context(), &cm))
		}
	}
	c.must(c.client.Delete(t.Context(), first))
	c.restart()
	c.finish(second, rand.New(rand.NewPCG(2, 1)))
	s := c.subject(second)
	if want := localDigest(t, s); s.status().Results.Digest != want {
		t.Errorf("digest %s, want %s", s.status().Results.Digest, want)
	}
}
