// SPDX-License-Identifier: Apache-2.0

package native

// Role is what an endpoint does of a request.
type Role int

// The roles. Programs see them as these numbers.
const (
	NoRole Role = iota
	Prefills
	Decodes
	DoesBoth
)

// stage is what a router chooses an endpoint for.
type stage int

// The stages. Programs see them as these numbers.
const (
	wholeRequest stage = iota
	decodeStage
	prefillStage
	// prefillInPlace is of the endpoint that decodes, where another one may compute the prompt.
	prefillInPlace
)

// stageOf shows a program the stage of a choice, row by row. A program that sees it may choose
// the endpoint that decodes to compute the prompt too.
type stageOf struct{ stage stage }

func (s stageOf) score(r *round, scores []float64) {
	for i, e := range r.candidates {
		scores[i] = float64(s.stage)
		if s.stage == prefillStage && e == r.decodes {
			scores[i] = float64(prefillInPlace)
		}
	}
}

func (stageOf) ofAnySize() {}

// roles show a program the role of each endpoint.
type roles []Role

func (s roles) score(r *round, scores []float64) {
	for i, e := range r.candidates {
		scores[i] = 0
		if s != nil {
			scores[i] = float64(s[e])
		}
	}
}

func (roles) ofAnySize() {}

func showRoles(b *builder) scorer { return roles(b.roles) }

func showStage(b *builder) scorer {
	b.router.inPlace = b.stage == prefillStage
	return stageOf{b.stage}
}
