// SPDX-License-Identifier: Apache-2.0

package result

// Unit is what a metric's values are in.
type Unit string

// The units.
const (
	Seconds   Unit = "seconds"
	Share     Unit = "share" // 0 to 1
	PerSecond Unit = "per second"
	PerHour   Unit = "per hour"
	Count     Unit = "count"
	Ratio     Unit = "ratio"
	Index     Unit = "index" // 0 to 1, 1 is best
	Hours     Unit = "hours"
	Currency  Unit = "currency" // the scenario's own
	// CurrencyPerRequest is the scenario's own currency for each request.
	CurrencyPerRequest Unit = "currency per request"
	Number             Unit = "number" // a derived metric's
)

// LowEnd is the lower end of an interval of a mean as people read it: no mean of durations is below 0,
// so an interval that is cut there holds with the same confidence. Other units have values below 0, such
// as the share of a backlog that shrinks.
func (u Unit) LowEnd(x float64) float64 {
	if u == Seconds {
		return max(x, 0)
	}
	return x
}
