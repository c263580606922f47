// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// TraceOrder says in which order the rows of a trace are.
// +kubebuilder:validation:Enum=InOrder;Sort
type TraceOrder string

const (
	// TraceInOrder takes rows in order of time, and no others.
	TraceInOrder TraceOrder = "InOrder"
	// TraceSort sorts rows by time. Rows of one time keep their order.
	TraceSort TraceOrder = "Sort"
)

// TraceTimeFormat says how a CSV writes times.
// +kubebuilder:validation:Enum=Seconds;Milliseconds;Microseconds;Nanoseconds;Timestamp
type TraceTimeFormat string

// TraceDelimiter is what separates the fields of a CSV.
// +kubebuilder:validation:Enum=Comma;Semicolon;Tab;Pipe
type TraceDelimiter string

// ColumnName is the name of a column in the first line of a CSV.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
type ColumnName string

// TraceCSV names the columns of a CSV. Other columns are not read.
type TraceCSV struct {
	// time is the column of the arrival.
	// +required
	Time ColumnName `json:"time,omitempty"`
	// timeFormat says how arrivals are written: a decimal number of a unit, from any
	// instant, or a Timestamp such as 2024-05-10T00:00:00.009930+00:00 with any number of
	// digits, and with a zone in all rows or in none.
	// +required
	TimeFormat TraceTimeFormat `json:"timeFormat,omitempty"`
	// inputTokens is the column of the prompt's length.
	// +required
	InputTokens ColumnName `json:"inputTokens,omitempty"`
	// outputTokens is the column of the answer's length.
	// +required
	OutputTokens ColumnName `json:"outputTokens,omitempty"`
	// tenant is the column of the tenant. A row that leaves it empty has the tenant of
	// the trace.
	// +optional
	Tenant ColumnName `json:"tenant,omitempty"`
	// class is the column of the SLO class. A row that leaves it empty has the class of
	// the trace.
	// +optional
	Class ColumnName `json:"class,omitempty"`
	// session is the column of the session.
	// +optional
	Session ColumnName `json:"session,omitempty"`
	// model is the column of the base model.
	// +optional
	Model ColumnName `json:"model,omitempty"`
	// priority is the column of the priority, a whole number. A row that leaves it empty
	// has the priority of the trace.
	// +optional
	Priority ColumnName `json:"priority,omitempty"`
	// delimiter separates fields. Without it, that is a comma.
	// +optional
	Delimiter TraceDelimiter `json:"delimiter,omitempty"`
}
