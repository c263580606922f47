// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"strconv"
	"strings"
)

// counts reads a number of replicas for each pool, with colons between them, as 2 or
// 2:6. An empty detail says that it is right.
func (l *loader) counts(text string) (all []int, detail string) {
	words := strings.Split(text, ":")
	pools := l.world.Pools
	if len(pools) > 0 && len(words) != len(pools) {
		return nil, fmt.Sprintf("must have the replicas of %s with colons between them, such as %s",
			strings.Join(l.names(), ":"), strings.Join([]string{"2", "6"}[:min(len(pools), 2)], ":"))
	}
	for k, word := range words {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		switch {
		case err != nil || n < 0:
			return nil, fmt.Sprintf("%q must be a whole number of replicas", word)
		case k < len(pools) && (n < pools[k].Min || n > pools[k].Max):
			return nil, fmt.Sprintf("%d replicas are not within the bounds of pool %s, %d to %d", n, pools[k].Name, pools[k].Min, pools[k].Max)
		}
		all = append(all, n)
	}
	return all, ""
}

// listed writes numbers as counts reads them.
func listed(counts []int) string {
	var b strings.Builder
	for i, n := range counts {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}
