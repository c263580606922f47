// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/florianl/go-nfqueue/v2"
	"k8s.io/apimachinery/pkg/labels"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"sigs.k8s.io/kube-network-policies/pkg/api"
	"sigs.k8s.io/kube-network-policies/pkg/network"
	"sigs.k8s.io/kube-network-policies/pkg/networkpolicy"
)

// maxHeaders is as much of a packet as a decision takes.
const maxHeaders = 128

// guard decides about first packets of connections.
type guard struct {
	engine   *networkpolicy.PolicyEngine
	known    api.PodInfoProvider
	policies networkinglisters.NetworkPolicyLister
	node     net.IP
	pods     *net.IPNet
}

// watch has the guard decide about all packets of a queue, until done is called.
func (g *guard) watch(ctx context.Context, queue uint16) (done func() error, err error) {
	packets, err := nfqueue.Open(&nfqueue.Config{
		NfQueue: queue, MaxPacketLen: maxHeaders, MaxQueueLen: 1024,
		Copymode: nfqueue.NfQnlCopyPacket, Flags: nfqueue.NfQaCfgFlagGSO, WriteTimeout: 100 * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	err = packets.RegisterWithErrorFunc(ctx, func(a nfqueue.Attribute) int {
		verdict := nfqueue.NfDrop
		if a.Payload != nil && g.allows(ctx, *a.Payload) {
			verdict = nfqueue.NfAccept
		}
		if err := packets.SetVerdict(*a.PacketID, verdict); err != nil {
			fmt.Fprintln(os.Stderr, "policies: verdict:", err)
		}
		return 0
	}, func(err error) int {
		if timeout, ok := err.(net.Error); !ok || !timeout.Timeout() {
			fmt.Fprintln(os.Stderr, "policies: receive:", err)
		}
		return 0
	})
	return packets.Close, err
}

// allows says whether a packet may pass.
func (g *guard) allows(ctx context.Context, packet []byte) bool {
	if policies, err := g.policies.List(labels.Everything()); err == nil && len(policies) == 0 {
		return true
	}
	p, err := network.ParsePacket(packet)
	if err != nil {
		return false
	}
	// A pod may send before its address is in its status. Its first packet is sent
	// again a second later.
	if g.unknown(p.SrcIP) || g.unknown(p.DstIP) {
		return false
	}
	allowed, err := g.engine.EvaluatePacket(ctx, &p)
	if !allowed {
		fmt.Fprintf(os.Stderr, "policies: dropped %s:%d to %s:%d/%s (%v)\n", p.SrcIP, p.SrcPort, p.DstIP, p.DstPort, p.Proto, err)
	}
	return allowed && err == nil
}

// unknown reports whether the address is that of an unknown pod.
func (g *guard) unknown(ip net.IP) bool {
	if !g.pods.Contains(ip) || ip.Equal(g.node) {
		return false
	}
	_, known := g.known.GetPodInfoByIP(ip.String())
	return !known
}
