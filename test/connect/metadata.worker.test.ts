import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { serverMetadata } from '../../src/connect/metadata.ts'
import { createSqlKv } from '../../src/storage/connect/sql-kv.ts'
import { createOAuthServer } from '../../src/storage/connect/oauth-library.ts'
import { createTables } from '../../src/storage/connect/tables.ts'

it('the metadata of the authorization server matches the library and the checks before it', async () => {
  const origin = 'https://tools.test'
  const { server } = await createOAuthServer(origin, () => undefined)
  const said = await runInDurableObject(env.Connect.getByName('metadata'), async (_, { storage: { sql } }) => {
    createTables(sql)
    const request = new Request(`${origin}/.well-known/oauth-authorization-server/connect`)
    const answer = await server.fetch(request, { OAUTH_KV: createSqlKv(sql, Date.now) }, createExecutionContext())
    const body: Record<string, unknown> = await answer.json()
    return body
  })
  const ours: Record<string, unknown> = serverMetadata(origin)
  expect(ours).toEqual({
    ...said,
    // Documents are read, and assertions checked, before the library is asked
    client_id_metadata_document_supported: true,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'ES256'],
  })
})
