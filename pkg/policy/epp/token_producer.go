// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// tokenProducer turns a prompt into tokens. Simulated prompts are tokens, and
// those are used whatever the backend. The default backend, estimate, takes
// every 4 bytes of the serialised prompt for a token, so that its blocks end
// elsewhere than the engine's.
//
// Before router-v0.9 there are no estimates, and what a producer makes is there for
// all who ask, whatever its name. Who does so goes by tokens instead of bytes:
// context-length-aware.
var tokenProducer = producerOfTokens(tokenProducerType, "").registered(gie("scheduler-520af478.."))

// tokenizer is its old name. What it makes bears the name of the instance, so
// that plugins do not find it unless that is token-producer.
var tokenizer = producerOfTokens(tokenizerType, tokenProducerType).registered(llmd("scheduler-520af478..router-main"))

const tokenizerType = "tokenizer"

// oldTokenizer was a scorer that scores 0 everywhere. Only what comes behind it in a
// profile, or in the next one, has the tokens.
var oldTokenizer = factory{
	pluginType: pluginType{
		name:         tokenizerType,
		registration: llmd("scheduler-v0.7..scheduler-v0.8"),
		roles:        scorerRole,
		parameters:   func() any { return &tokenParameters{} },
		treatment: func(*Config, *Cluster, *plugin) (Treatment, string) {
			return Exact, "tokenising takes no time, and only scorers behind it have the tokens"
		},
	},
	newScorer: func(*builder, *plugin) scorer { return tokeniser{} },
}

// A tokeniser gives a request its tokens.
type tokeniser struct{}

func (tokeniser) produce(c *cycle) { c.tokenised = true }

func (tokeniser) score(c *cycle, _ []int, w weight, scores []float64) {
	c.tokenised = true
	fill(scores, w.of(0))
}

func producerOfTokens(name, successor string) factory {
	return factory{
		pluginType: pluginType{
			name:       name,
			roles:      producerRole,
			successor:  successor,
			parameters: func() any { return &tokenParameters{} },
			produces:   func(p *plugin) []dataKey { return []dataKey{{tokensData, p.Name}} },
			treatment: func(_ *Config, cluster *Cluster, p *plugin) (Treatment, string) {
				if parameters := p.Parameters.(*tokenParameters); parameters.VLLM != nil || parameters.ModelName != "" {
					return Exact, "rendering takes no time"
				}
				return Approximated, fmt.Sprintf("each token of a prompt stands for %v bytes, and nothing else has any", cluster.bytesPerToken())
			},
		},
		newProducer: func(b *builder, _ *plugin) producer {
			if b.dialect.framework >= router09 {
				return nil
			}
			return tokeniser{}
		},
	}
}

type tokenParameters struct {
	// UDSTokenizerConfig is the deprecated third backend.
	UDSTokenizerConfig *udsTokenizer `json:"udsTokenizerConfig,omitempty"`
	VLLM               *vllmRenderer `json:"vllm,omitempty" versions:"scheduler-520af478.."`
	Estimate           *estimate     `json:"estimate,omitempty" versions:"router-v0.9.."`
	ModelName          string        `json:"modelName,omitempty"`
}

// estimates reports whether tokens are estimated from a prompt's length in bytes.
func (p *tokenParameters) estimates() bool {
	return p.VLLM == nil && p.ModelName == "" && p.UDSTokenizerConfig == nil
}

type udsTokenizer struct {
	SocketFile        string            `json:"socketFile"`
	UseTCP            bool              `json:"useTCP"`
	ModelTokenizerMap map[string]string `json:"modelTokenizerMap"`
}

// enabled reports whether the tokenizer is used: one without a socket is as good
// as none.
func (u *udsTokenizer) enabled() bool { return u != nil && u.SocketFile != "" }

type vllmRenderer struct {
	URL string `json:"url,omitempty" versions:"router-v0.9.."`
	// HTTP is the old name of URL.
	HTTP      string `json:"http,omitempty" versions:"..scheduler-520af478"`
	Timeout   string `json:"timeout,omitempty"`
	MMTimeout string `json:"mmTimeout,omitempty"`
}

// estimate tunes how images and videos are counted; prompts here are text.
type estimate struct {
	Image *imageEstimate `json:"image,omitempty"`
	Video *videoEstimate `json:"video,omitempty" versions:"router-v0.10.."`
}

type imageEstimate struct {
	Mode              string      `json:"mode,omitempty"`
	DefaultResolution *resolution `json:"defaultResolution,omitempty"`
	Static            *struct {
		StaticToken int `json:"staticToken,omitempty"`
	} `json:"static,omitempty"`
	Dynamic *struct {
		Factor int `json:"factor,omitempty"`
	} `json:"dynamic,omitempty"`
}

type resolution struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

type videoEstimate struct {
	DefaultResolution *resolution     `json:"defaultResolution,omitempty"`
	DefaultDuration   float64         `json:"defaultDuration,omitempty"`
	TokensPerFrame    *tokensPerFrame `json:"tokensPerFrame,omitempty"`
	Frames            *videoFrames    `json:"frames,omitempty"`
	MaxVideoTokens    int             `json:"maxVideoTokens,omitempty"`
}

type tokensPerFrame struct {
	Mode   string `json:"mode,omitempty"`
	Static *struct {
		NumTokensPerFrame int `json:"numTokensPerFrame,omitempty"`
	} `json:"static,omitempty"`
	Dynamic *struct {
		Factor int `json:"factor,omitempty"`
	} `json:"dynamic,omitempty"`
}

type videoFrames struct {
	Mode      string `json:"mode,omitempty"`
	MinFrames int    `json:"minFrames,omitempty"`
	MaxFrames int    `json:"maxFrames,omitempty"`
	Sampled   *struct {
		SampleFPS         float64 `json:"sampleFPS,omitempty"`
		TemporalPatchSize int     `json:"temporalPatchSize,omitempty"`
	} `json:"sampled,omitempty"`
	Strided *struct {
		DefaultSourceFPS float64 `json:"defaultSourceFPS,omitempty"`
		FrameStride      int     `json:"frameStride,omitempty"`
	} `json:"strided,omitempty"`
}

func (p *tokenParameters) check(l *loader, path *field.Path) {
	vllm := p.VLLM != nil || p.ModelName != "" || p.UDSTokenizerConfig.enabled()
	if p.UDSTokenizerConfig.enabled() && l.clock >= router09 {
		l.notice(path.Child("udsTokenizerConfig"), "deprecated", "deprecated, use vllm")
		if p.VLLM != nil || p.ModelName != "" {
			l.add(field.Forbidden(path.Child("udsTokenizerConfig"), "only one of udsTokenizerConfig and vllm may be set; modelName selects vllm"))
		}
	}
	if p.Estimate != nil && vllm {
		l.add(field.Forbidden(path.Child("estimate"), "only one of estimate and vllm may be set; modelName selects vllm"))
	}
	// Estimates came with router-v0.9.
	if (vllm || l.clock < router09) && p.ModelName == "" {
		l.add(field.Required(path.Child("modelName"), "a tokenizer needs it"))
	}
	if p.VLLM != nil {
		p.VLLM.check(l, path.Child("vllm"))
	}
	if p.Estimate != nil {
		p.Estimate.check(l, path.Child("estimate"))
	}
}

func (v *vllmRenderer) check(l *loader, path *field.Path) {
	check := func(at *field.Path, text string) {
		if _, err := time.ParseDuration(text); text != "" && err != nil {
			l.add(field.Invalid(at, text, "must be a duration such as 5s"))
		}
	}
	check(path.Child("timeout"), v.Timeout)
	check(path.Child("mmTimeout"), v.MMTimeout)
}

func (e *estimate) check(l *loader, path *field.Path) {
	check := func(at *field.Path, mode, a, b string) {
		if mode != "" && mode != a && mode != b {
			l.add(field.NotSupported(at.Child("mode"), mode, []string{a, b}))
		}
	}
	if e.Image != nil {
		check(path.Child("image"), e.Image.Mode, "dynamic", "static")
	}
	if v := e.Video; v != nil {
		if v.TokensPerFrame != nil {
			check(path.Child("video", "tokensPerFrame"), v.TokensPerFrame.Mode, "dynamic", "static")
		}
		if v.Frames != nil {
			check(path.Child("video", "frames"), v.Frames.Mode, "sampled", "strided")
		}
	}
}
