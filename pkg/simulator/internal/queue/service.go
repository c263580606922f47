// SPDX-License-Identifier: Apache-2.0

package queue

import "windtunnel.dev/windtunnel/pkg/policy/scheduling"

// Service counts the tokens that a replica serves to each tenant, for its scheduler.
// Requests in step get a token with each step, which is counted when it is read. A
// nil one counts nothing.
type Service struct {
	to *scheduling.Service
	// inStep has the tenants with requests in step.
	inStep []tenantInStep
}

// tenantInStep is how many requests of a tenant are in step, and the number of steps up
// to which their tokens are counted.
type tenantInStep struct {
	tenant   int
	requests int64
	counted  int64
}

// NewService returns the service that a scheduler reads; nil if it reads none.
func NewService(to *scheduling.Service) *Service {
	if to == nil {
		return nil
	}
	return &Service{to: to}
}

// Add counts tokens of a tenant.
func (s *Service) Add(tenant int, tokens int64) {
	if s != nil {
		s.to.Add(tenant, tokens)
	}
}

// Join counts a request from now on that joins step, after a number of steps.
func (s *Service) Join(tenant int, steps int64) {
	if s == nil {
		return
	}
	for i := range s.inStep {
		if t := &s.inStep[i]; t.tenant == tenant {
			s.count(t, steps)
			t.requests++
			return
		}
	}
	s.inStep = append(s.inStep, tenantInStep{tenant: tenant, requests: 1, counted: steps})
}

// Leave ends what join began.
func (s *Service) Leave(tenant int, steps int64) {
	if s == nil {
		return
	}
	for i := range s.inStep {
		t := &s.inStep[i]
		if t.tenant != tenant {
			continue
		}
		s.count(t, steps)
		if t.requests--; t.requests == 0 {
			last := len(s.inStep) - 1
			s.inStep[i] = s.inStep[last]
			s.inStep = s.inStep[:last]
		}
		return
	}
}

// Settle counts all tokens up to a number of steps.
func (s *Service) Settle(steps int64) {
	if s == nil {
		return
	}
	for i := range s.inStep {
		s.count(&s.inStep[i], steps)
	}
}

func (s *Service) count(t *tenantInStep, steps int64) {
	s.to.Add(t.tenant, t.requests*(steps-t.counted))
	t.counted = steps
}

// LeaveAll ends what join began for all requests.
func (s *Service) LeaveAll(steps int64) {
	if s != nil {
		s.Settle(steps)
		s.inStep = s.inStep[:0]
	}
}
