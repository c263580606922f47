// SPDX-License-Identifier: Apache-2.0

// Package launch has the flags and the environment with which an EPP starts: as a process of this machine, or
// in the pod of a live run. It imports little, as the operator has it, too.
package launch

import (
	"fmt"
	"path/filepath"
)

// The InferencePool of the endpoints, and the files in the folder of an EPP; the second is there if it reads
// Kubernetes.
const (
	PoolName       = "windtunnel"
	PoolNamespace  = "default"
	ConfigName     = "config.yaml"
	KubeconfigName = "kubeconfig"
)

// Flags have an EPP read the files of a folder, and serve at ports.
func Flags(folder string, grpc, health, metrics int) []string {
	return []string{
		"--pool-name=" + PoolName, "--pool-namespace=" + PoolNamespace, "--config-file=" + filepath.Join(folder, ConfigName), "--secure-serving=false",
		fmt.Sprintf("--grpc-port=%d", grpc), fmt.Sprintf("--grpc-health-port=%d", health), fmt.Sprintf("--metrics-port=%d", metrics),
		"--metrics-endpoint-auth=false", "--tracing=true",
	}
}

// Environment has an EPP read Kubernetes as a folder says, and send all of its spans to an address, once a second.
// Its elements are NAME=VALUE.
func Environment(folder, spans string) []string {
	return []string{
		"KUBECONFIG=" + filepath.Join(folder, KubeconfigName),
		"OTEL_TRACES_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://" + spans,
		"OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=1",
		"OTEL_BSP_MAX_QUEUE_SIZE=65536", "OTEL_BSP_SCHEDULE_DELAY=1000",
	}
}
