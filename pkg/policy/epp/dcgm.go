// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const (
	dcgmDataSourceType = "dcgm-data-source"
	dcgmExtractorType  = "dcgm-extractor"
)

var (
	// dcgmDataSource scrapes metrics of GPUs.
	dcgmDataSource = config.PluginType{
		Name:         dcgmDataSourceType,
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.DataSourceRole,
		Payload:      config.MetricsPayload,
		Alpha:        true,
		Parameters: func() any {
			return &dcgmParameters{Scheme: "http", Path: "/metrics", Port: 9400, InsecureSkipVerify: true}
		},
		Treatment: ignoredAs("GPUs report no metrics; GPUUtilization is pinned in the attributes of a pool"),
	}
	// dcgmExtractor takes the attribute GPUUtilization from them: how busy the
	// busiest of an endpoint's GPUs is, 0 to 1. It ignores whatever parameters it
	// is given.
	dcgmExtractor = config.PluginType{
		Name:         dcgmExtractorType,
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.ExtractorRole,
		Payload:      config.MetricsPayload,
		Alpha:        true,
		Treatment:    ignoredAs("GPUs report no metrics; GPUUtilization is pinned in the attributes of a pool"),
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

func (p *dcgmParameters) Check(l *config.Loader, path *field.Path) {
	config.CheckOneOf(l, path.Child("scheme"), p.Scheme, []string{"http", "https"})
	config.CheckInterval(l, path.Child("interval"), p.Interval)
}
