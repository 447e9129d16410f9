/**
 * The rules of external schemas for the members that are sent here; all others are refused, as by the server card's schema:
 * the MCP registry's `server.json` of 2025-12-11 and API of 2025-12-01, the server card v1, and AI Catalog 1.0.
 */
const text = (max: number, min = 1) => ({ type: 'string', minLength: min, maxLength: max })
const strict = (properties: Readonly<Record<string, unknown>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

const header = strict(
  {
    name: text(1_000),
    description: { type: 'string' },
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
  },
  ['description', 'isRequired', 'isSecret'],
)
const remote = {
  type: { enum: ['streamable-http', 'sse'] },
  url: { type: 'string', pattern: '^https?://[^\\s]+$' },
  headers: { type: 'array', items: header },
}
const identity = {
  name: { ...text(200, 3), pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
  title: text(100),
  description: text(100),
  version: { ...text(255), not: { enum: ['latest'], pattern: '[\\^~*<>=| ]|\\.x' } },
  websiteUrl: { type: 'string', pattern: '^https?://' },
}

const server = strict(
  {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    ...identity,
    remotes: { type: 'array', items: strict(remote, ['headers']) },
  },
  ['websiteUrl'],
)
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' }
const official = strict(
  {
    status: { enum: ['active', 'deprecated', 'deleted'] },
    isLatest: { type: 'boolean' },
    publishedAt: time,
    updatedAt: time,
  },
  ['publishedAt', 'updatedAt'],
)

export const serverResponse = strict({
  server,
  _meta: strict({ 'io.modelcontextprotocol.registry/official': official }),
})
export const serverList = strict({
  servers: { type: 'array', items: serverResponse },
  metadata: strict({ count: { type: 'integer', minimum: 0 }, nextCursor: text(300) }, ['nextCursor']),
})
export const serverCard = strict(
  {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json' },
    ...identity,
    remotes: {
      type: 'array',
      items: strict({ ...remote, supportedProtocolVersions: { type: 'array', items: { type: 'string' } } }, [
        'headers',
        'supportedProtocolVersions',
      ]),
    },
  },
  ['websiteUrl'],
)
export const aiCatalog = strict({
  specVersion: { type: 'string', pattern: '^\\d+\\.\\d+$' },
  host: strict({ displayName: text(1_000), identifier: text(1_000), documentationUrl: { type: 'string' } }, [
    'identifier',
    'documentationUrl',
  ]),
  entries: {
    type: 'array',
    items: strict({
      identifier: { type: 'string', pattern: '^urn:air:[a-z0-9.-]+:mcp:[a-z0-9-]+$' },
      type: { const: 'application/mcp-server-card+json' },
      url: { type: 'string', pattern: '^https?://' },
    }),
  },
})
