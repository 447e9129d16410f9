import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  clientVariables,
  connectedProvider,
  knownProvider,
  knownProviderIds,
  withConnected,
} from '../../../src/core/consent/known-providers.ts'
import { isProviderId, type Provider } from '../../../src/core/consent/provider.ts'
import { providerReader } from '../../../src/core/consent/provider-reader.ts'
import { parseValue } from '../../../src/core/tool/json-reader.ts'

it.each(knownProviderIds)('the well-known provider %s has valid settings', (id) => {
  const { name, ...rest } = knownProvider(id) ?? { name: '' }
  expect(isProviderId(id)).toBe(true)
  expect(name).not.toBe('')
  const body = { ...rest, name, client_id: 'c1', client_secret_name: clientVariables(id).clientSecret }
  expect(parseValue(providerReader(id), body)).toEqual({ ok: true, value: { id, ...body } })
  expect(rest).toMatchObject({
    authorization_endpoint: expect.stringMatching(/^https:\/\//),
    token_endpoint: expect.stringMatching(/^https:\/\//),
  })
})

it.each(knownProviderIds)('the well-known provider %s is named in the guide', (id) => {
  const guide = readFileSync(new URL('../../../src/docs/people.md', import.meta.url), 'utf8')
  expect(guide).toMatch(new RegExp(`\\b${knownProvider(id)?.name}\\b`))
})

it('the well-known providers exist once their client is configured', () => {
  const variable = (name: string) => (name === 'GOOGLE_CLIENT_ID' ? 'c1' : undefined)
  expect(connectedProvider('google', variable)).toEqual({
    id: 'google',
    ...knownProvider('google'),
    client_id: 'c1',
    client_secret_name: 'GOOGLE_CLIENT_SECRET',
  })
  expect(knownProvider('google')).toMatchObject({
    authorization_parameters: { access_type: 'offline', prompt: 'consent' },
  })
  expect(connectedProvider('github', variable)).toBeUndefined()
  expect(connectedProvider('Google', variable)).toBeUndefined()
  expect(connectedProvider('acme', () => 'c1')).toBeUndefined()
  expect(connectedProvider('constructor', () => 'c1')).toBeUndefined()
})

it('the well-known providers are overridden by those of administrators', async () => {
  const given = new Map<string, Provider>()
  const store = { find: async (id: string) => given.get(id), list: async () => [...given.values()] }
  const { find, list } = withConnected(store, (name) => (/^(?:GOOGLE|GITHUB)_CLIENT_ID$/.test(name) ? 'c1' : undefined))
  const listed = async () => (await list()).map(({ id, built_in }) => [id, built_in])
  expect(await find('google')).toMatchObject({ client_id: 'c1' })
  expect(await listed()).toEqual([
    ['github', true],
    ['google', true],
  ])
  given.set('google', { id: 'google', name: 'Ours', client_id: 'c2' })
  expect(await find('google')).toEqual(given.get('google'))
  expect(await find('other')).toBeUndefined()
  expect(await listed()).toEqual([
    ['github', true],
    ['google', undefined],
  ])
})

it('the well-known providers have variables derived from their ids', () => {
  expect(clientVariables('google')).toEqual({ clientId: 'GOOGLE_CLIENT_ID', clientSecret: 'GOOGLE_CLIENT_SECRET' })
  expect(clientVariables('a-b-c')).toEqual({ clientId: 'A_B_C_CLIENT_ID', clientSecret: 'A_B_C_CLIENT_SECRET' })
})

it('the well-known providers are found only by their ids', () => {
  expect(knownProvider('google')?.name).toBe('Google')
  expect(knownProvider('Google')).toBeUndefined()
  expect(knownProvider('toString')).toBeUndefined()
})
