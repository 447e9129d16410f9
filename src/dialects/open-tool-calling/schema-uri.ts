import { stringMatching } from '../../core/tool/json-reader.ts'

/** The RFC's schemas, version 1.0, moved with its repository: both addresses are in use. */
const HOMES = ['https://github.com/ArcadeAI/OpenToolCalling', 'https://github.com/OpenToolCalling/Specification']
const FILES = {
  definition: 'tool_definition.schema.json',
  request: 'execute_tool_request.schema.json',
  response: 'execute_tool_response.schema.json',
} as const
/** "URI defining the JSON Schema version" (section 4.1): any version. */
const JSON_SCHEMAS = /^https?:\/\/json-schema\.org\/(?:draft[-/][\w-]{1,20}\/)?schema#?$/

type Kind = keyof typeof FILES

export const DEFINITION_SCHEMA = buildUris('definition')[0]
export const RESPONSE_SCHEMA = buildUris('response')[0]
export const REQUEST_SCHEMA = buildUris('request')[0]

export function isOfRfc(uri: string, kind: Kind): boolean {
  return buildUris(kind).includes(uri) || JSON_SCHEMAS.test(uri)
}

export const definitionSchema = stringMatching(`the schema of the RFC, '${DEFINITION_SCHEMA}'`, (uri) =>
  isOfRfc(uri, 'definition'),
)

function buildUris(kind: Kind): readonly [string, ...string[]] {
  const [first, ...otherUris] = HOMES.map((home) => `${home}/tree/main/specification/http/1.0/${FILES[kind]}`)
  return [first ?? '', ...otherUris]
}
