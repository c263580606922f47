// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"strconv"
	"strings"

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
	// SharedArrivals, if set, gives all copies one arrival process. With Random, each
	// request is that of any copy, by the shares. With Cycle, there are rounds in which
	// each copy gets as many requests as it has Prompts to go round, else one, in an order
	// that is drawn once. So where a benchmark shuffles its prompts and sends them again
	// and again, a round is those prompts.
	SharedArrivals Order
}

const (
	// maxCopies bounds the copies that begin to exist with their first requests, and
	// maxOwnCopies those with arrivals of their own, which exist from the start.
	maxCopies, maxOwnCopies = 100_000, 10_000
	maxZipfExponent         = 10
	maxLengthCV             = 10
)

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

// validateCopies returns the faults of a client's copies.
func (c *Client) validateCopies(path *field.Path) field.ErrorList {
	if c.Copies == nil {
		return nil
	}
	errs := c.Copies.Validate(path)
	if len(errs) > 0 || c.Copies.Count <= maxOwnCopies {
		return errs
	}
	tooMany := func(why string) {
		errs = append(errs, field.Invalid(path.Child("count"), c.Copies.Count, fmt.Sprintf("must be at most %d %s", maxOwnCopies, why)))
	}
	switch {
	case c.hasOwnArrivals():
		tooMany("unless the copies share their arrivals: set arrivals to Random or Cycle")
	case c.Adapter != "" && !c.Copies.SharedAdapter:
		tooMany("where each copy has its own adapter")
	}
	return errs
}

// members is the number of clients that the client stands for.
func (c *Client) members() int {
	if c.Copies == nil {
		return 1
	}
	return c.Copies.Count
}

// member returns copy i of the client, from 0. It is named after the client with the number
// behind, from 1, and so are its prefix group and its adapter. All else is the client's.
func (c *Client) member(i int) Client {
	k := *c
	if c.Copies == nil {
		return k
	}
	k.Copies = nil
	suffix := "-" + strconv.Itoa(i+1)
	k.Name += suffix
	if k.PrefixGroup != "" && !c.Copies.SharedPrefix {
		k.PrefixGroup += suffix
	}
	if k.Adapter != "" && !c.Copies.SharedAdapter {
		k.Adapter += suffix
	}
	return k
}

// Expand returns the copies of a client, the busiest first, as [Client]s with arrivals of
// their own: the rate of each is its share of the client's.
func (c Copies) Expand(client Client) []Client {
	client.Copies = &c
	copies := make([]Client, c.Count)
	for i, share := range c.Shares() {
		copies[i] = client.member(i)
		copies[i].Arrivals = client.Arrivals.Scaled(share)
	}
	return copies
}

// stemOf splits the name of a copy into its client's name and the copy's number.
func stemOf(name string) (stem string, number int, ok bool) {
	at := strings.LastIndexByte(name, '-')
	if at < 0 {
		return "", 0, false
	}
	number, err := strconv.Atoi(name[at+1:])
	return name[:at], number, err == nil && number > 0 && strconv.Itoa(number) == name[at+1:]
}

// ValidateNames returns the clients that have the name of another one, or of its copy.
func ValidateNames(clients []Client, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	counts := map[string]int{} // of copies; 0 is a client without
	for i := range clients {
		if c := clients[i].Copies; c != nil {
			counts[clients[i].Name] = c.Count
		}
	}
	seen := map[string]bool{}
	for i := range clients {
		name := clients[i].Name
		stem, number, ok := stemOf(name)
		if seen[name] || ok && clients[i].Copies == nil && number <= counts[stem] {
			errs = append(errs, field.Duplicate(path.Index(i).Child("name"), name))
		}
		seen[name] = true
	}
	return errs
}

// Shares returns what part of the rate each copy has, the greatest first; they sum up to 1.
func (c Copies) Shares() []float64 {
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
