// SPDX-License-Identifier: Apache-2.0

package vllm

import "net/http"

// modelCard describes a model that requests may name.
type modelCard struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	// Root is where the weights are from, Parent the base model of an adapter.
	Root        string       `json:"root"`
	Parent      *string      `json:"parent"`
	MaxModelLen *int         `json:"max_model_len"`
	Permission  []permission `json:"permission"`
}

// permission is what OpenAI's API once had in model cards.
type permission struct {
	ID                 string  `json:"id"`
	Object             string  `json:"object"`
	Created            int64   `json:"created"`
	AllowCreateEngine  bool    `json:"allow_create_engine"`
	AllowSampling      bool    `json:"allow_sampling"`
	AllowLogprobs      bool    `json:"allow_logprobs"`
	AllowSearchIndices bool    `json:"allow_search_indices"`
	AllowView          bool    `json:"allow_view"`
	AllowFineTuning    bool    `json:"allow_fine_tuning"`
	Organization       string  `json:"organization"`
	Group              *string `json:"group"`
	IsBlocking         bool    `json:"is_blocking"`
}

func (s *Server) card(name, root string) modelCard {
	created := s.started.Unix()
	return modelCard{
		ID: name, Object: "model", Created: created, OwnedBy: "vllm", Root: root,
		Permission: []permission{{
			ID: "modelperm-" + name, Object: "model_permission", Created: created,
			AllowSampling: true, AllowLogprobs: true, AllowView: true, Organization: "*",
		}},
	}
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	cards := []modelCard{}
	for _, name := range s.o.Names {
		card := s.card(name, s.o.Root)
		card.MaxModelLen = &s.o.MaxModelLen
		cards = append(cards, card)
	}
	names, places := s.adapters.all()
	for _, name := range names {
		card := s.card(name, places[name])
		card.Parent = &s.o.Names[0]
		cards = append(cards, card)
	}
	s.answer(w, struct {
		Object string      `json:"object"`
		Data   []modelCard `json:"data"`
	}{"list", cards})
}
