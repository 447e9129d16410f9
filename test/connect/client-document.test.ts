import { Admission } from '../../src/core/access/admission.ts'
import { expect, it } from 'vitest'
import { createClientDocuments } from '../../src/connect/client-document.ts'

const URL_OF = 'https://agent.example/client.json'

it("a client's document is read again after five minutes, as what it allows may be less by then", async () => {
  let time = 0
  let allowed = ['https://agent.example/a', 'https://agent.example/b']
  const fetch = async () => Response.json({ client_id: URL_OF, client_name: 'An agent', redirect_uris: allowed })
  const find = createClientDocuments(
    () => fetch,
    () => time,
  )
  const found = async () => {
    const document = await find(URL_OF, new Admission('test'))
    return document.ok ? document.client.redirectUris.length : document.message
  }
  expect(await found()).toBe(2)
  allowed = allowed.slice(1)
  time = 300_000 - 1
  expect(await found()).toBe(2)
  time += 1
  expect(await found()).toBe(1)
})
