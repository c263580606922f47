// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"cmp"
	"encoding/json"
	"net"
	"net/http"
	"strings"
)

// kvTransfer is what a request says to vLLM's NIXL connector
// (distributed/kv_transfer/kv_connector/v1/nixl/scheduler.py at 053da34): that another engine is to
// decode, or that another one has computed the prompt.
type kvTransfer struct {
	DoRemoteDecode  bool            `json:"do_remote_decode"`
	DoRemotePrefill bool            `json:"do_remote_prefill"`
	EngineID        *string         `json:"remote_engine_id"`
	RequestID       *string         `json:"remote_request_id"`
	Host            *string         `json:"remote_host"`
	Port            json.RawMessage `json:"remote_port"`
}

// keeps reports whether the engine keeps the blocks of a request that finishes for a reason: for its
// length alone, as an answer that has ended is not decoded elsewhere.
func (k *kvTransfer) keeps(finish string) bool {
	return k != nil && k.DoRemoteDecode && finish == "length"
}

// takesOver is the handle of the request whose blocks this one gets; empty without one. As in vLLM, a
// request that lacks a field computes its prompt.
func (k *kvTransfer) takesOver() string {
	if k == nil || !k.DoRemotePrefill || k.EngineID == nil || k.RequestID == nil || k.Host == nil || off(k.Port) {
		return ""
	}
	return *k.RequestID
}

// kept is what an answer says of blocks that wait for another engine.
type kept struct {
	DoRemotePrefill bool    `json:"do_remote_prefill"`
	DoRemoteDecode  bool    `json:"do_remote_decode"`
	BlockIDs        [][]int `json:"remote_block_ids"` // of the one group of KV caches
	EngineID        string  `json:"remote_engine_id"`
	RequestID       string  `json:"remote_request_id"`
	Host            string  `json:"remote_host"`
	Port            int     `json:"remote_port"`
	TPSize          int     `json:"tp_size"`
}

// sideChannelPort is the default of VLLM_NIXL_SIDE_CHANNEL_PORT. Nothing listens there: blocks move
// within the process.
const sideChannelPort = 5600

// kept describes the blocks that the engine keeps of a job; nil where it keeps none. Their numbers
// have no meaning.
func (s *Server) kept(r *http.Request, j *job) *kept {
	handle := j.streams[0].Handle()
	if handle == "" {
		return nil
	}
	block := s.engine.Metrics().BlockTokens
	ids := make([]int, (len(j.prompt(0))+block-1)/block)
	for i := range ids {
		ids[i] = i
	}
	engine, _, _ := strings.Cut(handle, "-")
	host, _, _ := net.SplitHostPort(r.Host)
	return &kept{
		DoRemotePrefill: true, BlockIDs: [][]int{ids}, EngineID: engine, RequestID: handle,
		Host: cmp.Or(host, r.Host), Port: sideChannelPort, TPSize: 1,
	}
}
