// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// clusterDoor has a sweep with a proposer simulate programs. The loop is the proposer. The code
// of the pods asks it, and simulates what it proposes; a folder and a list of ConfigMaps stand
// for the volumes and the API server. Summaries are requested apart from the sweep, as a service
// asks the evaluator.
type clusterDoor struct {
	summaries *goDoor
	service   *httptest.Server
	proposed  string // what the service answers
	folder    string
	plan      *experiment.Plan
	study     *study.Study
	journal   propose.Journal
	scores    map[string]float64 // by programs
}

// sweepText is the sweep of a seed, which evolves the policy from a program.
func sweepText(seed int64, program, url string) ([]byte, error) {
	var run struct {
		Spec struct {
			Scenario map[string]any `json:"scenario"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(scenarioText, &run); err != nil {
		return nil, err
	}
	policy, err := json.Marshal(map[string]any{
		"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle",
		"routing": map[string]any{"signals": evaluate.DefaultSignals, "starlark": map[string]any{"source": program, "parameters": map[string]any{"spare": 1}}},
	})
	if err != nil {
		return nil, err
	}
	run.Spec.Scenario["router"].(map[string]any)["policies"] = map[string]any{"bundle": map[string]any{"inline": string(policy)}}
	return yaml.Marshal(map[string]any{
		"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicySweep", "metadata": map[string]any{"name": "apps"},
		"spec": map[string]any{
			"scenario":   run.Spec.Scenario,
			"parameters": []any{map[string]any{"name": "policy", "path": "router.policies.bundle", "evolve": map[string]any{"proposer": map[string]any{"url": url}}}},
			"search": map[string]any{
				"algorithm": "MAPElites", "maxTrials": 1000, "generationSize": 1,
				"features": []any{map[string]any{"metric": "goodput", "min": "0", "max": "1", "bins": 2}},
			},
			"objectives":   []any{map[string]any{"metric": "goodput", "direction": "Maximize"}, map[string]any{"metric": "ttft.mean", "direction": "Minimize"}},
			"replications": map[string]any{"seeds": []int64{seed}},
		},
	})
}

// newClusterDoor makes the sweep of a seed.
func newClusterDoor(ctx context.Context, summaries *goDoor, seed int64) (*clusterDoor, error) {
	d := &clusterDoor{summaries: summaries, journal: propose.Journal{}, scores: map[string]float64{}}
	d.service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"policies": []any{map[string]any{"language": "starlark", "policy": d.proposed}}})
	}))
	text, err := sweepText(seed, flawed(knobs()).source(knobs()), d.service.URL)
	if err != nil {
		return nil, err
	}
	set, err := manifest.Read(bytes.NewReader(text), "sweep.yaml")
	if err != nil {
		return nil, err
	}
	compiled, errs, err := compile.Sweep(ctx, set.Sweeps[0], nil)
	if err != nil || len(errs) > 0 {
		return nil, errors.Join(err, errs.ToAggregate())
	}
	d.plan = compiled.Plan
	encoded, err := experiment.DecodePlan(d.plan.Encode())
	if err != nil {
		return nil, err
	}
	encoded.Proposer = d.journal.Answers
	if d.study, err = study.New(encoded); err != nil {
		return nil, err
	}
	if d.folder, err = os.MkdirTemp("", "windtunnel-evolution-"); err != nil {
		return nil, err
	}
	owner, err := json.Marshal(worker.Owner{Namespace: "team-a", Prefix: "apps", Labels: map[string]string{}})
	if err != nil {
		return nil, err
	}
	return d, errors.Join(d.mount(worker.PlanFile, d.plan.Encode()), d.mount(worker.OwnerFile, owner))
}

func (d *clusterDoor) mount(name string, raw []byte) error {
	return os.WriteFile(filepath.Join(d.folder, name), raw, 0o600)
}

func (d *clusterDoor) close() error {
	d.service.Close()
	return os.RemoveAll(d.folder)
}

func (d *clusterDoor) evaluate(ctx context.Context, source string, seed int64, summary bool) (float64, string, error) {
	if _, known := d.scores[source]; !known {
		if err := d.simulate(ctx, source); err != nil {
			return 0, "", err
		}
	}
	if !summary {
		return d.scores[source], "", nil
	}
	_, text, err := d.summaries.evaluate(ctx, source, seed, true)
	return d.scores[source], text, err
}

// simulate has the pods of a round do their work: the first one has the program that the sweep
// begins with, and another one that of the loop.
func (d *clusterDoor) simulate(ctx context.Context, source string) error {
	if d.proposed = source; d.study.Inquiries() != nil {
		if err := d.ask(ctx); err != nil {
			return err
		}
	}
	round := d.study.Round()
	if round == nil || round.Simulations() != 1 {
		return errors.New("a round of the sweep has not one policy")
	}
	if err := d.mount(worker.RoundFile, d.plan.Work(round, []int{0}).Encode()); err != nil {
		return err
	}
	var written configMaps
	_, err := worker.Run(ctx, worker.Options{
		PlanFolder: d.folder, RoundFolder: d.folder, InputsFolder: d.folder, Shards: 1, Parallelism: 1, Fence: d.fence(),
	}, &written)
	if err != nil {
		return err
	}
	rows, err := written.rows()
	if err != nil {
		return err
	}
	d.scores[source], err = scoreOf(rows)
	return errors.Join(err, d.study.AddRows(rows))
}

// fence is that of the evaluator, behind which a worker runs programs, too.
func (d *clusterDoor) fence() execute.Fence {
	behind, _ := d.summaries.evaluator.Fence.(execute.Fence)
	return behind
}

// ask has a pod ask the loop, and the study go on with the answer.
func (d *clusterDoor) ask(ctx context.Context) error {
	inquiries := d.study.Inquiries()
	packed, _ := propose.Pack(worker.Inquiries{Round: inquiries[0].Generation, Inquiries: inquiries})
	if err := d.mount(worker.InquiriesFile, packed); err != nil {
		return err
	}
	var written configMaps
	_, err := worker.Propose(ctx, worker.ProposeOptions{
		PlanFolder: d.folder, RoundFolder: d.folder, SecretFolder: d.folder, Wait: func(context.Context, time.Duration) {},
	}, &written)
	if err != nil {
		return err
	}
	entries, err := written.entries(inquiries)
	if err != nil {
		return err
	}
	d.journal.Add(entries)
	d.study.Continue()
	return nil
}

// scoreOf is the combined score of one row, as the evaluator has it.
func scoreOf(rows []result.Row) (float64, error) {
	if len(rows) != 1 || rows[0].Failed() {
		return 0, fmt.Errorf("a program of the study: %d rows, error %q", len(rows), rows[0].Error)
	}
	goodput, _ := rows[0].Metrics.Get("goodput")
	ttft, _ := rows[0].Metrics.Get("ttft.mean")
	return (goodput + min(1, targetTTFT/ttft)) / 2, nil
}

// configMaps stand for an API server.
type configMaps []*corev1.ConfigMap

// CreateConfigMap implements [worker.Creator].
func (c *configMaps) CreateConfigMap(_ context.Context, cm *corev1.ConfigMap) error {
	*c = append(*c, cm)
	return nil
}

// rows are those of the chunks.
func (c configMaps) rows() ([]result.Row, error) {
	var all []result.Row
	for _, cm := range c {
		if cm.BinaryData[store.RowsKey] == nil {
			continue
		}
		rows, err := store.Chunk{Data: cm.Data, Binary: cm.BinaryData}.Decode()
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// entries are the answers, which the manager checks like this.
func (c configMaps) entries(inquiries []search.Inquiry) ([]propose.Entry, error) {
	var entries []propose.Entry
	if _, err := propose.Unpack(c[0].BinaryData[store.ProposalsKey], &entries); err != nil {
		return nil, err
	}
	if err := propose.Check(entries, inquiries); err != nil {
		return nil, err
	}
	if len(entries[0].Policies) != 1 {
		return nil, fmt.Errorf("the answer of the loop: %+v", entries[0])
	}
	return entries, nil
}
