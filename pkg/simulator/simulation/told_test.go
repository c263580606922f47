// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"context"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// told is what a run tells of its engines, sorted.
type told struct {
	steps       []simulator.EngineStep
	preemptions []simulator.Preemption
	transfers   []simulator.Transfer
	handOvers   []simulator.HandOver
}

// listen has a run told.
func (n *told) listen(c *simulator.Config) {
	c.Stepped = func(s simulator.EngineStep) { n.steps = append(n.steps, s) }
	c.Preempted = func(p simulator.Preemption) { n.preemptions = append(n.preemptions, p) }
	c.Transferred = func(t simulator.Transfer) { n.transfers = append(n.transfers, t) }
	c.HandedOver = func(h simulator.HandOver) { n.handOvers = append(n.handOvers, h) }
}

func (n *told) sort() {
	slices.SortStableFunc(n.steps, func(a, b simulator.EngineStep) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Replica, b.Replica))
	})
	slices.SortStableFunc(n.preemptions, func(a, b simulator.Preemption) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Replica, b.Replica))
	})
	slices.SortStableFunc(n.transfers, func(a, b simulator.Transfer) int {
		return cmp.Or(cmp.Compare(a.Ended, b.Ended), cmp.Compare(a.Begun, b.Begun), cmp.Compare(a.Bytes, b.Bytes))
	})
	slices.SortStableFunc(n.handOvers, func(a, b simulator.HandOver) int {
		return cmp.Or(cmp.Compare(a.Ended, b.Ended), cmp.Compare(a.Request, b.Request))
	})
}

// plainly keeps what the plain simulator knows: what ended well, and of transfers the times and bytes.
func (n *told) plainly() {
	n.handOvers = slices.DeleteFunc(n.handOvers, func(h simulator.HandOver) bool { return h.Cancelled })
	n.transfers = slices.DeleteFunc(n.transfers, func(t simulator.Transfer) bool { return t.Cancelled })
	for i, t := range n.transfers {
		n.transfers[i] = simulator.Transfer{Begun: t.Begun, Ended: t.Ended, Bytes: t.Bytes}
	}
}

// upTo drops the transfers that end after a time, when nobody waits for them any more.
func (n *told) upTo(end simtime.Time) {
	n.transfers = slices.DeleteFunc(n.transfers, func(t simulator.Transfer) bool { return t.Ended >= end })
}

// telling is a random cluster whose engines have all to tell.
func telling(seed int64) simulator.Config {
	return randomConfigWith(randomBytes(seed), randomTiers, randomHandoffs, randomDisruptions)
}

// What engines do is told as the plain simulator tells it, with and without the shortcuts.
func TestWhatIsToldAgainstPlain(t *testing.T) {
	var counts told
	for seed := range int64(800) {
		want, fast, slow := told{}, told{}, told{}
		plain, config, checked := telling(seed), telling(seed), telling(seed)
		config.CheckInvariants, checked.CheckInvariants = false, true
		want.listen(&plain)
		fast.listen(&config)
		slow.listen(&checked)
		end := runPlain(plain).End
		for _, c := range []simulator.Config{config, checked} {
			if _, err := Run(context.Background(), c); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []*told{&want, &fast, &slow} {
			n.sort()
			n.plainly()
			n.upTo(end)
		}
		for name, got := range map[string]*told{"with shortcuts": &fast, "checked": &slow} {
			if diff := gocmp.Diff(want, *got, gocmp.AllowUnexported(told{}), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("scenario %d, %s (−plain +got):\n%s", seed, name, diff)
			}
		}
		counts.steps = append(counts.steps, fast.steps...)
		counts.preemptions = append(counts.preemptions, fast.preemptions...)
		counts.transfers = append(counts.transfers, fast.transfers...)
		counts.handOvers = append(counts.handOvers, fast.handOvers...)
	}
	for what, n := range map[string]int{
		"steps": len(counts.steps), "preemptions": len(counts.preemptions), "transfers": len(counts.transfers), "hand-overs": len(counts.handOvers),
	} {
		if n < 100 {
			t.Errorf("the scenarios have %d %s, want at least 100", n, what)
		}
	}
}

// To tell of a run changes nothing of it.
func TestToTellChangesNothing(t *testing.T) {
	for seed := range int64(100) {
		config, listened := telling(seed), telling(seed)
		config.CheckInvariants, listened.CheckInvariants = false, false
		(&told{}).listen(&listened)
		want, _ := Run(context.Background(), config)
		got, _ := Run(context.Background(), listened)
		if diff := difference(want, got); diff != "" {
			t.Errorf("scenario %d (−alone +told):\n%s", seed, diff)
		}
	}
}

// A transfer begins before it ends, between places that its reason has, and a hand-over goes through
// its times in order.
func TestTransfersAndHandOversAreInOrder(t *testing.T) {
	reasons := map[string]int{}
	for seed := range int64(400) {
		n, config := told{}, telling(seed)
		n.listen(&config)
		if _, err := Run(context.Background(), config); err != nil {
			t.Fatal(err)
		}
		for _, s := range n.transfers {
			reasons[s.Reason]++
			apart := s.Reason == simulator.HandOverReason
			down := s.FromTier == simulator.GPUPlace || s.FromTier == simulator.CPUPlace && s.ToTier == simulator.StoragePlace
			if s.Ended < s.Begun || s.Bytes <= 0 || (s.From != s.To) != apart ||
				s.Reason == simulator.OffloadTransfer && !down || s.Reason == simulator.ReloadTransfer && (s.ToTier != simulator.GPUPlace || s.Request == simulator.NoRequest) {
				t.Fatalf("scenario %d: %+v", seed, s)
			}
		}
		for _, h := range n.handOvers {
			if h.Ended < h.Begun || h.Prefilled >= 0 && h.Prefilled < h.Begun || h.Ready >= 0 && h.Ready < h.Prefilled || !h.Cancelled && (h.Ready < 0 || h.Ended < h.Ready) {
				t.Fatalf("scenario %d: %+v", seed, h)
			}
		}
	}
	if len(reasons) != 3 {
		t.Errorf("the scenarios have transfers for %v", reasons)
	}
}
