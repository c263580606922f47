// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Copies let one client stand for many of its kind, such as tenants of which a
// few send the most.
type Copies struct {
	// Count is the number of clients.
	Count int
	// ZipfExponent s deals the client's rate out: copy k of 1 to Count gets a
	// share in proportion to k^-s. 0 gives all the same, 1 is Zipf's law.
	ZipfExponent float64
	// SharedPrefix leaves all copies in the client's prefix group; otherwise
	// each has a group of its own.
	SharedPrefix bool
	// SharedAdapter leaves all copies with the client's adapter; otherwise each
	// has one of its own.
	SharedAdapter bool
	// SharedArrivals, if set, gives all copies one arrival process, whose requests are
	// distributed in that order.
	SharedArrivals Order
}

const maxCopies, maxZipfExponent = 10_000, 10

// Validate returns the faults of the copies, under the names that the API
// gives their fields.
func (c Copies) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.Count < 1 || c.Count > maxCopies {
		errs = append(errs, outOfRange(path.Child("count"), c.Count, 1, maxCopies))
	}
	if !(c.ZipfExponent >= 0 && c.ZipfExponent <= maxZipfExponent) {
		errs = append(errs, field.Invalid(path.Child("zipfExponent"), c.ZipfExponent,
			fmt.Sprintf("must be between 0 and %d", maxZipfExponent)))
	}
	if c.SharedArrivals != "" {
		errs = append(errs, c.SharedArrivals.validate(path.Child("arrivals"))...)
	}
	if c.SharedArrivals == Cycle && c.ZipfExponent != 0 {
		errs = append(errs, field.Invalid(path.Child("zipfExponent"), c.ZipfExponent,
			"must be 0 where arrivals is Cycle: a round has the same for all copies"))
	}
	return errs
}

// Expand returns the copies of a client, the busiest first. Copy k is named after
// the client with -k behind, and so are its prefix group and its adapter; its
// rate is its share of the client's. All else is the client's. It expects what
// Validate lets pass.
func (c Copies) Expand(client Client) []Client {
	shares := c.shares()
	var shared *SharedArrivals
	if c.SharedArrivals != "" {
		shared = &SharedArrivals{Name: client.Name, Order: c.SharedArrivals, Shares: shares}
	}
	copies := make([]Client, c.Count)
	for i := range copies {
		k := client
		suffix := fmt.Sprintf("-%d", i+1)
		k.Name += suffix
		if k.PrefixGroup != "" && !c.SharedPrefix {
			k.PrefixGroup += suffix
		}
		if k.Adapter != "" && !c.SharedAdapter {
			k.Adapter += suffix
		}
		if k.SharedArrivals = shared; shared == nil {
			k.Arrivals = k.Arrivals.Scaled(shares[i])
		}
		copies[i] = k
	}
	return copies
}

// shares returns what part of the rate each copy has; they sum up to 1.
func (c Copies) shares() []float64 {
	shares := make([]float64, c.Count)
	sum := 0.0
	for i := range shares {
		shares[i] = stats.Pow(float64(i+1), -c.ZipfExponent)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}
