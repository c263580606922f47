// SPDX-License-Identifier: Apache-2.0

package manifest

import "fmt"

// nameGenerated gives an object with metadata.generateName and no name the first
// free name of that beginning, such as sweep-1: the same in every reading, where
// an API server would draw one at random.
func (s *Set) nameGenerated(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	prefix, _ := metadata["generateName"].(string)
	if name, _ := metadata["name"].(string); prefix == "" || name != "" {
		return
	}
	taken := map[string]bool{}
	for _, run := range s.Runs {
		taken[run.Name] = true
	}
	for _, sweep := range s.Sweeps {
		taken[sweep.Name] = true
	}
	for n := 1; metadata["name"] == nil || taken[metadata["name"].(string)]; n++ {
		metadata["name"] = fmt.Sprintf("%s%d", prefix, n)
	}
}
