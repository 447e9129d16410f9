/** Operations as the reference groups them, by the paths that they begin with: of several that fit, the longest. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Tools': ['/tools', '/convert'],
  'Calls': ['/tools/call', '/artifacts'],
  'Toolkits': ['/toolkits'],
  'Logs and usage': ['/calls', '/usage', '/audit', '/metrics'],
  'Users': ['/users', '/authorizations', '/sessions'],
  'API keys': ['/keys'],
  'Policies': ['/policies'],
  'OAuth providers': ['/providers'],
  'OAuth clients': ['/clients', '/connect', '/.well-known/o'],
  'MCP': ['/mcp', '/connect/mcp', '/v0.1', '/.well-known/ai-catalog.json'],
  'OXP': ['/oxp'],
  'Open Tool Calling': ['/worker'],
  'Machine Context': ['/machine-context'],
  'Plugin': ['/plugin'],
  'Backup': ['/export', '/import'],
  'Deployment': ['/'],
}

export const GROUP_NAMES = Object.keys(GROUPS)

export function findGroup(path: string): string {
  const starts = Object.entries(GROUPS).flatMap(([name, all]) => all.map((start) => ({ name, start })))
  const fitting = starts.filter(({ start }) => path.startsWith(start))
  return fitting.toSorted((one, other) => other.start.length - one.start.length)[0]?.name ?? ''
}
