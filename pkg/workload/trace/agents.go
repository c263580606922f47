// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"unsafe"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// agentFormat is a format whose file tells when requests of agents began and ended. It has no
// rows: all of the file is read, and its requests become rows that wait for each other.
type agentFormat interface {
	// add reads one JSON value of the file, from 1.
	add(value int, text json.RawMessage) error
	// conversations returns what was read.
	conversations() ([]conversationTree, error)
}

// conversationTree is a session and those that it began.
type conversationTree struct{ threads []thread }

// thread is a session: requests of one agent.
type thread struct {
	name string
	// parent is the place in the tree of the session that began this one; -1 is none.
	parent int
	calls  []call
	// branches are the calls of others that this agent waits for.
	branches []branch
}

// branch are calls of another thread whose ends an agent waits for.
type branch struct {
	thread      int
	first, last int // calls, the last one not among them
}

// call is a recorded request and its answer.
type call struct {
	value         int   // of the file, for errors
	start, end    int64 // ns
	input, output int32
	ids           []uint64 // of full blocks
	model         string
	// after are the calls of the same thread that this one waits for, where the file says so; nil tells by the times.
	after []int
	told  bool
}

// place is a call of a tree.
type place struct{ thread, call int }

// agentRecords are the requests of agents as rows.
type agentRecords struct {
	format      agentFormat
	in          io.Reader
	hash        hash.Hash
	memoryBytes int64
	blockTokens int32
	timeField   string
	outputField string
	read        bool
	trees       []conversationTree
	rows        []agentRow
	next_       int
	after       []uint64
}

// agentRow is a call with the rows that it waits for.
type agentRow struct {
	tree, thread, call int
	waits              []place
	named              bool
	number             uint64
}
