// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// tokenProducer turns a prompt into tokens. Simulated prompts are tokens, and
// those are used whatever the backend. The default backend, estimate, takes
// every 4 bytes of the serialised prompt for a token, so that its blocks end
// elsewhere than the engine's.
//
// Before router-v0.9 there are no estimates, and what a producer makes is there for
// all who ask, whatever its name. Who does so goes by tokens instead of bytes:
// context-length-aware.
var tokenProducer = producerOfTokens(config.TokenProducerType, "").Registered(version.GIE("scheduler-520af478.."))

// tokenizer is its old name. What it makes bears the name of the instance, so
// that plugins do not find it unless that is token-producer.
var tokenizer = producerOfTokens(tokenizerType, config.TokenProducerType).Registered(version.LLMD("scheduler-520af478..router-main"))

const tokenizerType = "tokenizer"

// oldTokenizer was a scorer that scores 0 everywhere. Only what comes behind it in a
// profile, or in the next one, has the tokens.
var oldTokenizer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         tokenizerType,
		Registration: version.LLMD("scheduler-v0.7..scheduler-v0.8"),
		Roles:        config.ScorerRole,
		Parameters:   func() any { return &tokenParameters{} },
		Treatment: func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
			return config.Exact, "tokenising takes no time, and only scorers behind it have the tokens"
		},
	},
	NewScorer: func(*scheduler.Builder, *config.Plugin) scheduler.Scorer { return tokeniser{} },
}

// A tokeniser gives a request its tokens.
type tokeniser struct{}

func (tokeniser) Produce(c *scheduler.Cycle) { c.Tokenised = true }

func (tokeniser) Score(c *scheduler.Cycle, _ []int, w scheduler.Weight, scores []float64) {
	c.Tokenised = true
	fill(scores, w.Of(0))
}

func producerOfTokens(name, successor string) scheduler.Factory {
	return scheduler.Factory{
		PluginType: config.PluginType{
			Name:       name,
			Roles:      config.ProducerRole,
			Successor:  successor,
			Parameters: func() any { return &tokenParameters{} },
			Produces: func(p *config.Plugin) []config.DataKey {
				return []config.DataKey{{Kind: config.TokensData, Producer: p.Name}}
			},
			Treatment: func(_ *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
				if parameters := p.Parameters.(*tokenParameters); parameters.VLLM != nil || parameters.ModelName != "" {
					return config.Exact, "rendering takes no time"
				}
				return config.Approximated, fmt.Sprintf("each token of a prompt stands for %v bytes, and nothing else has any", cluster.TokenBytes())
			},
		},
		NewProducer: func(b *scheduler.Builder, _ *config.Plugin) scheduler.Producer {
			if b.Dialect.Framework >= version.Router09 {
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

// Estimates reports whether tokens are estimated from a prompt's length in bytes.
func (p *tokenParameters) Estimates() bool {
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

func (p *tokenParameters) Check(l *config.Loader, path *field.Path) {
	vllm := p.VLLM != nil || p.ModelName != "" || p.UDSTokenizerConfig.enabled()
	if p.UDSTokenizerConfig.enabled() && l.Clock >= version.Router09 {
		l.Notice(path.Child("udsTokenizerConfig"), "deprecated", "deprecated, use vllm")
		if p.VLLM != nil || p.ModelName != "" {
			l.Add(field.Forbidden(path.Child("udsTokenizerConfig"), "only one of udsTokenizerConfig and vllm may be set; modelName selects vllm"))
		}
	}
	if p.Estimate != nil && vllm {
		l.Add(field.Forbidden(path.Child("estimate"), "only one of estimate and vllm may be set; modelName selects vllm"))
	}
	// Estimates came with router-v0.9.
	if (vllm || l.Clock < version.Router09) && p.ModelName == "" {
		l.Add(field.Required(path.Child("modelName"), "a tokenizer needs it"))
	}
	if p.VLLM != nil {
		p.VLLM.Check(l, path.Child("vllm"))
	}
	if p.Estimate != nil {
		p.Estimate.Check(l, path.Child("estimate"))
	}
}

func (v *vllmRenderer) Check(l *config.Loader, path *field.Path) {
	check := func(at *field.Path, text string) {
		if _, err := time.ParseDuration(text); text != "" && err != nil {
			l.Add(field.Invalid(at, text, "must be a duration such as 5s"))
		}
	}
	check(path.Child("timeout"), v.Timeout)
	check(path.Child("mmTimeout"), v.MMTimeout)
}

func (e *estimate) Check(l *config.Loader, path *field.Path) {
	check := func(at *field.Path, mode, a, b string) {
		if mode != "" && mode != a && mode != b {
			l.Add(field.NotSupported(at.Child("mode"), mode, []string{a, b}))
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
