// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Copies make a client represent many similar clients, named name-1, name-2 and so
// on. Each copy has its own arrivals and lengths, unless a field says otherwise. The
// client's rate is the total rate of all copies.
type Copies struct {
	// count is the number of clients. A workload has at most 100000 clients, copies
	// included, and at most 10000 with an arrival process of their own.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Count int32 `json:"count,omitempty"`
	// zipfExponent is the exponent s, at most 10, that divides the rate: the share of
	// copy k is proportional to k to the power of -s. "0" gives equal shares, "1" is
	// Zipf's law.
	// +optional
	// +kubebuilder:default="0"
	ZipfExponent NonNegativeDecimal `json:"zipfExponent,omitempty"`
	// lengthCV is how much longer the prompts and answers of some copies are: each copy
	// multiplies lengths that are drawn from inputTokens and outputTokens by a factor of its
	// own. The factors have the mean 1 and this coefficient of variation, at most 10.
	// Without it, all copies have the same lengths.
	// +optional
	LengthCV PositiveDecimal `json:"lengthCV,omitempty"`
	// prefixes says whether each copy has its own prefix, in the groups group-1,
	// group-2 and so on, or all copies share the client's prefix.
	// +optional
	// +kubebuilder:default=Own
	Prefixes CopyPrefixes `json:"prefixes,omitempty"`
	// arrivals says whether each copy has its own arrival process with its share of
	// the rate, or all copies share one process, whose requests are distributed among
	// them. The default is Own.
	// +optional
	Arrivals CopyArrivals `json:"arrivals,omitempty"`
	// adapters says whether each copy has its own LoRA adapter, named adapter-1,
	// adapter-2 and so on, or all copies use the client's adapter. The default is Own.
	// +optional
	Adapters CopyAdapters `json:"adapters,omitempty"`
}

// CopyArrivals says which arrival process the copies of a client have.
// +kubebuilder:validation:Enum=Own;Cycle;Random
type CopyArrivals string

const (
	// OwnArrivals give each copy its own process.
	OwnArrivals CopyArrivals = "Own"
	// CycleArrivals distribute the requests of one process in rounds. A round has
	// one request for each copy, or one for each of their prompts, in an order
	// that is drawn once. All copies have the same share.
	CycleArrivals CopyArrivals = "Cycle"
	// RandomArrivals assign each request of one process to a random copy, by the
	// shares.
	RandomArrivals CopyArrivals = "Random"
)

// CopyAdapters says which LoRA adapter the copies of a client use.
// +kubebuilder:validation:Enum=Own;Shared
type CopyAdapters string

const (
	// OwnAdapters give each copy its own adapter.
	OwnAdapters CopyAdapters = "Own"
	// SharedAdapters leave all copies with the client's adapter.
	SharedAdapters CopyAdapters = "Shared"
)

// CopyPrefixes says which prefix the copies of a client have.
// +kubebuilder:validation:Enum=Own;Shared
type CopyPrefixes string

const (
	// OwnPrefixes give each copy its own prefix group.
	OwnPrefixes CopyPrefixes = "Own"
	// SharedPrefixes leave all copies in the client's prefix group.
	SharedPrefixes CopyPrefixes = "Shared"
)
