// SPDX-License-Identifier: Apache-2.0

package transfer

import "time"

// Device is a class of memory, disk, store or link with nominal figures. Its
// two sides do not disturb each other.
type Device struct {
	Name                string
	ReadBytesPerSecond  int64
	WriteBytesPerSecond int64
	// Latency passes before the first byte, on either side.
	Latency time.Duration
}

// Read returns the side that blocks are read from: of a link, one direction.
func (d Device) Read() Station {
	return Station{Latency: d.Latency, BytesPerSecond: d.ReadBytesPerSecond}
}

// Write returns the side that blocks are written to: of a link, the other
// direction.
func (d Device) Write() Station {
	return Station{Latency: d.Latency, BytesPerSecond: d.WriteBytesPerSecond}
}

// Devices returns the classes that come with the package, fastest last within
// a kind. They are starting points: a measured figure of the machine at hand is
// better than any of them.
func Devices() []Device {
	return []Device{
		// Memories and stores: the device classes of inference-sim (BLIS), which
		// gives them in bytes and operations per microsecond.
		{Name: "object-store", ReadBytesPerSecond: 1e9, WriteBytesPerSecond: 1e9, Latency: 30 * time.Millisecond},
		{Name: "sata-ssd", ReadBytesPerSecond: 550e6, WriteBytesPerSecond: 500e6, Latency: 150 * time.Microsecond},
		{Name: "nvme-gen3", ReadBytesPerSecond: 3500e6, WriteBytesPerSecond: 3000e6, Latency: 100 * time.Microsecond},
		{Name: "nvme-gen4", ReadBytesPerSecond: 7000e6, WriteBytesPerSecond: 5000e6, Latency: 80 * time.Microsecond},
		{Name: "dram", ReadBytesPerSecond: 20e9, WriteBytesPerSecond: 20e9, Latency: time.Microsecond},

		// PCIe, each direction of 16 lanes at 16 and 32 GT/s after the 128b/130b
		// code, before packet headers. 1 µs is the order of a round trip to a
		// device (Neugebauer et al., Understanding PCIe performance for end host
		// networking, SIGCOMM 2018); starting a copy adds to it.
		link("pcie-gen4-x16", 31_507_692_307, time.Microsecond),
		link("pcie-gen5-x16", 63_015_384_615, time.Microsecond),

		// NVLink, each direction: half of the totals of 600, 900 and 1800 GB/s in
		// NVIDIA's data sheets of A100, H100 and B200. The latency is set equal to
		// that of PCIe, not measured.
		link("nvlink-3", 300e9, time.Microsecond),
		link("nvlink-4", 450e9, time.Microsecond),
		link("nvlink-5", 900e9, time.Microsecond),

		// Networks between nodes by their line rate. 50 µs are what inference-sim puts before every hand-over from
		// prefill to decode: agreeing on blocks, not the wire, takes them.
		link("network-200gbit", 25e9, 50*time.Microsecond),
		link("network-400gbit", 50e9, 50*time.Microsecond),
		link("network-800gbit", 100e9, 50*time.Microsecond),
	}
}

// DeviceByName returns one of Devices, and false for an unknown
// name.
func DeviceByName(name string) (Device, bool) {
	for _, d := range Devices() {
		if d.Name == name {
			return d, true
		}
	}
	return Device{}, false
}

// link is equally fast in both directions.
func link(name string, bytesPerSecond int64, latency time.Duration) Device {
	return Device{Name: name, ReadBytesPerSecond: bytesPerSecond, WriteBytesPerSecond: bytesPerSecond, Latency: latency}
}
