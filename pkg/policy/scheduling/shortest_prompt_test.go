// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestShortestPromptServesShortPromptsFirst(t *testing.T) {
	expectOrder(t, ShortestPrompt(), 1, 3, 2, 0, 4)
	expectVictim(t, ShortestPrompt(), waiting, 4)
}
