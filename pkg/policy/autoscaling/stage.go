// SPDX-License-Identifier: Apache-2.0

package autoscaling

// Stage is where a replica stands between its creation and its end.
type Stage uint8

// The stages, in order.
const (
	// Absent: there is no replica at this place.
	Absent Stage = iota
	// Pending: it waits for a place on a node.
	Pending
	// Provisioning: its machine is made ready.
	Provisioning
	// Loading: its image is pulled and its model loaded.
	Loading
	// Warming: it serves, at less than its full speed.
	Warming
	// Serving: it serves.
	Serving
	// Draining: it gets no new requests, and ends when it has served those that it has.
	Draining

	// Stages is how many there are.
	Stages
)

var stageNames = [Stages]string{"absent", "pending", "provisioning", "loading", "warming", "serving", "draining"}

// String returns the stage in a word, as results write it.
func (s Stage) String() string { return stageNames[s] }

// Serves reports whether the router may choose the replica.
func (s Stage) Serves() bool { return s == Warming || s == Serving }

// Starts reports whether the replica does not serve yet.
func (s Stage) Starts() bool { return s == Pending || s == Provisioning || s == Loading }

// Exists reports whether the replica counts as one of its pool: a Deployment does not
// count pods that terminate.
func (s Stage) Exists() bool { return s.Starts() || s.Serves() }

// Holds reports whether the replica occupies accelerators, and so is paid for.
func (s Stage) Holds() bool { return s >= Provisioning }
