// SPDX-License-Identifier: Apache-2.0

package manifest

// Treatment says what becomes of a field.
type Treatment int

// The treatments.
const (
	// Exact: it does what it does in a cluster.
	Exact Treatment = iota
	// Approximated: it does something near to that.
	Approximated
	// NoEffect: nothing that is simulated depends on it.
	NoEffect
	// Refused: a manifest that has it cannot be simulated.
	Refused
)

func (t Treatment) String() string {
	return [...]string{"exact", "approximated", "no effect", "refused"}[t]
}

// mostReplicas is how many replicas of a pool a simulation can have.
const mostReplicas = 16_384

// A Field is a field of a kind.
type Field struct {
	// Path is where it stands, with [] after the name of a list.
	Path      string
	Treatment Treatment
	// Note says more; for an approximation and a refusal it has to.
	Note string

	form form
	// words are all that a text may be, where there are few.
	words []string
	// needed says that the object around it must have the field.
	needed bool
	// of is the one type of trigger that has the field; empty where any may.
	of string
	// least and most bound a number, or the entries of a list.
	least, most int64
	// simulated says that most bounds simulations, and that a cluster takes more.
	simulated bool
}

// form is what a field holds.
type form int

const (
	object    form = iota
	list           // of objects
	text           //
	whole          // a whole number
	anyNumber      // a number
	quantity       // such as 500m; a positive one
	boolean        //
	anything       // its own fields are not looked at
)

func (f form) String() string {
	return [...]string{"an object", "a list", "a string", "a whole number", "a number", "a quantity, such as 500m or 5", "true or false", "anything"}[f]
}

// Fields returns all fields of a kind, in their order.
func (k Kind) Fields() []Field {
	switch k {
	case HorizontalPodAutoscaler:
		return hpaFields
	case ScaledObject:
		return scaledObjectFields
	case PodAutoscaler:
		return podAutoscalerFields
	default:
		return configMapFields
	}
}
