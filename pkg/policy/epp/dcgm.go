// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	dcgmDataSourceType = "dcgm-data-source"
	dcgmExtractorType  = "dcgm-extractor"
)

var (
	// dcgmDataSource scrapes metrics of GPUs.
	dcgmDataSource = pluginType{
		name:         dcgmDataSourceType,
		registration: gie("router-v0.10.."),
		roles:        dataSourceRole,
		alpha:        true,
		parameters: func() any {
			return &dcgmParameters{Scheme: "http", Path: "/metrics", Port: 9400, InsecureSkipVerify: true}
		},
		treatment: ignoredAs("GPUs report no metrics; GPUUtilization is pinned in the attributes of a pool"),
	}
	// dcgmExtractor takes the attribute GPUUtilization from them: how busy the
	// busiest of an endpoint's GPUs is, 0 to 1. It ignores whatever parameters it
	// is given.
	dcgmExtractor = pluginType{
		name:         dcgmExtractorType,
		registration: gie("router-v0.10.."),
		roles:        extractorRole,
		alpha:        true,
		treatment:    ignoredAs("GPUs report no metrics; GPUUtilization is pinned in the attributes of a pool"),
	}
)

type dcgmParameters struct {
	Scheme             string `json:"scheme"`
	Path               string `json:"path"`
	Port               int    `json:"port"`
	InsecureSkipVerify bool   `json:"insecureSkipVerify"`
	UseNodeAddress     bool   `json:"useNodeAddress"`
	Interval           string `json:"interval,omitempty"`
}

func (p *dcgmParameters) check(l *loader, path *field.Path) {
	checkOneOf(l, path.Child("scheme"), p.Scheme, []string{"http", "https"})
	checkInterval(l, path.Child("interval"), p.Interval)
}
