// SPDX-License-Identifier: Apache-2.0

// Policies enforces NetworkPolicies on the node of hack/cluster, whose network
// plugin enforces none: the packet filter queues the first packet of every
// connection that a pod begins, and this program lets it pass or drops it. What the
// policies mean is kube-network-policies' to say; its own packet filter rules are of a
// kind that not every kernel has.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kube-network-policies/pkg/api"
	"sigs.k8s.io/kube-network-policies/pkg/networkpolicy"
	"sigs.k8s.io/kube-network-policies/pkg/podinfo"
)

// alive leaves out pods whose address may belong to another pod by now.
const alive = "status.phase!=Succeeded,status.phase!=Failed"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "`file` to reach the API server with")
	node := flag.String("node", "", "`name` of this node")
	nodeIP := flag.String("node-ip", "", "`address` of this node, in the pods' network")
	pods := flag.String("pods", "", "`range` of the pods' addresses")
	bridge := flag.String("bridge", "", "`name` of the bridge that pods hang on")
	table := flag.String("table", "", "`name` of the packet filter's table")
	queue := flag.Uint("queue", 0, "`number` of the packet filter's queue")
	health := flag.String("health", "", "`address` of /healthz")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	g, err := newGuard(ctx, *kubeconfig, *node, *nodeIP, *pods)
	if err == nil {
		err = install(*table, *bridge, uint16(*queue))
	}
	if err == nil {
		err = serve(ctx, g, uint16(*queue), *health)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "policies:", err)
		stop()
		os.Exit(1)
	}
}

// newGuard returns a guard that knows the pods and policies that there are.
func newGuard(ctx context.Context, kubeconfig, node, nodeIP, pods string) (*guard, error) {
	_, network, err := net.ParseCIDR(pods)
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	// The evaluator tells no rule at all from an empty list of them, which only
	// this encoding keeps from it.
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	all := informers.NewSharedInformerFactory(client, 0)
	ofPods := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = alive
	}))
	namespaces, policies, podInformer := all.Core().V1().Namespaces(), all.Networking().V1().NetworkPolicies(), ofPods.Core().V1().Pods()
	resolver, err := podinfo.NewInformerResolver(podInformer.Informer())
	if err != nil {
		return nil, err
	}
	g := &guard{
		node: net.ParseIP(nodeIP), pods: network, policies: policies.Lister(),
		known: podinfo.NewInformerProvider(podInformer, namespaces, nil, []podinfo.IPResolver{resolver}),
	}
	g.engine = networkpolicy.NewPolicyEngine(g.known, []api.PolicyEvaluator{
		networkpolicy.NewStandardNetworkPolicy(node, namespaces, podInformer, policies),
	})
	all.Start(ctx.Done())
	ofPods.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), g.engine.Ready) {
		return nil, errors.New("it was stopped before it had seen pods and policies")
	}
	return g, nil
}

// serve decides about packets until the context ends.
func serve(ctx context.Context, g *guard, queue uint16, health string) error {
	done, err := g.watch(ctx, queue)
	if err != nil {
		return fmt.Errorf("queue %d: %w", queue, err)
	}
	handler := http.NewServeMux()
	handler.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "ok")
	})
	server := &http.Server{Addr: health, Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return done()
}
