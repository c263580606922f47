// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// maxMedia is the greatest number of media of one kind in a request.
const maxMedia = 100

// blisMedia takes over prompts with images, audio and videos. Their text takes the place
// of input_distribution.
func (c *converter) blisMedia(in *object, client *v1alpha1.Client) {
	media := in.child("multimodal")
	if media == nil {
		return
	}
	if client.Sessions != nil || in.has("concurrency") {
		in.refuse("inference-sim sends no media in conversations and closed loops: leave it out", "multimodal")
		return
	}
	defer media.done()
	client.InputTokens = c.blisLengths(media.required("text_distribution"))
	for _, kind := range []struct {
		name string
		kind v1alpha1.MediaKind
	}{{"image", v1alpha1.ImageMedia}, {"audio", v1alpha1.AudioMedia}, {"video", v1alpha1.VideoMedia}} {
		tokens, count := kind.name+"_distribution", kind.name+"_count_distribution"
		if !media.has(tokens) && !media.has(count) {
			media.ignore(tokens, count)
			continue
		}
		m := v1alpha1.Media{Kind: kind.kind}
		m.Tokens = c.amounts(media.required(tokens), maxTokens)
		if of := media.required(count); of != nil {
			if of.fields["type"] == "empirical" {
				c.blisOccurrence(of, &m)
			} else {
				m.Count = c.amounts(of, maxMedia)
			}
		}
		client.Media = append(client.Media, m)
	}
}

// amounts reads amounts of which none is above a bound.
func (c *converter) amounts(in *object, most int32) v1alpha1.Amounts {
	if in == nil {
		return v1alpha1.Amounts{}
	}
	l := c.blisLengths(in)
	if len(l.Components) > 0 || len(l.Histogram) > 0 {
		c.fault(field.NotSupported(in.at("type"), fmt.Sprint(in.fields["type"]), []string{"constant", "gaussian", "exponential", "lognormal"}))
	}
	if l.Max != nil && *l.Max > most || l.Mean.Float() > float64(most) {
		c.fault(field.Invalid(in.path, l.Mean, "must have no number above "+decimal(float64(most))))
	}
	return v1alpha1.Amounts{Distribution: v1alpha1.AmountDistribution(l.Distribution), Mean: l.Mean, StdDev: l.StdDev, Min: l.Min, Max: l.Max}
}

// blisOccurrence reads how many media of a kind a request has where that is 0 or another
// number.
func (c *converter) blisOccurrence(in *object, m *v1alpha1.Media) {
	in.ignore("type")
	defer in.done()
	params := in.required("params")
	if params == nil {
		return
	}
	shares, sum := c.blisShares(params, 0)
	none := shares[0]
	delete(shares, 0)
	counts := slices.Collect(maps.Keys(shares))
	if len(counts) != 1 || counts[0] > maxMedia {
		c.fault(field.Invalid(params.path, len(counts), "must have one number besides 0, at most 100: others cannot be carried"))
		return
	}
	m.Count = v1alpha1.Amounts{Distribution: v1alpha1.ConstantAmounts, Mean: positive(float64(counts[0]))}
	if none > 0 {
		m.Probability = positive(1 - none/sum)
	}
}
