// SPDX-License-Identifier: Apache-2.0

package latency_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/latency"
)

func TestParseEngineVersion(t *testing.T) {
	for written, want := range map[string]latency.EngineVersion{
		"0.6": 6, "0.6.3.post1": 6, "0.9.2": 9, "0.13": 13, "v0.14.0": 14, "0.15.1": 15, "v0.15": 15,
		"0.19.0+cu129": 19, "0.24": 24, "0.24.3": 24,
	} {
		got, err := latency.ParseEngineVersion(written, field.NewPath("version"))
		if err != nil || got != want {
			t.Errorf("%s is vLLM %s, %v; want %s", written, got, err, want)
		}
	}
}

func TestUnknownEngineVersionsNameTheNearest(t *testing.T) {
	for written, nearest := range map[string]string{
		"0.5": "0.6", "0.5.4": "0.6", "0.0": "0.6", "0.25": "0.24", "1.0": "0.24", "2": "0.24", "0.99999999999999999999": "0.24",
		"": "0.24", "latest": "0.24", "0,15": "0.15", "O.15": "0.15", "vllm-0.15": "0.15",
		"vllm/vllm-openai:v0.15.1": "0.15", "0.15.1rc1": "0.15", "0.15.": "0.15", "V0.15": "0.15", " 0.15": "0.15", "-0.15": "0.15",
	} {
		want := field.Invalid(field.NewPath("version"), written,
			"unknown version of vLLM; the known ones are 0.6 to 0.24; the nearest is "+nearest).Error()
		_, err := latency.ParseEngineVersion(written, field.NewPath("version"))
		if err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

func TestAsynchronousSchedulingSinceVLLM14(t *testing.T) {
	for v := latency.OldestEngineVersion; v <= latency.NewestEngineVersion; v++ {
		if got, want := v.AsynchronousScheduling(), v >= 14; got != want {
			t.Errorf("vLLM %s: %v, want %v", v, got, want)
		}
	}
	var unset latency.EngineVersion
	if unset.String() != latency.DefaultEngineVersion.String() || unset.AsynchronousScheduling() != latency.DefaultEngineVersion.AsynchronousScheduling() {
		t.Errorf("an unset version is %s; want the default, %s", unset, latency.DefaultEngineVersion)
	}
}
