// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Kinds of objects that have results.
const (
	kindSweep = kubectl.KindSweep
	kindRun   = kubectl.KindRun
)

// clusterResults reads the rows of the object of a kind and name. Without a kind it
// looks for a sweep and for a run, of which there must be one.
func clusterResults(ctx context.Context, reader client.Reader, namespace, kind, name string) (*resultSet, error) {
	o, err := kubectl.Find(ctx, reader, kind, client.ObjectKey{Namespace: namespace, Name: name})
	switch {
	case err != nil:
		return nil, asBadInput(err)
	case o.Sweep != nil:
		return sweepResults(ctx, reader, o.Sweep)
	default:
		return runResults(ctx, reader, o.Run)
	}
}

// objectOf splits TYPE/NAME, as kubectl writes it; the kind is "" where there is none.
func objectOf(arg string) (kind, name string, err error) {
	kind, name, err = kubectl.ParseRef(arg)
	return kind, name, asBadInput(err)
}

// runResults reads the rows of a run.
func runResults(ctx context.Context, reader client.Reader, run *v1alpha1.SimulationRun) (*resultSet, error) {
	measures, errs := result.NewMeasures(nil, field.NewPath("spec"))
	if len(errs) > 0 {
		return nil, badInputError{errs.ToAggregate()}
	}
	set := &resultSet{measures: measures, parameters: dataframe.Parameters{}, stepTimes: run.Status.StepTimes}
	return set, set.read(ctx, reader, kindRun, run, run.Status.Results)
}

// sweepResults reads the rows of a sweep.
func sweepResults(ctx context.Context, reader client.Reader, sweep *v1alpha1.PolicySweep) (*resultSet, error) {
	measures, errs := result.NewMeasures(derivedMetrics(sweep.Spec.Metrics), field.NewPath("spec", "metrics"))
	if len(errs) > 0 {
		return nil, badInputError{errs.ToAggregate()}
	}
	set := &resultSet{measures: measures, stepTimes: sweep.Status.StepTimes}
	if err := set.read(ctx, reader, kindSweep, sweep, sweep.Status.Results); err != nil {
		return nil, err
	}
	set.describe(ctx, sweep, clusterInputs{reader, sweep.Namespace})
	return set, nil
}

// read reads an object's rows by their index, each chunk checked against its digest.
func (s *resultSet) read(ctx context.Context, reader client.Reader, kind string, of client.Object, results *v1alpha1.ResultsStatus) error {
	namespace := of.GetNamespace()
	if results == nil {
		return badInputError{fmt.Errorf("%s %s/%s has no results yet", kind, namespace, of.GetName())}
	}
	index, err := readIndex(ctx, reader, namespace, results)
	if err != nil {
		return err
	}
	chunks, err := readChunksOf(ctx, reader, namespace, index)
	if err != nil {
		return err
	}
	for _, chunk := range chunks {
		rows, err := chunk.Decode()
		if err != nil {
			return badInputError{err}
		}
		delete(chunk.Binary, store.RowsKey)
		s.chunks = append(s.chunks, chunk)
		s.rows = append(s.rows, rows...)
	}
	return s.readJournal(ctx, reader, namespace, index.Journal)
}

// readJournal reads the answers of a proposer.
func (s *resultSet) readJournal(ctx context.Context, reader client.Reader, namespace string, references []store.Reference) error {
	s.journal = propose.Journal{}
	for _, ref := range references {
		cm, err := configMap(ctx, reader, namespace, ref.Name)
		if err != nil {
			return err
		}
		var entries []propose.Entry
		raw, err := propose.Unpack(cm.BinaryData[store.ProposalsKey], &entries)
		if err != nil {
			return fmt.Errorf("ConfigMap %s/%s: %w", namespace, cm.Name, err)
		}
		if digest := experiment.Digest(raw); digest != ref.SHA256 {
			return fmt.Errorf("ConfigMap %s/%s: its digest is %s, but the index has %s", namespace, cm.Name, digest, ref.SHA256)
		}
		s.journal.Add(entries)
	}
	return nil
}

// readChunks reads the ConfigMaps of results by their index, each checked against its digest.
func readChunks(ctx context.Context, reader client.Reader, namespace string, results *v1alpha1.ResultsStatus) ([]store.Chunk, error) {
	index, err := readIndex(ctx, reader, namespace, results)
	if err != nil {
		return nil, err
	}
	return readChunksOf(ctx, reader, namespace, index)
}

func readChunksOf(ctx context.Context, reader client.Reader, namespace string, index *store.Index) ([]store.Chunk, error) {
	chunks := make([]store.Chunk, len(index.Chunks))
	var err error
	for i, ref := range index.Chunks {
		if chunks[i], err = readChunk(ctx, reader, namespace, ref); err != nil {
			return nil, err
		}
	}
	return chunks, nil
}

// study is that of a plan whose proposer gives the answers of the journal.
func (s *resultSet) study(p *experiment.Plan) (*study.Study, error) {
	if p.ProposerOf() != nil {
		p.Proposer = s.journal.Answers
	}
	return study.New(p)
}

func derivedMetrics(metrics []v1alpha1.DerivedMetric) []result.Derived {
	var all []result.Derived
	for _, m := range metrics {
		all = append(all, result.Derived{Name: m.Name, Expression: m.Expression})
	}
	return all
}

func readIndex(ctx context.Context, reader client.Reader, namespace string, results *v1alpha1.ResultsStatus) (*store.Index, error) {
	cm, err := configMap(ctx, reader, namespace, results.Index)
	if err != nil {
		return nil, err
	}
	raw := []byte(cm.Data[store.IndexKey])
	if digest := experiment.Digest(raw); digest != results.SHA256 {
		return nil, badInputError{fmt.Errorf("ConfigMap %s/%s: its digest is %s, but the status has %s", namespace, cm.Name, digest, results.SHA256)}
	}
	return store.DecodeIndex(raw)
}

func readChunk(ctx context.Context, reader client.Reader, namespace string, ref store.Reference) (store.Chunk, error) {
	cm, err := configMap(ctx, reader, namespace, ref.Name)
	if err != nil {
		return store.Chunk{}, err
	}
	chunk := store.Chunk{Rows: ref.Rows, Data: cm.Data, Binary: cm.BinaryData}
	if digest := chunk.SHA256(); digest != ref.SHA256 {
		return store.Chunk{}, badInputError{fmt.Errorf("ConfigMap %s/%s: its digest is %s, but the index has %s", namespace, cm.Name, digest, ref.SHA256)}
	}
	return chunk, nil
}

func configMap(ctx context.Context, reader client.Reader, namespace, name string) (*corev1.ConfigMap, error) {
	var cm corev1.ConfigMap
	if err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &cm); err != nil {
		return nil, notFoundError(err, "ConfigMap", namespace, name)
	}
	return &cm, nil
}

func notFoundError(err error, kind, namespace, name string) error {
	if apierrors.IsNotFound(err) {
		return badInputError{fmt.Errorf("there is no %s %s in namespace %s", kind, name, namespace)}
	}
	return fmt.Errorf("read %s %s/%s: %w", kind, namespace, name, err)
}

// clusterInputs are what a spec may refer to on a cluster.
type clusterInputs struct {
	reader    client.Reader
	namespace string
}

func (c clusterInputs) ConfigMapKey(ctx context.Context, name, key string) ([]byte, error) {
	var cm corev1.ConfigMap
	err := c.reader.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name}, &cm)
	if apierrors.IsNotFound(err) {
		return nil, compile.Missing(fmt.Sprintf("there is no ConfigMap %s", name))
	}
	if err != nil {
		return nil, err
	}
	return compile.ConfigMapKey(&cm, key)
}

func (clusterInputs) OpenFile(string) (io.ReadCloser, error) { return nil, compile.ErrNoFiles }

func (clusterInputs) OpenVolumeFile(string, string) (io.ReadCloser, error) {
	return nil, compile.ErrOnlyPods
}

func (clusterInputs) ParsesTraces() bool { return false }

func (clusterInputs) Parquet() trace.ParquetCodec { return nil }

// describe says of each point what it is: the study is gone through with the
// rows, as far as they go. Where the spec is another one by now, or this binary
// is, rows stay without.
func (s *resultSet) describe(ctx context.Context, sweep *v1alpha1.PolicySweep, inputs compile.Inputs) {
	s.parameters = dataframe.Parameters{}
	compiled, errs, err := compile.Sweep(ctx, sweep, inputs)
	if err != nil || len(errs) > 0 || compiled.Plan.Hash() != sweep.Status.PlanHash {
		return
	}
	st, err := s.study(compiled.Plan)
	if err != nil {
		return
	}
	_ = replay(st, s.rows) // as far as the rows fit
	for _, point := range st.Points() {
		s.parameters[dataframe.PointName{Point: point.ID}] = point.Assignments()
	}
}

// replay goes through a study with rows in place of simulations, as far as the rows go.
func replay(st *study.Study, rows []result.Row) error {
	known := make(map[string]result.Row, len(rows))
	for i := range rows {
		known[rows[i].Key] = rows[i]
	}
	for st.Round() != nil {
		missing, found, err := st.Plan.Missing(st.Round(), func(key string) (result.Row, bool) { row, ok := known[key]; return row, ok })
		if err != nil || len(missing) > 0 {
			return err
		}
		if err := st.AddRows(found); err != nil {
			return err
		}
	}
	return nil
}
