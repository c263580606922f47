// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"fmt"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
)

// install has the packet filter queue the first packet of each connection that comes
// in through the bridge: of those that pods begin, to each other and to the node.
// What the node begins always passes. The rules stay when this program ends, and
// without it nothing passes them.
func install(table, bridge string, queue uint16) error {
	// Some kernels lack the filter's own way to a queue, others the one of iptables.
	err := installWith(table, bridge, &expr.Queue{Num: queue})
	if err != nil {
		err = installWith(table, bridge, queueOfIPTables(queue))
	}
	if err != nil {
		return fmt.Errorf("this kernel's packet filter cannot ask a program: %w", err)
	}
	return nil
}

// queueOfIPTables is target NFQUEUE of iptables, whose parameter is a number of two
// bytes, filled up to eight.
func queueOfIPTables(queue uint16) *expr.Target {
	parameter := xt.Unknown(make([]byte, 8))
	binary.NativeEndian.PutUint16(parameter, queue)
	return &expr.Target{Name: "NFQUEUE", Info: &parameter}
}

func installWith(name, bridge string, ask expr.Any) error {
	connection, err := nftables.New()
	if err != nil {
		return err
	}
	table := &nftables.Table{Family: nftables.TableFamilyIPv4, Name: name}
	// Added, it is there to be deleted, with what an earlier start left.
	connection.AddTable(table)
	connection.DelTable(table)
	connection.AddTable(table)
	for name, hook := range map[string]*nftables.ChainHook{
		"forward": nftables.ChainHookForward, "input": nftables.ChainHookInput,
	} {
		chain := connection.AddChain(&nftables.Chain{
			Name: name, Table: table, Type: nftables.ChainTypeFilter, Hooknum: hook, Priority: nftables.ChainPriorityFilter,
		})
		connection.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: append(comesThrough(bridge), append(isNew(), ask)...)})
	}
	return connection.Flush()
}

// comesThrough matches packets that come in through an interface.
func comesThrough(name string) []expr.Any {
	const maxName = 16
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyIIFNAME, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: append([]byte(name), make([]byte, maxName-len(name))...)},
	}
}

// isNew matches packets that belong to no connection which is there.
func isNew() []expr.Any {
	return []expr.Any{
		&expr.Ct{Key: expr.CtKeySTATE, Register: 1},
		&expr.Bitwise{
			SourceRegister: 1, DestRegister: 1, Len: 4,
			Mask: binaryutil.NativeEndian.PutUint32(expr.CtStateBitESTABLISHED | expr.CtStateBitRELATED),
			Xor:  binaryutil.NativeEndian.PutUint32(0),
		},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binaryutil.NativeEndian.PutUint32(0)},
	}
}
