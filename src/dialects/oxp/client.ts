import { isJsonArray, isObject } from '../../core/tool/json.ts'
import { transform, looseObject, string, addTypeProblem } from '../../core/tool/json-reader.ts'
import type { RemoteDialect } from '../../core/tool/remote-dialect.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { oxp } from './definition.ts'
import { SCHEMA } from './wire.ts'

const ID = transform(string(), (id, report) => {
  const toolId = parseToolId(id)
  return toolId ? { ...toolId, remoteName: id } : addTypeProblem(report, "an id 'Toolkit.Tool@x.y.z'", id)
})
const DEFINITION_FIELDS = ['name', 'description', 'input_schema', 'output_schema']

/** OXP 1.0, "List tools" and "Call tool". A tool keeps calling the version it was imported from. */
export const oxpClient: RemoteDialect = {
  protocol: 'oxp',
  title: 'OXP',
  source: 'oxp-upstream',
  paths: { list: '/tools', call: '/tools/call' },
  listsByToolkit: true,
  readTools: (document) =>
    isObject(document) && isJsonArray(document.items)
      ? { tools: document.items, next: document.next_cursor }
      : undefined,
  nameReader: transform(looseObject({ id: ID }), ({ id }) => id),
  decode(document) {
    const fields = Object.fromEntries(
      DEFINITION_FIELDS.filter((key) => key in document).map((key) => [key, document[key]]),
    )
    // Our ids may have dashes, which the codec does not allow; the name is set afterwards
    return oxp.decode({ ...fields, id: 'Any.Tool@1.0.0', version: '1.0.0' }, {})
  },
  writeCall: ({ tool, input, userId, callId, traceId }) => ({
    $schema: SCHEMA,
    request: {
      tool_id: tool,
      call_id: callId,
      trace_id: traceId,
      input,
      ...(userId === undefined ? {} : { context: { user_id: userId } }),
    },
  }),
  readAnswer(document) {
    const { success, value, error } = isObject(document.result) ? document.result : document
    if (success === true) return { value }
    if (success === false) return { message: isObject(error) ? error.message : undefined, error }
    const { message, missing_requirements: missingRequirements, parameter_errors: parameterErrors } = document
    if (typeof message !== 'string') return undefined
    return {
      message,
      error: document,
      missing: missingRequirements,
      more: isObject(missingRequirements)
        ? formatMissingRequirements(missingRequirements)
        : formatParameterErrors(parameterErrors),
    }
  },
}

function formatMissingRequirements({
  authorization,
  tokens,
  secrets,
  user_id,
}: Readonly<Record<string, unknown>>): string {
  const formatEntries = (list: unknown, formatEntry: (entry: Readonly<Record<string, unknown>>) => string) =>
    (isJsonArray(list) ? list : []).flatMap((entry: unknown) => (isObject(entry) ? [formatEntry(entry)] : []))
  return [
    ...formatEntries(
      authorization,
      ({ id, url }) => `a person's consent at ${quoteId(id)}${typeof url === 'string' ? `: ${url}` : ''}`,
    ),
    ...formatEntries(tokens, ({ id }) => `its token ${quoteId(id)}`),
    ...formatEntries(secrets, ({ id }) => `its secret ${quoteId(id)}`),
    ...(user_id === true ? ["a user's id"] : []),
  ].join('; ')
}

function formatParameterErrors(parameterErrors: unknown): string {
  return Object.entries(isObject(parameterErrors) ? parameterErrors : {})
    .map(([name, message]) => `'${name}': ${typeof message === 'string' ? message : 'wrong'}`)
    .join('; ')
}

/** JSON may contain an object whose `toString` cannot be called. */
function quoteId(id: unknown): string {
  return typeof id === 'string' ? `'${id}'` : 'no id'
}
