// SPDX-License-Identifier: Apache-2.0

package stats

// MSER5 returns how many numbers at the start of a series, a multiple of five,
// to leave out as its warm-up: those without which the mean of the rest is known
// best, by the squared standard error that independent numbers of that spread
// would have. Where that point lies in the second half of the series, or the
// series has fewer than 50 numbers, no steady state was seen, and ok is false.
//
// Batches of five are averaged first; the error is not looked at where fewer
// than five batches are left, which may agree by chance (White, Cobb, Spratt: A
// Comparison of Five Steady-State Truncation Heuristics for Simulation, WSC
// 2000; Hoad, Robinson, Davies: Automating Warm-Up Length Estimation, WSC 2008).
func MSER5(series []float64) (warmUp int, ok bool) {
	const size, fewest = 5, 5
	batches := len(series) / size
	if batches < 2*fewest {
		return 0, false
	}
	best, bestError := 0, 0.0
	count, mean, squares := 0.0, 0.0, 0.0 // of batches from here on (Welford's updates)
	for from := batches - 1; from >= 0; from-- {
		x := meanOf(series[from*size : (from+1)*size])
		count++
		d := x - mean
		mean += d / count
		squares += float64(d * (x - mean))
		squaredError := squares / float64(count*count)
		if left := batches - from; left == fewest || left > fewest && squaredError <= bestError {
			best, bestError = from, squaredError
		}
	}
	if best > batches/2 {
		return 0, false
	}
	return best * size, true
}

func meanOf(xs []float64) float64 {
	mean, _ := moments(xs)
	return mean
}
