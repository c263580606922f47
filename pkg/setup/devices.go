// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
)

// The classes of devices that stand where the scenario names none.
const (
	defaultCPUDevice = "dram"
	defaultLink      = "pcie-gen5-x16"
	defaultNetwork   = "network-400gbit"
)

// linkPrefixes begin the names of the classes that are links; all others keep
// bytes.
var linkPrefixes = []string{"pcie-", "nvlink-", "network-"}

func isLink(name string) bool {
	return slices.ContainsFunc(linkPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// findDevice returns a class of links, or of what keeps bytes; the zero value
// where no name is given.
func findDevice(name string, links bool, path *field.Path) (transfer.Device, field.ErrorList) {
	if name == "" {
		return transfer.Device{}, nil
	}
	var known []string
	for _, d := range transfer.Devices() {
		if isLink(d.Name) == links {
			known = append(known, d.Name)
		}
	}
	if d, ok := transfer.DeviceByName(name); ok && isLink(name) == links {
		return d, nil
	}
	return transfer.Device{}, field.ErrorList{field.NotSupported(path.Child("device"), name, known)}
}

// buildDevice puts what the user overrides into a class's figures.
func buildDevice(d transfer.Device, read, write v1alpha1.Bytes, latency v1alpha1.Duration) transfer.Device {
	if read != "" {
		d.ReadBytesPerSecond = read.Int64()
	}
	if write != "" {
		d.WriteBytesPerSecond = write.Int64()
	}
	if latency != "" {
		d.Latency = latency.Duration()
	}
	return d
}

// buildLink returns the two directions of a number of equal links side by side.
// The first is what one end sends. fallback is the class of one that neither
// class nor bandwidth describes.
func buildLink(in *v1alpha1.Link, fallback string, count int, path *field.Path) (there, back transfer.Station, errs field.ErrorList) {
	if in == nil {
		in = &v1alpha1.Link{}
	}
	name := in.Device
	if name == "" && in.BytesPerSecond == "" {
		name = fallback
	}
	d, errs := findDevice(name, true, path)
	if len(errs) > 0 {
		return there, back, errs
	}
	d = buildDevice(d, in.BytesPerSecond, in.BytesPerSecond, in.Latency)
	d.ReadBytesPerSecond, errs = bandwidth(d.ReadBytesPerSecond, count, path.Child("bytesPerSecond"))
	d.WriteBytesPerSecond = d.ReadBytesPerSecond
	return d.Write(), d.Read(), errs
}

// bandwidth returns that of a number of equal stations side by side.
func bandwidth(bytesPerSecond int64, count int, path *field.Path) (int64, field.ErrorList) {
	switch {
	case bytesPerSecond < 1:
		return 0, field.ErrorList{field.Invalid(path, bytesPerSecond, "must be at least 1 byte a second")}
	case bytesPerSecond > transfer.MaxBytesPerSecond/int64(count):
		return 0, field.ErrorList{field.Invalid(path, bytesPerSecond,
			fmt.Sprintf("must be at most %d bytes a second", transfer.MaxBytesPerSecond/int64(count)))}
	default:
		return bytesPerSecond * int64(count), nil
	}
}
