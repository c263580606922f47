// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools pins the container runtime that hack/kube-assets.sh builds.
// The build tag keeps it out of every build; go mod tidy still sees it.
package tools

import (
	_ "github.com/containerd/containerd/v2/cmd/containerd"
	_ "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"
	_ "github.com/containerd/containerd/v2/cmd/ctr"
)
