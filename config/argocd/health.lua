-- SPDX-License-Identifier: Apache-2.0
-- The health of a SimulationRun or a PolicySweep for Argo CD. One of them that is
-- done and has gates is Healthy only where it passed. A gate that fails, a gate
-- without enough evidence and a baseline that nothing beats are Degraded: a
-- deployment that waits for the object stops.
local health = {status = "Progressing", message = "waiting for the controller"}
local status = obj.status
if status == nil or status.conditions == nil then
  return health
end
if status.observedGeneration ~= obj.metadata.generation then
  health.message = "waiting for the controller to see the last edit"
  return health
end
local conditions = {}
for _, condition in ipairs(status.conditions) do
  conditions[condition.type] = condition
end
-- What a condition says counts only where it is True.
local function is(kind)
  return conditions[kind] ~= nil and conditions[kind].status == "True"
end
local function words(kind)
  local condition = conditions[kind]
  return condition.reason .. ": " .. (condition.message or "")
end
if is("Failed") then
  return {status = "Degraded", message = words("Failed")}
end
if is("Stalled") then
  return {status = "Degraded", message = words("Stalled")}
end
if is("Drifted") then
  return {status = "Degraded", message = words("Drifted")}
end
if is("Suspended") then
  return {status = "Suspended", message = words("Suspended")}
end
if is("Complete") then
  if is("ResultsDamaged") then
    return {status = "Degraded", message = words("ResultsDamaged")}
  end
  local passed = conditions["Passed"]
  if passed ~= nil and passed.status ~= "True" then
    return {status = "Degraded", message = words("Passed")}
  end
  return {status = "Healthy", message = words("Complete")}
end
if conditions["Ready"] ~= nil then
  health.message = words("Ready")
end
return health
