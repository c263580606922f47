// SPDX-License-Identifier: Apache-2.0

// Command epp is the EPP of the end-to-end tests where there is no real one. It has the flags of an Endpoint
// Picker of llm-d that a live run sets.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"windtunnel.dev/windtunnel/internal/testing/turnepp"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "epp: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, unused := range []string{"pool-name", "pool-namespace", "metrics-port", "refresh-metrics-interval"} {
		flag.String(unused, "", "not used")
	}
	for _, unused := range []string{"secure-serving", "metrics-endpoint-auth", "tracing"} {
		flag.Bool(unused, true, "not used")
	}
	config := flag.String("config-file", "", "configuration, beside which the endpoints are")
	port, health := flag.Int("grpc-port", 9002, "port of the EPP"), flag.Int("grpc-health-port", 9003, "port of its health")
	flag.Parse()
	if _, err := os.Stat(*config); err != nil {
		return err
	}
	if err := readObjectives(ctx); err != nil {
		return err
	}
	requests, err := net.Listen("tcp", fmt.Sprintf(":%d", *port))
	if err != nil {
		return err
	}
	states, err := net.Listen("tcp", fmt.Sprintf(":%d", *health))
	if err != nil {
		return err
	}
	return turnepp.Serve(ctx, requests, states, filepath.Join(filepath.Dir(*config), "endpoints.yaml"))
}

// readObjectives reads the InferenceObjectives, if there is a kubeconfig. Where no API server answers, the EPP ends, as a
// real one does.
func readObjectives(ctx context.Context) error {
	file := os.Getenv(clientcmd.RecommendedConfigPathEnvVar)
	if _, err := os.Stat(file); err != nil {
		return nil //nolint:nilerr // endpoints come from a file
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	objectives := schema.GroupVersionResource{Group: "llm-d.ai", Version: "v1alpha2", Resource: "inferenceobjectives"}
	_, err = client.Resource(objectives).Namespace("default").List(ctx, metav1.ListOptions{})
	return err
}
