// SPDX-License-Identifier: Apache-2.0

package scheduling

import "windtunnel.dev/windtunnel/pkg/simtime"

// WeightedFair is start-time fair queueing between tenants (Goyal, Vin, Cheng:
// Start-time Fair Queueing, SIGCOMM 1996) over tokens. Each tenant has a tag, which
// grows by tokens ÷ weight as the engine serves it: by the prompt when a request starts,
// and by each generated token, as the length of an answer is not known before. The
// tenant with the lowest tag is served next.
//
// The virtual time is the tag of the request that started last. A tenant's tag is
// raised to it when a request of the tenant arrives and no other one of it waits: who
// was absent, or asked for less than its share, gains no credit. Where the engine runs
// empty, the virtual time becomes the greatest tag.
//
// weights are by tenant; those beyond the slice are 1.
func WeightedFair(weights []float64) Scheduler {
	f := &weightedFair{service: &Service{}, weights: weights}
	return Scheduler{Moving: f, Listener: f, Service: f.service}
}

type weightedFair struct {
	service *Service
	weights []float64
	tenants []fairTenant
	// virtual is the virtual time, greatest the greatest tag of a tenant when one of
	// its requests left.
	virtual, greatest float64
	// jobs are the requests that wait or run.
	jobs int
}

// fairTenant is a tenant that had a tag when it had been served a number of tokens.
type fairTenant struct {
	tag     float64
	served  int64
	waiting int
}

func (f *weightedFair) tenant(t int) *fairTenant {
	for len(f.tenants) <= t {
		f.tenants = append(f.tenants, fairTenant{})
	}
	return &f.tenants[t]
}

func (f *weightedFair) tag(tenant int) float64 {
	t := f.tenant(tenant)
	weight := 1.0
	if tenant < len(f.weights) {
		weight = f.weights[tenant]
	}
	return t.tag + float64(float64(f.service.Served(tenant)-t.served)/weight)
}

func (f *weightedFair) Rank(j Job, _ simtime.Time) float64 { return f.tag(j.Tenant) }

func (*weightedFair) Group(j Job) int32 { return int32(j.Tenant) }

func (f *weightedFair) Entered(j Job) {
	f.jobs++
	t := f.tenant(j.Tenant)
	if t.waiting == 0 && f.tag(j.Tenant) < f.virtual {
		t.tag, t.served = f.virtual, f.service.Served(j.Tenant)
	}
	t.waiting++
}

func (f *weightedFair) Started(j Job) {
	f.tenant(j.Tenant).waiting--
	f.virtual = max(f.virtual, f.tag(j.Tenant))
}

func (f *weightedFair) Preempted(j Job) { f.tenant(j.Tenant).waiting++ }

func (f *weightedFair) Left(j Job, waiting bool) {
	if waiting {
		f.tenant(j.Tenant).waiting--
	}
	f.greatest = max(f.greatest, f.tag(j.Tenant))
	if f.jobs--; f.jobs == 0 {
		f.virtual = max(f.virtual, f.greatest)
	}
}
