// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// ErrBadInput says that trying again gives the same failure: the plan or an
// input is not what it must be.
var ErrBadInput = errors.New("bad input")

// Names of the files that the operator mounts beside each other.
const (
	// PlanFile is the encoded plan.
	PlanFile = "plan.json"
	// OwnerFile is the Owner of the results.
	OwnerFile = "owner.json"
)

// Owner is the object that owns the results.
type Owner struct {
	Namespace string                `json:"namespace"`
	Labels    map[string]string     `json:"labels"`
	Reference metav1.OwnerReference `json:"reference"`
	// Prefix begins the names of the result ConfigMaps.
	Prefix string `json:"prefix"`
}

// Creator creates ConfigMaps. An error that says the name is taken counts as
// success, since the name carries the content's digest.
type Creator interface {
	CreateConfigMap(ctx context.Context, cm *corev1.ConfigMap) error
}

// Options say what to simulate.
type Options struct {
	// PlanFolder holds PlanFile and OwnerFile; InputsFolder the trace, under
	// its ConfigMap key.
	PlanFolder, InputsFolder string
	// Index is this shard's, of Shards.
	Index, Shards int
	// Parallelism is the number of simulations at once.
	Parallelism int
}

// Run simulates a shard and returns what to report. On an error the report
// says it in words.
func Run(ctx context.Context, o Options, creator Creator) (experiment.Report, error) {
	report := experiment.Report{Shard: o.Index}
	if err := o.run(ctx, creator, &report); err != nil {
		report.Error, report.Chunks = err.Error(), nil
		return report, err
	}
	return report, nil
}

func (o Options) run(ctx context.Context, creator Creator, report *experiment.Report) error {
	plan, owner, err := o.read()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadInput, err)
	}
	report.PlanHash = plan.Hash()
	if o.Index < 0 || o.Index >= o.Shards {
		return fmt.Errorf("%w: shard %d of %d", ErrBadInput, o.Index, o.Shards)
	}
	trace, err := o.trace(plan)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadInput, err)
	}
	study, err := plan.Study()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadInput, err)
	}
	round := study.Round()
	simulations, err := plan.Simulate(ctx, trace, round, round.Shard(o.Index, o.Shards).Indices(), experiment.Options{Parallelism: o.Parallelism, KeepDecisions: true})
	if err != nil {
		return final(err)
	}
	chunks, err := experiment.Chunks(simulations)
	if err != nil {
		return final(err)
	}
	var configMaps []*corev1.ConfigMap
	for i, chunk := range chunks {
		cm := owner.configMap(o.Index, i, chunk)
		configMaps = append(configMaps, cm)
		report.Chunks = append(report.Chunks, v1alpha1.ResultReference{Name: cm.Name, Rows: int64(chunk.Rows), SHA256: chunk.SHA256()})
	}
	// Results that cannot be reported would be written for nobody.
	if _, err := report.Encode(); err != nil {
		return fmt.Errorf("%w: %w", ErrBadInput, err)
	}
	for _, cm := range configMaps {
		if err := creator.CreateConfigMap(ctx, cm); err != nil {
			return fmt.Errorf("create ConfigMap %s: %w", cm.Name, err)
		}
	}
	return nil
}

// final marks an error that every further try would give again.
func final(err error) error {
	if errors.Is(err, experiment.ErrInvalidPoint) || errors.Is(err, experiment.ErrTooLarge) {
		return fmt.Errorf("%w: %w", ErrBadInput, err)
	}
	return err
}

func (o Options) read() (*experiment.Plan, *Owner, error) {
	raw, err := os.ReadFile(filepath.Join(o.PlanFolder, PlanFile))
	if err != nil {
		return nil, nil, err
	}
	plan, err := experiment.DecodePlan(raw)
	if err != nil {
		return nil, nil, err
	}
	if raw, err = os.ReadFile(filepath.Join(o.PlanFolder, OwnerFile)); err != nil {
		return nil, nil, err
	}
	var owner Owner
	if err := json.Unmarshal(raw, &owner); err != nil {
		return nil, nil, fmt.Errorf("decode %s: %w", OwnerFile, err)
	}
	return plan, &owner, nil
}

// trace reads the plan's trace and checks that it is the one planned for.
func (o Options) trace(plan *experiment.Plan) (*workload.Trace, error) {
	if plan.Trace == nil {
		return nil, nil
	}
	name := filepath.Join(o.InputsFolder, plan.Trace.ConfigMap.Key)
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	trace, err := workload.ReadTrace(workload.Format(plan.Trace.Format), bytes.NewReader(raw), name)
	if err != nil {
		return nil, err
	}
	if trace.Digest() != plan.Trace.SHA256 {
		return nil, fmt.Errorf("trace %s: sha256 is %s, planned for %s; it changed since", name, trace.Digest(), plan.Trace.SHA256)
	}
	return trace, nil
}

// configMap makes the immutable object that holds a chunk.
func (w *Owner) configMap(shard, index int, chunk experiment.Chunk) *corev1.ConfigMap {
	immutable := true
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       w.Namespace,
			Name:            fmt.Sprintf("%s-%d-%d-%s", w.Prefix, shard, index, chunk.SHA256()[:8]),
			Labels:          w.Labels,
			OwnerReferences: []metav1.OwnerReference{w.Reference},
		},
		Immutable:  &immutable,
		Data:       chunk.Data,
		BinaryData: chunk.Binary,
	}
}
