import { isJsonArray, isObject } from '../../core/tool/json.ts'
import { transform, looseObject, string, addTypeProblem } from '../../core/tool/json-reader.ts'
import type { RemoteDialect } from '../../core/tool/remote-dialect.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { oxp } from './definition.ts'
import { SCHEMA } from './wire.ts'

const ID = transform(string(), (id, report) => {
  const parsed = parseToolId(id)
  return parsed ? { ...parsed, remoteName: id } : addTypeProblem(report, "an id 'Toolkit.Tool@x.y.z'", id)
})
const KEPT = ['name', 'description', 'input_schema', 'output_schema']

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
  listed: transform(looseObject({ id: ID }), ({ id }) => id),
  decode(document, _, budget) {
    const kept = Object.fromEntries(KEPT.filter((key) => key in document).map((key) => [key, document[key]]))
    // The codec's ids have no dashes, which ours may have; the name is set afterwards
    return oxp.decode({ ...kept, id: 'Any.Tool@1.0.0', version: '1.0.0' }, {}, budget)
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
    const { message, missing_requirements: missing, parameter_errors: wrong } = document
    if (typeof message !== 'string') return undefined
    return {
      message,
      error: document,
      missing,
      more: isObject(missing) ? missingWords(missing) : parameterWords(wrong),
    }
  },
}

function missingWords({ authorization, tokens, secrets, user_id }: Readonly<Record<string, unknown>>): string {
  const ids = (list: unknown, words: (entry: Readonly<Record<string, unknown>>) => string) =>
    (isJsonArray(list) ? list : []).flatMap((entry: unknown) => (isObject(entry) ? [words(entry)] : []))
  return [
    ...ids(
      authorization,
      ({ id, url }) => `a person's consent at ${quoted(id)}${typeof url === 'string' ? `: ${url}` : ''}`,
    ),
    ...ids(tokens, ({ id }) => `its token ${quoted(id)}`),
    ...ids(secrets, ({ id }) => `its secret ${quoted(id)}`),
    ...(user_id === true ? ["a user's id"] : []),
  ].join('; ')
}

function parameterWords(wrong: unknown): string {
  return Object.entries(isObject(wrong) ? wrong : {})
    .map(([name, why]) => `'${name}': ${typeof why === 'string' ? why : 'wrong'}`)
    .join('; ')
}

/** JSON may hold an object with a \`toString\` that cannot be called. */
function quoted(id: unknown): string {
  return typeof id === 'string' ? `'${id}'` : 'no id'
}
