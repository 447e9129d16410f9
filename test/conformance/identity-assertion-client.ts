/** The client that the suite starts: it gets a token with the ID token that it receives, and lists the server's tools. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createOAuth } from '../../src/oauth-client/oauth.ts'
import { createServerFinder } from '../../src/oauth-client/provider-server.ts'

const serverUrl = process.argv.at(-1) ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}')
const { origin, pathname } = new URL(serverUrl)
const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`)
const { authorization_servers: [audience] = [] }: { authorization_servers?: readonly string[] } = await metadata.json()
if (audience === undefined) throw new Error('The server names no authorization server')

const company = { id: 'company', name: 'Company', issuer: context.idp_issuer, client_id: context.idp_client_id }
const provider = {
  id: 'upstream',
  name: 'Upstream',
  issuer: audience,
  client_id: context.client_id,
  client_secret_name: 'UPSTREAM',
  identity_assertion: { audience, resource: serverUrl, toolkits: ['Upstream'] },
}
const oauth = createOAuth({
  fetch,
  findServer: createServerFinder(fetch, Date.now),
  checkUrl: () => undefined,
  readSecret: () => context.client_secret,
  company: { provider: company, secret: 'of the company' },
})
const issued = await oauth.assertIdentity(provider, { access_token: context.idp_id_token }, true, [])
if (!issued.ok) throw new Error(issued.forOperator ?? issued.message)
const client = new Client({ name: 'switchboard', version: '1.0.0' })
const headers = { authorization: `Bearer ${issued.tokens.access_token}` }
await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { requestInit: { headers } }))
await client.listTools()
await client.close()
