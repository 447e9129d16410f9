import { text } from '../../core/tool/json-reader.ts'

/** Where the RFC's schemas, version 1.0, were published: first as it names them itself, then after its repository had moved. */
const HOMES = ['https://github.com/ArcadeAI/OpenToolCalling', 'https://github.com/OpenToolCalling/Specification']
const FILES = {
  definition: 'tool_definition.schema.json',
  request: 'execute_tool_request.schema.json',
  response: 'execute_tool_response.schema.json',
} as const
/** "URI defining the JSON Schema version" (section 4.1): that of the RFC's own schemas, and the one that succeeded it. */
const JSON_SCHEMAS = /^https?:\/\/json-schema\.org\/(?:draft-07\/schema|draft\/2020-12\/schema)#?$/

type Kind = keyof typeof FILES

/** What definitions say that they are of. */
export const DEFINITION_SCHEMA = urisOf('definition')[0]
/** What responses say that they are of. */
export const RESPONSE_SCHEMA = urisOf('response')[0]
/** What requests may say that they are of. */
export const REQUEST_SCHEMA = urisOf('request')[0]

/** Whether a `$schema` says that a document is of this version of the RFC. */
export function isOfRfc(uri: string, kind: Kind): boolean {
  return urisOf(kind).includes(uri) || JSON_SCHEMAS.test(uri)
}

/** Reads the `$schema` of a definition (section 7, "Versioning"): another version's is not interpreted by this one's rules. */
export const definitionSchema = text(`the schema of the RFC, '${DEFINITION_SCHEMA}'`, (uri) =>
  isOfRfc(uri, 'definition'),
)

function urisOf(kind: Kind): readonly [string, ...string[]] {
  const [first, ...others] = HOMES.map((home) => `${home}/tree/main/specification/http/1.0/${FILES[kind]}`)
  return [first ?? '', ...others]
}
