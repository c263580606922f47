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
	flag.Bool("secure-serving", true, "not used: there is no TLS")
	config := flag.String("config-file", "", "configuration, beside which the endpoints are")
	port, health := flag.Int("grpc-port", 9002, "port of the EPP"), flag.Int("grpc-health-port", 9003, "port of its health")
	flag.Parse()
	if _, err := os.Stat(*config); err != nil {
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
