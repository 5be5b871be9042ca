-- Health of Grove's objects for Argo CD: of PodCliqueSets, and the same of what is made of them.
-- argocd-cm.yaml has it for each kind. docs/gitops.md says what becomes of it.

local health = { status = "Progressing", message = "the operator has not looked at it yet" }

if obj.metadata.deletionTimestamp ~= nil then
  health.message = "being deleted"
  return health
end
if obj.status == nil or obj.status.conditions == nil then
  return health
end

local observed = obj.status.observedGeneration
if observed ~= nil and observed ~= obj.metadata.generation then
  return health
end

-- What is said of an older spec says nothing of this one.
local said = {}
for _, condition in ipairs(obj.status.conditions) do
  if condition.observedGeneration == obj.metadata.generation then
    said[condition.type] = condition
  end
end

if said.Stalled ~= nil and said.Stalled.status == "True" then
  health.status = "Degraded"
  health.message = said.Stalled.reason .. ": " .. said.Stalled.message
elseif said.UpdateInProgress ~= nil and said.UpdateInProgress.status == "Unknown" then
  -- The update stands still, whether the minimum runs or not.
  health.status = "Degraded"
  health.message = said.UpdateInProgress.reason .. ": " .. said.UpdateInProgress.message
elseif said.Ready ~= nil then
  health.message = said.Ready.reason .. ": " .. said.Ready.message
  if said.Ready.reason == "Suspended" then
    health.status = "Suspended"
  elseif said.Ready.status == "True" then
    health.status = "Healthy"
  end
end
return health
