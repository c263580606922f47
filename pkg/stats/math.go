// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

func Log(x float64) float64    { return math.Log(x) }
func Log1p(x float64) float64  { return math.Log1p(x) }
func Exp(x float64) float64    { return math.Exp(x) }
func Pow(x, y float64) float64 { return math.Pow(x, y) }
func Atan(x float64) float64   { return math.Atan(x) }
