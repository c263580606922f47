// SPDX-License-Identifier: Apache-2.0

package spelling

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-70B", "Qwen/Qwen3-8B", "rtx-4090", "h100-sxm"}
	for written, want := range map[string][]string{
		"rtx-4091":              {"rtx-4090"},
		"H100":                  {"h100-sxm"},
		"meta-llama/Lama-3.1":   {"meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-70B"},
		"something else at all": nil,
	} {
		if got := Nearest(written, names); !slices.Equal(got, want) {
			t.Errorf("Nearest(%q) = %q, want %q", written, got, want)
		}
	}
}

func TestSlip(t *testing.T) {
	names := []string{"weight", "costPerReplicaHour", "podOverrides", "replicas", "retries"}
	for written, want := range map[string]string{"wieght": "weight", "replica": "replicas", "Replicas": "replicas", "podOveride": "podOverrides", "pods": "", "gpu": ""} {
		if got := Slip(written, names); got != want {
			t.Errorf("Slip(%q) = %q, want %q", written, got, want)
		}
	}
}
