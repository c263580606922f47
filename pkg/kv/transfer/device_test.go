// SPDX-License-Identifier: Apache-2.0

package transfer_test

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
)

// TestDevices reads one block of a Llama-3.1-8B cache in bf16 (16 tokens of
// 131,072 bytes, 2 MiB) from each class, and writes one, on an idle machine.
func TestDevices(t *testing.T) {
	const block = 16 * 131_072
	for name, want := range map[string]struct{ read, write time.Duration }{
		"object-store":    {32_097_152, 32_097_152},
		"sata-ssd":        {3_963_004, 4_344_304},
		"nvme-gen3":       {699_187, 799_051},
		"nvme-gen4":       {379_594, 499_431},
		"dram":            {105_858, 105_858},
		"pcie-gen4-x16":   {67_561, 67_561},
		"pcie-gen5-x16":   {34_281, 34_281},
		"nvlink-3":        {7_991, 7_991},
		"nvlink-4":        {5_661, 5_661},
		"nvlink-5":        {3_331, 3_331},
		"network-200gbit": {133_887, 133_887},
		"network-400gbit": {91_944, 91_944},
		"network-800gbit": {70_972, 70_972},
	} {
		d, ok := transfer.DeviceByName(name)
		if !ok {
			t.Errorf("no %s", name)
			continue
		}
		n := transfer.New(d.Read(), d.Write())
		if got := n.Estimate(0, block, 0); got != want.read {
			t.Errorf("%s reads a block in %d ns, want %d", name, got, want.read)
		}
		if got := n.Estimate(0, block, 1); got != want.write {
			t.Errorf("%s writes a block in %d ns, want %d", name, got, want.write)
		}
	}
	if len(transfer.Devices()) != 13 {
		t.Errorf("%d devices, some without a figure here", len(transfer.Devices()))
	}
	if d, ok := transfer.DeviceByName("tape"); ok {
		t.Errorf("found %+v", d)
	}
}
