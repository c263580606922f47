// SPDX-License-Identifier: Apache-2.0

package lint

var disaggWithoutDecider = Rule{
	ID: "disagg-without-decider", Severity: Warning,
	Summary: "a disagg-profile-handler without a decider for a stage that has a profile",
	Why:     "Without a decider the stage never runs: its profile has no effect, and its endpoints stay idle.",
	Fix:     "Name a decider under deciders: always-disagg-pd-decider sends every prompt to a prefill endpoint, and always-disagg-multimodal-decider sends all images, audio and video to an encode endpoint.",
	Source:  "llm-d-router's disagg-profile-handler",
	check: func(p *pass) {
		for _, h := range p.ofType(disaggHandler) {
			for _, stage := range []string{"prefill", "encode"} {
				profile := p.profile(p.stage(stage))
				if profile == nil || stage == "prefill" && h.stringValue("stageOrder") == "prefill-first" || decider(h, stage) != "" {
					continue
				}
				p.suppress(profile.path)
				p.report(h.path, "%s has no decider for the stage %s: profile %s never runs", h.Name, stage, profile.Name)
			}
		}
	},
}

// decider is the name of a stage's decider, in either form of the parameters.
func decider(handler *plugin, stage string) string {
	if name := handler.object("deciders").stringValue(stage); name != "" {
		return name
	}
	if name := handler.stringValue(stage + "DeciderPluginName"); name != "" || stage != "prefill" {
		return name
	}
	return handler.stringValue("deciderPluginName")
}
