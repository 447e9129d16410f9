import { isJsonObject, isJsonArray, isObject } from '../../core/tool/json.ts'
import { transform, looseObject, addProblem } from '../../core/tool/json-reader.ts'
import { REMOTE_NAME, type RemoteDialect, parseRemoteTool } from '../../core/tool/remote-dialect.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { openToolCalling } from './definition.ts'
import { REQUEST_SCHEMA } from './schema-uri.ts'

const LISTED = looseObject({ name: REMOTE_NAME, toolkit: looseObject({ name: REMOTE_NAME, version: REMOTE_NAME }) })

/** Open Tool Calling RFC, sections 4.2 and 4.3, and the list of the Arcade engine's workers. */
export const openToolCallingClient: RemoteDialect = {
  protocol: 'open-tool-calling',
  title: 'Open Tool Calling',
  source: 'open-tool-calling-upstream',
  paths: { list: '/tools', call: '/tools/invoke' },
  readTools: (document) => (isJsonArray(document) ? { tools: document } : undefined),
  nameReader: transform(LISTED, ({ name: tool, toolkit: { name: toolkit, version } }, report) => {
    const remoteName = `${toolkit}.${tool}@${version}`
    if (parseRemoteTool(remoteName)?.tool === tool) return { toolkit, tool, remoteName }
    return addProblem(report, "Must be a name without '.' and '@', by which it can be called", '/name')
  }),
  decode(document) {
    const { id: _id, requirements: _requirements, name, ...fields } = document
    const qualified = `Any.${typeof name === 'string' && isNamePart(name) ? name : 'Tool'}`
    const toolkit = { name: 'Any', version: '1.0.0' }
    return openToolCalling.decode(
      { ...fields, ...(name === undefined ? {} : { name }), fully_qualified_name: qualified, toolkit },
      {},
    )
  },
  writeCall({ tool: id, input, userId, callId, traceId, messageId, sentAt }) {
    const { toolkit, tool: name = id, version } = parseRemoteTool(id) ?? {}
    const execution_id = callId ?? messageId
    return {
      $schema: REQUEST_SCHEMA,
      run_id: traceId ?? execution_id,
      execution_id,
      created_at: sentAt.toISOString(),
      tool: { name, toolkit, version },
      inputs: input,
      context: { user_id: userId },
    }
  },
  readAnswer({ success, output }, definition) {
    if (typeof success !== 'boolean') return undefined
    const { value, error, artifact, requires_authorization: challenge } = isObject(output) ? output : {}
    if (isObject(challenge)) {
      const { id: authorization, scopes } = challenge
      const isApproval = isJsonArray(scopes) && scopes.length === 0
      const id = (isApproval ? undefined : providerIn(definition)) ?? authorization
      const missing = { authorization: [{ ...challenge, id, authorization }] }
      return {
        message: 'A person must authorize it first',
        missing,
        ...(typeof challenge.url === 'string' ? { more: challenge.url } : {}),
      }
    }
    if (success) return { value: isObject(artifact) ? { artifact, value } : value }
    return { message: isObject(error) ? error.message : undefined, error }
  },
}

/** Returns the provider, which only the definition names: a challenge has a different id. */
function providerIn(definition: unknown) {
  const { requirements } = isObject(definition) ? definition : {}
  if (!isJsonObject(requirements) || !isJsonObject(requirements.authorization)) return undefined
  const { provider_id, id, provider_type } = requirements.authorization
  return provider_id ?? id ?? provider_type
}
