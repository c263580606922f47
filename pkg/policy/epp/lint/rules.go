// SPDX-License-Identifier: Apache-2.0

package lint

// rules are all that there are, in groups: what versions refuse, what they pass
// over, and what is legal and seldom meant.
var rules = []*Rule{
	&syntaxRule, &emptyDocument, &newerThanKnown, &apiVersionRule, &unknownField, &unknownGate, &unknownType, &unknownParameter, &badValue,
	&brokenReference, &tokenLoadWithoutProducer, &rejectedRule,

	&onlyOldVersions, &alphaPlugin, &deprecated, &ignoredParameter, &replacedValue, &loaderNotice,

	&missingStageProfile, &disaggWithoutDecider, &nonCachedTokensZero, &deciderWithoutProducer, &unreachableProfile,
	&stagesShareEndpoints, &noHitLRUPrefillName,
	&flowControlWithoutGate, &bandZeroMeansDefault, &requestTTLZero, &stalenessBelowScrape, &detectorBecomesFilter,
	&filtersWithoutProfiles, &filterMayEmpty, &affinityBeforeRoles, &affinityGateOff, &affinityGateUncalibrated,
	&unusedPlugin, &noEffectInProfile, &weightOnNonScorer, &weightNotPositive, &weightDrownsOthers, &duplicateScorer,
	&affinityOnly, &queueAndKVOnly, &warmPodWins, &loadAwareHalved, &nothingScored,
	&severalUnreferencedPickers, &pickerBecomesDefault, &randomPickerIgnoresScores, &maxEndpoints,
	&prefixBehindPassthrough, &blockSizeBelowFloor, &autoTuneOverrides, &promptBeyondIndex, &prefixBelowBlock, &indexOverRemembers,
	&speculativeIndexingOff, &preciseBlockSize, &preciseWithoutEvents, &preciseWithoutWorkers, &preciseWithoutTokens, &preciseFewHolders, &preciseUnread, &observerWithoutSource,
	&sessionAffinityWithoutHeader, &inFlightWithReplicas, &sessionsWithReplicas, &strategyUnread,
	&fileInContainer, &unreadConfig,

	&manifestRule, &deprecatedFieldRule,
}
