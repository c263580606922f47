// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// keptPrompt is the prompt of a request that has ended, which its replica may keep until a time.
type keptPrompt struct {
	number int
	until  simtime.Time
}

// dropKept gives up the prompts that have been kept for long enough before a time.
func (p *Pool) dropKept(now simtime.Time) {
	for len(p.kept) > 0 && p.kept[0].until < now {
		if err := p.session.Drop(max(p.kept[0].until, p.at), p.kept[0].number); err != nil {
			p.fail(err)
			return
		}
		p.kept = p.kept[1:]
	}
}

// Kept says whether the replica of a stream still keeps the blocks of its prompt for another request.
func (p *Pool) Kept(s *Stream) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.catchUp() // a pool that has failed keeps what it did
	return p.session.Keeps(s.number)
}

// takenOver is one more than the number of the request of a handle; 0 where it is not of the pool.
func (p *Pool) takenOver(handle string) int {
	id, digits, _ := strings.Cut(handle, "-")
	number, err := strconv.Atoi(digits)
	if id != p.id || err != nil || number < 0 {
		return 0
	}
	return number + 1
}
