// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// Of the 36 layers of gpt-oss-120b, 18 keep the last 128 tokens of a running request alone:
// a block of 16 tokens takes 18·2·8·64·2 bytes a token of the others. Beside a connector all
// layers keep all.
func TestSlidingWindowsOfAPool(t *testing.T) {
	for name, tc := range map[string]struct {
		edit       func(*v1alpha1.Pool)
		want       kv.Windows
		blockBytes int64
	}{
		"alone":         {func(*v1alpha1.Pool) {}, kv.Windows{Groups: 1, Blocks: 9}, 16 * 18 * 2 * 8 * 64 * 2},
		"another block": {func(p *v1alpha1.Pool) { p.Engine.BlockSize = 64 }, kv.Windows{Groups: 1, Blocks: 3}, 64 * 18 * 2 * 8 * 64 * 2},
		"with a tier": {func(p *v1alpha1.Pool) {
			p.KVCache.Tiers = []v1alpha1.Tier{{Kind: v1alpha1.CPUTier, Blocks: ptr.To[int32](500)}}
		}, kv.Windows{}, 16 * 36 * 2 * 8 * 64 * 2},
	} {
		t.Run(name, func(t *testing.T) {
			pool := mustBuild(t, func(s *v1alpha1.Scenario) {
				s.Pools[0].Model = "gpt-oss-120b"
				tc.edit(&s.Pools[0])
			}).Pools[0]
			if pool.Windows != tc.want || pool.BlockBytes != tc.blockBytes {
				t.Errorf("windows %+v, blocks of %d bytes, want %+v and %d", pool.Windows, pool.BlockBytes, tc.want, tc.blockBytes)
			}
		})
	}
}

// Of 3 blocks vLLM keeps one: a request takes one and one for the group with windows, so
// that it may have 16 tokens.
func TestFewestBlocksBesideSlidingWindows(t *testing.T) {
	of := func(blocks int32) []string {
		_, faults := build(t, func(s *v1alpha1.Scenario) {
			s.Pools[0].Model = "gpt-oss-120b"
			s.Pools[0].KVCache.Blocks = &blocks
		})
		return faults
	}
	wantFault(t, of(2), spec.Child("pools").Index(0).Child("kvCache", "blocks").String(), "must be at least 3")
	if faults := of(3); len(faults) > 0 {
		t.Errorf("3 blocks: %q", faults)
	}
}

func TestRolesHaveAConnector(t *testing.T) {
	in := buildValid(t, func(*v1alpha1.Scenario) {}).in
	for role, want := range map[v1alpha1.Role]bool{"": false, v1alpha1.PrefillRole: true, v1alpha1.DecodeRole: true, v1alpha1.BothRole: true} {
		in.Pools[0].Role = role
		if instance, errs := buildInstance(&in.Pools[0], latency.Builtin(), nil); len(errs) > 0 || instance.WholeKV != want {
			t.Errorf("role %q: whole KV %v, %v, want %v", role, instance.WholeKV, errs, want)
		}
	}
}
