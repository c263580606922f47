// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Every number below is what each architecture must give, to the last bit. A
// change that alters one alters the result of every simulation, and so needs a
// new engine version.

func TestPortableFunctionsGiveTheseBits(t *testing.T) {
	ratio, _ := stats.PairedRatioBounds(hunter, panel, 0.95)
	tests := map[string]struct {
		got  float64
		want uint64
	}{
		"Log(0.1)":           {stats.Log(0.1), 0xc0026bb1bbb55515},
		"Log(0.7071)":        {stats.Log(0.7071), 0xbfd62e6b3842a25e},
		"Log(1.00001)":       {stats.Log(1.00001), 0x3ee4f8aea9af0a25},
		"Log(3)":             {stats.Log(3), 0x3ff193ea7aad030a},
		"Log(1e300)":         {stats.Log(1e300), 0x4085963447f87fb5},
		"Log(5e-324)":        {stats.Log(5e-324), 0xc0874385446d71c3},
		"Log1p(1e-10)":       {stats.Log1p(1e-10), 0x3ddb7cdfd9d1d693},
		"Log1p(0.7)":         {stats.Log1p(0.7), 0x3fe0fae81914a991},
		"Exp(-708.5)":        {stats.Exp(-708.5), 0x000e6cf6d08897ac},
		"Exp(-0.1)":          {stats.Exp(-0.1), 0x3fecf46d99d52b3a},
		"Exp(1)":             {stats.Exp(1), 0x4005bf0a8b145769},
		"Exp(700.3)":         {stats.Exp(700.3), 0x7f13f6d02b17eb6d},
		"Pow(0.3, 4.7)":      {stats.Pow(0.3, 4.7), 0x3f6c91123f030f99},
		"Pow(2, 0.5)":        {stats.Pow(2, 0.5), 0x3ff6a09e667f3bcc},
		"Pow(1.001, 90000)":  {stats.Pow(1.001, 90000), 0x480b6e0bad1741ae},
		"Atan(0.03)":         {stats.Atan(0.03), 0x3f9eb5f644234b83},
		"Atan(0.6)":          {stats.Atan(0.6), 0x3fe14b1dd5f90ce1},
		"Atan(-7)":           {stats.Atan(-7), 0xbff6dcc57bb565fd},
		"StudentT(0.95, 1)":  {stats.StudentT(0.95, 1), 0x40296993aacc4d18},
		"StudentT(0.95, 4)":  {stats.StudentT(0.95, 4), 0x40063628d9efb5db},
		"StudentT(0.9, 2e3)": {stats.StudentT(0.9, 2000), 0x3ffa54714d94020b},
		"StudentTail(1, 4)":  {stats.StudentTail(1, 4), 0x3fc7edfe518ce63c},
		"StudentTail(9, 30)": {stats.StudentTail(9, 30), 0x3df13b17c1e7e151},
		"ratio":              {ratio, 0x40272c071cdcd49d},
	}
	for name, tc := range tests {
		if got := math.Float64bits(tc.got); got != tc.want {
			t.Errorf("%s = %#016x (%v), want %#016x (%v)", name, got, tc.got, tc.want, math.Float64frombits(tc.want))
		}
	}
}

func TestStreamsGiveTheseNumbers(t *testing.T) {
	tests := map[string]struct {
		draw func(*stats.Stream) float64
		want uint64 // hash over the bits of 10 000 numbers
	}{
		"Uint64":      {func(s *stats.Stream) float64 { return math.Float64frombits(s.Uint64()) }, 0x23927aee4e89594e},
		"Float64":     {(*stats.Stream).Float64, 0x8661babd762e8150},
		"OpenFloat64": {(*stats.Stream).OpenFloat64, 0xa7ad80dcf8dc7991},
		"IntN(10)":    {func(s *stats.Stream) float64 { return float64(s.IntN(10)) }, 0x11ab305aedb0b9b3},
		"Exponential": {(*stats.Stream).Exponential, 0x9642c5d54d0750f5},
		"Normal":      {(*stats.Stream).Normal, 0x3444975f8fb00ab1},
		"Gamma(0.3)":  {func(s *stats.Stream) float64 { return s.Gamma(0.3) }, 0x34c389bf5655bbda},
		"Gamma(7)":    {func(s *stats.Stream) float64 { return s.Gamma(7) }, 0xc755db7ab72f32f6},
		"Uniform":     {stats.Uniform{Low: 0.1, High: 7.3}.Sample, 0xc1bde01f6518010c},
		"normal":      {stats.Normal{Mean: 0.1, StdDev: 7.3}.Sample, 0x4611fcf4c895ea98},
		"exponential": {stats.Exponential{Mean: 7.3}.Sample, 0x902d93d66d8427fc},
		"log-normal":  {stats.LogNormalOf(7.3, 11.1).Sample, 0x8ede5e66ab53e6fc},
	}
	for name, tc := range tests {
		s := stats.NewStream(42, "golden")
		got := uint64(0)
		for range 10_000 {
			got = stats.Hash64(got, math.Float64bits(tc.draw(s)))
		}
		if got != tc.want {
			t.Errorf("%s: hash %#016x, want %#016x", name, got, tc.want)
		}
	}
}
