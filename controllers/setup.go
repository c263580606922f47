// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// What the manager may do. Reading the objects and writing their status:
//
// +kubebuilder:rbac:groups=sim.windtunnel.dev,resources=simulationruns;policysweeps,verbs=list;watch
// +kubebuilder:rbac:groups=sim.windtunnel.dev,resources=simulationruns/status;policysweeps/status,verbs=patch
//
// The runs that follow a sweep's best points:
//
// +kubebuilder:rbac:groups=sim.windtunnel.dev,resources=simulationruns,verbs=get;create;delete
//
// A child that a deletion in the foreground waits for, where the API server asks that
// of those who make one:
//
// +kubebuilder:rbac:groups=sim.windtunnel.dev,resources=simulationruns/finalizers;policysweeps/finalizers,verbs=update
//
// Their Jobs, and the pods of these; plans, inputs and results:
//
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;delete
//
// What live runs have beside their Jobs, and the addresses of the API server, which their pods reach:
//
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=discovery.k8s.io,resources=endpointslices,resourceNames=kubernetes,verbs=get
//
// Their namespace, to see whether it is being deleted:
//
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get
//
// The account of worker pods. To bind a role one must hold its rights or be allowed
// to bind it:
//
// +kubebuilder:rbac:groups="",resources=serviceaccounts,verbs=get;create
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=get;create
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles,resourceNames=windtunnel-worker,verbs=bind
//
// Events: to tell what is done, and to read why a Job has no pods; and asking who
// reads the metrics:
//
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch;list
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create

// FieldOwner is the controllers' name as a writer of fields, and in events.
const FieldOwner = "windtunnel-manager"

// planBytesInMemory is what a manager remembers of plans of objects under way, by the
// bytes of their text, of which each takes about six decoded.
const planBytesInMemory = 512 << 10

// firstRetry is how soon an object is reconciled again after an error, for the first
// time.
const firstRetry = 5 * time.Millisecond

// quickTime bounds the processor time of a compilation that runs together with others: what people write takes less.
// compileTime bounds that of one in the slow lane.
const (
	quickTime   = 100 * time.Millisecond
	compileTime = 10 * time.Second
)

// Options say how the controllers work.
type Options struct {
	// Image is what worker pods run.
	Image string
	// Concurrency is the number of objects of each kind that are reconciled at
	// once; at least 1. Those of one namespace are half of it at most.
	Concurrency int
	// StateFolder outlives the process, not the pod: what it holds says what the manager
	// before this one was killed at. Empty for none.
	StateFolder string
	// ProgramLimits are the most that a bundle with code may state, and the limits of one that
	// states none; what is 0 is a default.
	ProgramLimits bundle.Limits
	// Clock is what deadlines are held against and times are written by; nil is the
	// machine's.
	Clock clock.PassiveClock
	// Metrics is where metrics are registered; nil if they are not exported.
	Metrics prometheus.Registerer
	// ObjectMetrics has each object's gates and objectives among them.
	ObjectMetrics bool
}

// Scheme returns a scheme of all kinds that the controllers read and write.
func Scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(fmt.Sprintf("controllers: build scheme: %v", err))
		}
	}
	return scheme
}

// Setup adds the controllers of both kinds to a manager that was made with
// Scheme and CacheOptions.
func Setup(ctx context.Context, mgr ctrl.Manager, o Options) error {
	if err := addIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	counts := newCounters()
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	c := client.WithFieldOwner(mgr.GetClient(), FieldOwner)
	plans, contents := newPlanCache(planBytesInMemory), newInputDigests()
	recorder, err := newRecorder(ctx, mgr)
	if err != nil {
		return err
	}
	applier := applier{client: c, recorder: recorder, counters: counts}
	guard, err := newCompileGuard(o.StateFolder, o.Clock)
	if err != nil {
		return err
	}
	lane := newSlowLane(quickTime, compileTime, o.Clock)
	for _, s := range []subjects{runs, sweeps} {
		observer := &observer{
			cache: c, live: mgr.GetAPIReader(), programs: o.ProgramLimits, image: o.Image,
			plans: plans, inputDigests: contents, studies: newStudyCache(s.remembered), deletedPods: &deletedPods{}, clock: o.Clock,
			lane: lane, compileGuard: guard,
		}
		r := &reconciler{client: c, subjects: s, observer: observer, applier: applier, clock: o.Clock, stale: backOff(staleInterval, longestInterval)}
		if err := setup(mgr, r, o.Concurrency); err != nil {
			return fmt.Errorf("set up the controller of %s: %w", s.kind, err)
		}
	}
	if o.Metrics == nil {
		return nil
	}
	state := exporter{cache: mgr.GetCache(), leading: mgr.Elected(), perObject: o.ObjectMetrics}
	for _, c := range []prometheus.Collector{counts, state} {
		if err := o.Metrics.Register(c); err != nil {
			return fmt.Errorf("register metrics: %w", err)
		}
	}
	return nil
}

// setup adds the controller of one kind.
func setup(mgr ctrl.Manager, r *reconciler, concurrency int) error {
	w := watcher{cache: mgr.GetClient(), subjects: r.subjects}
	return ctrl.NewControllerManagedBy(mgr).
		For(r.subjects.object()).
		Watches(&batchv1.Job{}, mapped(w.ofChild)).
		Watches(&corev1.Pod{}, deletedPodRecorder{mapped(w.ofPod), r.observer.deletedPods}, builder.WithPredicates(podEvents)).
		WatchesMetadata(&corev1.ConfigMap{}, mapped(w.ofConfigMap), builder.WithPredicates(configMapEvents)).
		WatchesMetadata(&corev1.ConfigMap{}, w.ofProgress()).
		Watches(&appsv1.Deployment{}, mapped(w.ofChild), builder.WithPredicates(deploymentEvents)).
		WatchesMetadata(&corev1.Service{}, mapped(w.ofChild), builder.WithPredicates(runEvents)).
		WatchesMetadata(&networkingv1.NetworkPolicy{}, mapped(w.ofChild), builder.WithPredicates(runEvents)).
		Watches(&v1alpha1.SimulationRun{}, mapped(w.ofChild), builder.WithPredicates(runEvents)).
		Watches(&v1alpha1.SimulationRun{}, mapped(w.ofSource), builder.WithPredicates(sourceEvents)).
		Watches(&v1alpha1.PolicySweep{}, mapped(w.ofSource), builder.WithPredicates(sourceEvents)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrency,
			RateLimiter:             backOff(firstRetry, longestInterval),
			NewQueue: func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
				return newFairQueue(name, limiter, concurrency)
			},
		}).
		Complete(r)
}
