import { isJsonObject, isJsonArray, isObject, jsonSize } from '../../core/tool/json.ts'
import { transform, array, looseObject, addProblem } from '../../core/tool/json-reader.ts'
import { REMOTE_NAME, type RemoteDialect, parseRemoteTool } from '../../core/tool/remote-dialect.ts'
import { machineContext } from './definition.ts'
import { TOOLKIT_PREFIX } from './encoding.ts'
import { VERSION } from './wire.ts'

const LISTED = looseObject({
  id: REMOTE_NAME,
  version: REMOTE_NAME,
  capabilities: array(looseObject({ name: REMOTE_NAME }), { min: 1, max: 1 }),
})

/** Machine Context Protocol 1.0: each capability of a listed document is a tool. */
export const machineContextClient: RemoteDialect = {
  protocol: 'machine-context',
  title: 'Machine Context',
  source: 'machine-context-upstream',
  paths: { list: '/tools', call: '/execute' },
  readTools: (document) =>
    isObject(document) && isJsonArray(document.tools)
      ? { tools: document.tools.flatMap(splitCapabilities) }
      : undefined,
  nameReader: transform(LISTED, ({ id, version, capabilities: [{ name: tool } = { name: '' }] }, report) => {
    const remoteName = `${id}.${tool}@${version}`
    const toolkit = id.startsWith(TOOLKIT_PREFIX) ? id.slice(TOOLKIT_PREFIX.length) : id
    if (parseRemoteTool(remoteName)?.tool === tool) return { toolkit, tool, remoteName }
    return addProblem(report, "Must be a name without '.' and '@', by which it can be called", '/capabilities/0/name')
  }),
  decode(document, name, options) {
    const [capability] = isJsonArray(document.capabilities) ? document.capabilities : []
    const capabilities = isJsonObject(capability) ? [{ ...capability, name }] : []
    return machineContext.decode({ ...document, id: 'Any', name: 'Any', version: '1.0.0', capabilities }, options)
  },
  writeCall({ tool: remoteName, input, userId, callId, traceId, messageId, sentAt }) {
    const { toolkit: id = remoteName, tool: capability, version } = parseRemoteTool(remoteName) ?? {}
    return {
      header: {
        version: VERSION,
        messageId,
        timestamp: sentAt.toISOString(),
        messageType: 'request',
        source: 'switchboard',
        destination: id,
      },
      payload: {
        tool: { id, capability, version, parameters: input },
        context: { request_id: callId, session_id: traceId, user_id: userId },
      },
    }
  },
  readAnswer({ payload, error: messageError, metadata }) {
    const execution = isObject(payload) ? payload.execution : { error: messageError }
    if (!isObject(execution)) return undefined
    const { status, result, error } = execution
    const { content } = isObject(metadata) ? metadata : {}
    if (status === 'success')
      return isJsonArray(content) ? { result: { content, structuredContent: result } } : { value: result }
    if (!isObject(error)) return undefined
    return { message: error.message, error: error.details, missing: error.details }
  },
}

/** Total size of a document's own fields, which the record of each of its tools repeats. */
const MAX_SHARED_BYTES = 2 * 1024 * 1024

/** Splits a document. In our lists, `metadata.capabilities` has the version, level and metadata in which tools differ. */
function splitCapabilities(document: unknown): readonly unknown[] {
  if (!isJsonObject(document) || !isJsonArray(document.capabilities)) return [document]
  const { capabilities, metadata, ...fields } = document
  const capabilityFields =
    isJsonObject(metadata) && isJsonObject(metadata.capabilities) ? metadata.capabilities : undefined
  const shared = capabilityFields || metadata === undefined ? fields : { ...fields, metadata }
  const names = capabilities.map((capability) => (isJsonObject(capability) ? capability.name : undefined))
  const maxBytes = MAX_SHARED_BYTES / capabilities.length
  // A document that stays whole is refused, because its tools would repeat a name or large fields
  if (new Set(names).size < names.length || jsonSize(shared, maxBytes) > maxBytes) return [document]
  return capabilities.map((capability, index) => {
    const name = names[index]
    const ownFields =
      capabilityFields && typeof name === 'string' && Object.hasOwn(capabilityFields, name)
        ? capabilityFields[name]
        : undefined
    return { ...shared, ...(isJsonObject(ownFields) ? ownFields : {}), capabilities: [capability] }
  })
}
