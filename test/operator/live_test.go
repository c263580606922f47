// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// liveRun asks for a measurement of an EPP. With a priority, the pod has all containers that it may have.
func liveRun() *v1alpha1.SimulationRun {
	run := builder.MakeRun("live", "").Scenario(builder.Requests(50)).Obj()
	run.Spec.Scenario.Horizon.Duration = "10m"
	run.Spec.Scenario.Workload.Clients[0].Priority = 5
	run.Spec.Execution.Live = &v1alpha1.LiveExecution{Image: "epp:v1"}
	return run
}

// untilBeside waits until there is so much beside the Jobs of a namespace.
func (p *platform) untilBeside(t *testing.T, namespace string, want int) {
	t.Helper()
	eventually(t, func() string {
		n := 0
		for _, list := range []client.ObjectList{&appsv1.DeploymentList{}, &corev1.ServiceList{}, &networkingv1.NetworkPolicyList{}} {
			if err := p.client.List(t.Context(), list, client.InNamespace(namespace), client.HasLabels{controllers.LabelJob}); err != nil {
				return err.Error()
			}
			n += meta.LenList(list)
		}
		if n != want {
			return fmt.Sprintf("there are %d objects beside the Job, want %d", n, want)
		}
		return ""
	})
}

// TestALiveRunHasItsReplicasAsLongAsItRuns has the shipped rights and policies: the manager creates
// what a live run needs, and deletes it at each end.
func TestALiveRunHasItsReplicasAsLongAsItRuns(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	creator, err := worker.NewCluster(p.admin)
	if err != nil {
		t.Fatal(err)
	}
	f := faults{hold: true, worker: func(ctx context.Context, index int, plan, round string) (store.Report, error) {
		report, err := worker.Run(ctx, worker.Options{PlanFolder: plan, RoundFolder: round, Index: index, Shards: 1, Parallelism: 1}, creator)
		report.Rehearsal = &store.Rehearsal{Within: true, Message: "decisions: 100 % equal or tied"}
		return report, err
	}}
	p.kubelet.set(ns, f)
	run := liveRun()
	p.create(t, ns, run)
	p.untilBeside(t, ns, 4)
	edit(t, p, run, func(r *v1alpha1.SimulationRun) { r.Spec.Execution.Suspend = true })
	p.untilBeside(t, ns, 0)
	edit(t, p, run, func(r *v1alpha1.SimulationRun) { r.Spec.Execution.Suspend = false })
	p.untilBeside(t, ns, 4)
	f.hold = false
	p.kubelet.set(ns, f)
	p.until(t, run, v1alpha1.ConditionComplete)
	p.until(t, run, v1alpha1.ConditionRehearsed)
	p.untilBeside(t, ns, 0)
}
