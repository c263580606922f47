// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/worker"
)

var trials = flag.Int("trials", 20_000, "the trials of TestManyTrialsTakeFewWrites, a multiple of 1,000 up to 1,000,000, which take minutes")

const (
	// manyWorkers share the trials, and mostWrites is what they and the manager may write together.
	manyWorkers, mostWrites = 32, 100
	seedsOfAPoint           = 10
)

// TestManyTrialsTakeFewWrites runs a fine grid under ten seeds in 32 shards, with a manager of its own
// that has the memory of the Deployment:
//
//	KUBEBUILDER_ASSETS=$(hack/kube-assets.sh) go test ./test/operator -run ManyTrials -v -trials 1000000 -timeout 1h
//
// Workers do not simulate their trials: each writes the real rows of two points, under the keys of all
// points, as if the points of each half of the grid behaved alike. That is what the manager and the API
// server have to do with; the log says what it costs, in CPU time.
func TestManyTrialsTakeFewWrites(t *testing.T) {
	p := newPlatform(t, func(*envtest.ControlPlane) {})
	ns := p.namespace(t)
	creator, err := worker.NewCluster(p.admin)
	if err != nil {
		t.Fatal(err)
	}
	workers := &standIns{creator: creator}
	p.kubelet.set(ns, faults{worker: workers.run})
	points := *trials / seedsOfAPoint
	seeds := make([]int64, seedsOfAPoint)
	for i := range seeds {
		seeds[i] = int64(i + 1)
	}
	sweep := builder.MakeSweep("grid", "").Scenario(builder.Requests(20), builder.Replicas(1)).
		Grid("sequences", "pools[llama].engine.maxNumSeqs", "1", fmt.Sprint(points/100), "1").
		Grid("tokens", "pools[llama].engine.maxNumBatchedTokens", "2048", "2147", "1").
		Seeds(seeds...).Shards(manyWorkers).MaxTrials(int32(points)).Obj()
	m := p.startManager(t, ns)
	m.untilReady(t)
	began := time.Now()
	p.create(t, ns, sweep)
	for deadline := 20 * patience; time.Since(began) < deadline && !strings.Contains(statusMessage(statusOf(p.read(t, sweep))), "Complete=True"); {
		time.Sleep(200 * time.Millisecond)
	}
	p.until(t, sweep, v1alpha1.ConditionComplete)
	took := time.Since(began)
	_, peak := m.memory(t)
	if log := m.stop(t); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the manager logs errors:\n%s", log)
	}
	if got := sweep.Status.Results; got.Rows != int64(*trials) || got.Digest != p.digestOf(t, sweep) {
		t.Errorf("%d rows of digest %s, want %d of digest %s", got.Rows, got.Digest, *trials, p.digestOf(t, sweep))
	}
	made, refused, err := auditedWrites(p.auditLog, ns)
	if err != nil {
		t.Fatal(err)
	}
	chunks := len(p.configMaps(t, ns, controllers.ComponentResult))
	if len(made)+chunks > mostWrites {
		t.Errorf("workers write %d ConfigMaps, and the manager writes %d times:\n%s", chunks, len(made), strings.Join(made, "\n"))
	}
	manager := m.cmd.ProcessState.UserTime() + m.cmd.ProcessState.SystemTime()
	t.Logf("%d trials in %s: %d writes of workers and %d of the manager, and %d requests refused; the manager takes %.1f s of CPU time and %d MiB at most, a worker %.2f s beside simulations",
		*trials, took.Round(time.Second), chunks, len(made), len(refused), manager.Seconds(), peak>>20, workers.most().Seconds())
	for _, each := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		// As if nothing of the manager's work overlapped with that of workers.
		simulating := time.Duration(*trials) * each / manyWorkers
		t.Logf("efficiency with trials of %s: %.1f %%", each, 100*simulating.Seconds()/(simulating+manager+workers.most()).Seconds())
	}
}

// digestOf is the digest of the rows in the chunks that a status names, one after the other.
func (p *platform) digestOf(t *testing.T, o customResource) string {
	t.Helper()
	h := sha256.New()
	for _, ref := range p.chunks(t, o) {
		var cm corev1.ConfigMap
		if err := p.client.Get(t.Context(), client.ObjectKey{Namespace: o.GetNamespace(), Name: ref.Name}, &cm); err != nil {
			t.Fatal(err)
		}
		_, _ = h.Write(lines(t, &cm)) // into memory
	}
	return hex.EncodeToString(h.Sum(nil))
}

// standIns stand in for workers, one at a time. They simulate two points of the grid and write the rows
// of all.
type standIns struct {
	creator worker.Creator
	mu      sync.Mutex
	// took is the CPU time of each.
	took []time.Duration
}

func (s *standIns) most() time.Duration { return slices.Max(s.took) }

func (s *standIns) run(ctx context.Context, index int, planFolder, roundFolder string) (store.Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	report, err := s.work(ctx, index, planFolder, roundFolder)
	s.took = append(s.took, threadTime()-began)
	return report, err
}

// threadTime is the CPU time of the thread that calls it.
func threadTime() time.Duration {
	var used unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (s *standIns) work(ctx context.Context, index int, planFolder, roundFolder string) (report store.Report, err error) {
	raw, err1 := os.ReadFile(filepath.Join(planFolder, worker.PlanFile))
	rawOwner, err2 := os.ReadFile(filepath.Join(roundFolder, worker.OwnerFile))
	rawWork, err3 := os.ReadFile(filepath.Join(roundFolder, worker.RoundFile))
	if err := errors.Join(err1, err2, err3); err != nil {
		return report, err
	}
	plan, err1 := experiment.DecodePlan(raw)
	work, err2 := experiment.DecodeWork(rawWork)
	var owner worker.Owner
	if err := errors.Join(err1, err2, json.Unmarshal(rawOwner, &owner)); err != nil {
		return report, err
	}
	round, which, err := study.Resume(plan, work)
	if err != nil {
		return report, err
	}
	simulations, err := standInRows(ctx, plan, round, round.Part(which, index, manyWorkers))
	if err != nil {
		return report, err
	}
	report = store.Report{PlanHash: plan.Hash(), Round: round.Index, Shard: index}
	report.Results, err = owner.WriteResults(ctx, s.creator, index, simulations)
	return report, err
}

// standInRows gives simulations of the first half of a round's points the results of its first
// point, and the others those of its last one.
func standInRows(ctx context.Context, plan *experiment.Plan, round *experiment.Round, which []int) ([]experiment.Simulation, error) {
	criteria, errs := plan.Criteria(nil)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	metrics, all := criteria.Metrics(), round.All().Indices()
	ends := slices.Concat(all[:seedsOfAPoint], all[len(all)-seedsOfAPoint:])
	simulated, err := execute.Simulate(ctx, plan, nil, round, ends, execute.Options{Parallelism: 1})
	if err != nil {
		return nil, err
	}
	simulations := make([]experiment.Simulation, len(which))
	var of *experiment.Trial
	var keys []string
	for i, n := range which {
		c := round.At(n)
		if c.Trial != of {
			of, keys = c.Trial, plan.TrialKeys(c.Trial, metrics)
		}
		seed, half := slices.Index(c.Seeds, c.Seed), 2*n/len(all)
		simulations[i].Row = simulated[half*seedsOfAPoint+seed].Row
		simulations[i].Row.Key, simulations[i].Row.Point = keys[seed], c.Point.ID
	}
	return simulations, nil
}
