/** Groups of the reference, by path prefix. The longest matching prefix wins. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Tools': ['/tools', '/readiness', '/convert'],
  'Calls': ['/tools/call', '/artifacts'],
  'Toolkits': ['/toolkits'],
  'Skills': ['/skills', '/toolkits/{toolkit}/skills'],
  'Findings': ['/findings'],
  'Logs and usage': ['/calls', '/usage', '/audit', '/metrics'],
  'Users': ['/users', '/authorizations', '/sessions'],
  'Directory': ['/scim'],
  'Connected accounts': ['/users/{user}/grants', '/users/{user}/connections'],
  'API keys': ['/keys'],
  'Policies': ['/policies'],
  'Toolsets and locks': ['/toolsets', '/locks'],
  'Events': ['/event-sources', '/events', '/subscriptions'],
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
  const allPrefixes = Object.entries(GROUPS).flatMap(([name, prefixes]) => prefixes.map((prefix) => ({ name, prefix })))
  const matching = allPrefixes.filter(({ prefix }) => path.startsWith(prefix))
  return matching.toSorted((first, second) => second.prefix.length - first.prefix.length)[0]?.name ?? ''
}
