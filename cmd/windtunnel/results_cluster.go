// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// clusterReader returns the cluster of the kubeconfig, and its namespace.
func clusterReader() (client.Reader, string, error) {
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", badInputError{fmt.Errorf("find the cluster: %w", err)}
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", badInputError{fmt.Errorf("find the cluster: %w", err)}
	}
	reader, err := client.New(config, client.Options{Scheme: controllers.Scheme()})
	return reader, namespace, err
}

// Kinds of objects that have results.
const (
	kindSweep = "PolicySweep"
	kindRun   = "SimulationRun"
)

// clusterResults reads the rows of the object of a kind and name. Without a kind it
// looks for a sweep and for a run, of which there must be one.
func clusterResults(ctx context.Context, reader client.Reader, namespace, kind, name string) (*resultSet, error) {
	sweep, run, err := findObject(ctx, reader, namespace, kind, name)
	switch {
	case err != nil:
		return nil, err
	case sweep != nil:
		return sweepResults(ctx, reader, sweep)
	default:
		return runResults(ctx, reader, run)
	}
}

// findObject returns the sweep, or else the run, of a kind and name, of which there must be one.
func findObject(ctx context.Context, reader client.Reader, namespace, kind, name string) (*v1alpha1.PolicySweep, *v1alpha1.SimulationRun, error) {
	key := client.ObjectKey{Namespace: namespace, Name: name}
	var sweep v1alpha1.PolicySweep
	var run v1alpha1.SimulationRun
	hasSweep, err := getIfKind(ctx, reader, kind, kindSweep, key, &sweep)
	if err != nil {
		return nil, nil, err
	}
	hasRun, err := getIfKind(ctx, reader, kind, kindRun, key, &run)
	switch {
	case err != nil:
		return nil, nil, err
	case hasSweep && hasRun:
		return nil, nil, badInputError{fmt.Errorf("there are a PolicySweep and a SimulationRun %s in namespace %s: write policysweep/%[1]s or simulationrun/%[1]s", name, namespace)}
	case hasSweep:
		return &sweep, nil, nil
	case hasRun:
		return nil, &run, nil
	case kind == "":
		kind = kindSweep + " or " + kindRun
	}
	return nil, nil, badInputError{fmt.Errorf("there is no %s %s in namespace %s", kind, name, namespace)}
}

// getIfKind reads an object of one kind, where that or any is asked for, and reports
// whether it is there.
func getIfKind(ctx context.Context, reader client.Reader, asked, kind string, key client.ObjectKey, object client.Object) (bool, error) {
	if asked != "" && asked != kind {
		return false, nil
	}
	err := reader.Get(ctx, key, object)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s %s/%s: %w", kind, key.Namespace, key.Name, err)
	}
	return true, nil
}

// objectOf splits TYPE/NAME, as kubectl writes it; the kind is "" where there is none.
func objectOf(arg string) (kind, name string, err error) {
	typ, name, typed := strings.Cut(arg, "/")
	if !typed {
		return "", arg, nil
	}
	switch typ {
	case "policysweep", "policysweeps", "sweep", "sweeps":
		return kindSweep, name, nil
	case "simulationrun", "simulationruns", "simrun", "simruns":
		return kindRun, name, nil
	}
	return "", "", badInputError{fmt.Errorf("%s: the type must be policysweep or simulationrun", arg)}
}

// runResults reads the rows of a run.
func runResults(ctx context.Context, reader client.Reader, run *v1alpha1.SimulationRun) (*resultSet, error) {
	measures, errs := result.NewMeasures(nil, field.NewPath("spec"))
	if len(errs) > 0 {
		return nil, badInputError{errs.ToAggregate()}
	}
	set := &resultSet{measures: measures, parameters: dataframe.Parameters{}}
	return set, set.read(ctx, reader, kindRun, run, run.Status.Results)
}

// sweepResults reads the rows of a sweep.
func sweepResults(ctx context.Context, reader client.Reader, sweep *v1alpha1.PolicySweep) (*resultSet, error) {
	measures, errs := result.NewMeasures(derivedMetrics(sweep.Spec.Metrics), field.NewPath("spec", "metrics"))
	if len(errs) > 0 {
		return nil, badInputError{errs.ToAggregate()}
	}
	set := &resultSet{measures: measures}
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
	for _, ref := range index.Chunks {
		chunk, err := readChunk(ctx, reader, namespace, ref)
		if err != nil {
			return err
		}
		rows, err := chunk.Decode()
		if err != nil {
			return badInputError{err}
		}
		delete(chunk.Binary, store.RowsKey)
		s.chunks = append(s.chunks, chunk)
		s.rows = append(s.rows, rows...)
	}
	return nil
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
	st, err := study.New(compiled.Plan)
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
