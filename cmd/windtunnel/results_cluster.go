// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

// clusterReader returns the cluster of the kubeconfig, and its namespace.
func clusterReader() (client.Reader, string, error) {
	config, namespace, err := clusterConfig()
	if err != nil {
		return nil, "", err
	}
	reader, err := client.New(config, client.Options{Scheme: controllers.Scheme()})
	return reader, namespace, err
}

// clusterConfig returns how to reach the cluster of the kubeconfig, and its namespace.
func clusterConfig() (*rest.Config, string, error) {
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", badInputError{fmt.Errorf("find the cluster: %w", err)}
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", badInputError{fmt.Errorf("find the cluster: %w", err)}
	}
	return config, namespace, nil
}

// Kinds of objects that have results.
const (
	kindSweep = archive.Sweep
	kindRun   = archive.Run
)

// clusterResults reads the rows of the object of a kind and name. Without a kind it
// looks for a sweep and for a run, of which there must be one.
func clusterResults(ctx context.Context, reader client.Reader, namespace, kind, name string) (*resultSet, error) {
	key := client.ObjectKey{Namespace: namespace, Name: name}
	var sweep v1alpha1.PolicySweep
	var run v1alpha1.SimulationRun
	hasSweep, err := getIfKind(ctx, reader, kind, kindSweep, key, &sweep)
	if err != nil {
		return nil, err
	}
	hasRun, err := getIfKind(ctx, reader, kind, kindRun, key, &run)
	switch {
	case err != nil:
		return nil, err
	case hasSweep && hasRun:
		return nil, badInputError{fmt.Errorf("there are a PolicySweep and a SimulationRun %s in namespace %s: write policysweep/%[1]s or simulationrun/%[1]s", name, namespace)}
	case hasSweep:
		return sweepResults(ctx, reader, &sweep)
	case hasRun:
		return runResults(ctx, reader, &run)
	case kind == "":
		kind = kindSweep + " or " + kindRun
	}
	return nil, badInputError{fmt.Errorf("there is no %s %s in namespace %s", kind, name, namespace)}
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
	set.describe(ctx, sweep, archive.ClusterInputs{Reader: reader, Namespace: sweep.Namespace})
	return set, nil
}

// read reads an object's rows and time series.
func (s *resultSet) read(ctx context.Context, reader client.Reader, kind string, of client.Object, results *v1alpha1.ResultsStatus) error {
	stored, err := archive.Read(ctx, reader, kind, of, results)
	if err != nil {
		return err
	}
	s.rows, s.chunks = stored.Rows, stored.Series
	return nil
}

func derivedMetrics(metrics []v1alpha1.DerivedMetric) []result.Derived {
	var all []result.Derived
	for _, m := range metrics {
		all = append(all, result.Derived{Name: m.Name, Expression: m.Expression})
	}
	return all
}

// describe says of each point what it is. Where the spec is another one by now, or
// this binary is, rows stay without.
func (s *resultSet) describe(ctx context.Context, sweep *v1alpha1.PolicySweep, inputs compile.Inputs) {
	s.parameters = dataframe.Parameters{}
	st, _ := archive.Study(ctx, sweep, inputs, s.rows) // as far as the rows fit
	if st == nil {
		return
	}
	for _, point := range st.Points() {
		s.parameters[dataframe.PointName{Point: point.ID}] = point.Assignments()
	}
}
