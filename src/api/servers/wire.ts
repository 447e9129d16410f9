import type { ToolkitCount } from '../../core/catalog/catalog.ts'

export interface ListedDeployment {
  readonly origin: string
  readonly title: string
  readonly version: string
  /** Newest first. */
  readonly protocolVersions: readonly string[]
  readonly needsKey: boolean
  readonly acceptsAgents: boolean
  readonly deployedAt: number | undefined
}

export type ToolkitServer = Pick<ToolkitCount, 'toolkit' | 'tools'>

const SERVER_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const DESCRIPTION = 'Every tool an agent calls, behind one URL'
const NAME = 'switchboard'
export const CARD_TYPE = 'application/mcp-server-card+json'
export const CATALOG_TYPE = 'application/ai-catalog+json'

function keyHeader({ needsKey }: ListedDeployment) {
  return {
    name: 'Authorization',
    description: "An API key of this deployment: 'Bearer <key>'",
    isRequired: needsKey,
    isSecret: true,
  }
}

/** Lists the remote that needs no key first, because clients that have just found the deployment have none. */
function buildRemotes(deployment: ListedDeployment, toolset?: ToolkitServer) {
  const { origin, acceptsAgents } = deployment
  const toolkitQuery = toolset ? `?toolkits=${encodeURIComponent(toolset.toolkit)}` : ''
  const withKey = { type: 'streamable-http', url: `${origin}/mcp${toolkitQuery}`, headers: [keyHeader(deployment)] }
  return acceptsAgents ? [{ type: 'streamable-http', url: `${origin}/connect/mcp${toolkitQuery}` }, withKey] : [withKey]
}

/** Uses reverse DNS: `com.acme.tools/switchboard` for `https://tools.acme.com`, and `….Gmail` for its toolkit Gmail. */
export function serverName(origin: string, toolset?: ToolkitServer): string {
  return `${toHost(origin).split('.').toReversed().join('.')}/${NAME}${toolset ? `.${toolset.toolkit}` : ''}`
}

function toHost(origin: string): string {
  return new URL(origin).hostname.replaceAll(/[^a-zA-Z0-9.-]/g, '')
}

function identity({ origin, title, version }: ListedDeployment, toolset?: ToolkitServer) {
  const toolsetIdentity = toolset && {
    title: toolset.toolkit,
    description: toolset.tools === 1 ? 'One tool' : `${toolset.tools} tools`,
  }
  const shownIdentity = toolsetIdentity ?? { title, description: DESCRIPTION }
  return { name: serverName(origin, toolset), ...shownIdentity, version, websiteUrl: `${origin}/docs/agents` }
}

export function encodeServer(deployment: ListedDeployment, toolset?: ToolkitServer) {
  const { deployedAt } = deployment
  const publishedAt = deployedAt === undefined ? undefined : new Date(deployedAt).toISOString()
  const official = { status: 'active', isLatest: true, ...(publishedAt ? { publishedAt, updatedAt: publishedAt } : {}) }
  return {
    server: { $schema: SERVER_SCHEMA, ...identity(deployment, toolset), remotes: buildRemotes(deployment, toolset) },
    _meta: { 'io.modelcontextprotocol.registry/official': official },
  }
}

export function encodeServers(servers: readonly ReturnType<typeof encodeServer>[], nextCursor?: string) {
  return { servers, metadata: { count: servers.length, ...(nextCursor === undefined ? {} : { nextCursor }) } }
}

export function encodeCard(deployment: ListedDeployment) {
  const { protocolVersions } = deployment
  const remotes = buildRemotes(deployment).map((remote) => ({ ...remote, supportedProtocolVersions: protocolVersions }))
  return { $schema: CARD_SCHEMA, ...identity(deployment), remotes }
}

export function encodeCatalog({ origin, title }: ListedDeployment) {
  const identifier = `urn:air:${toHost(origin)}:mcp:${NAME}`
  return {
    specVersion: '1.0',
    host: { displayName: title, identifier: toHost(origin), documentationUrl: `${origin}/docs` },
    entries: [{ identifier, type: CARD_TYPE, url: `${origin}/mcp/server-card` }],
  }
}

export function matchesServer(
  deployment: ListedDeployment,
  toolset: ToolkitServer | undefined,
  { search = '', version = 'latest', updated_since }: { search?: string; version?: string; updated_since?: number },
): boolean {
  return (
    serverName(deployment.origin, toolset).toLowerCase().includes(search.toLowerCase()) &&
    isListedVersion(deployment, version) &&
    (updated_since === undefined || (deployment.deployedAt ?? Infinity) >= updated_since)
  )
}

export function isListedVersion({ version }: ListedDeployment, requested: string): boolean {
  return requested === 'latest' || requested === version
}
