// SPDX-License-Identifier: Apache-2.0

package scheduling

// Service counts the tokens that one engine has served to each tenant: the prompt of a
// request when it runs there for the first time, and each token that the engine generates.
// Tokens that are computed again after a preemption count once. It is what the metric
// fairness.tokens compares.
type Service struct{ tokens []int64 }

// Add counts tokens that a tenant gets.
func (s *Service) Add(tenant int, tokens int64) {
	for len(s.tokens) <= tenant {
		s.tokens = append(s.tokens, 0)
	}
	s.tokens[tenant] += tokens
}

// Served returns the tokens that a tenant has got.
func (s *Service) Served(tenant int) int64 {
	if tenant >= len(s.tokens) {
		return 0
	}
	return s.tokens[tenant]
}
