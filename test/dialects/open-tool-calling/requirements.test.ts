import { describe, expect, it } from 'vitest'
import { parseValue } from '../../../src/core/tool/json-reader.ts'
import type { Json } from '../../../src/core/tool/json.ts'
import type { Loss } from '../../../src/core/tool/codec.ts'
import {
  encodeRequirements,
  getProvider,
  requirementsReader,
} from '../../../src/dialects/open-tool-calling/requirements.ts'

describe('requirements', () => {
  it.each<[unknown, unknown]>([
    [{}, { authorization: [], secrets: [], user_id: false }],
    [
      { secrets: null, authorization: null },
      { authorization: [], secrets: [], user_id: false },
    ],
    [
      { secrets: [{ key_id: 'A' }, { key_id: 'B' }, { key_id: 'A' }] },
      { authorization: [], secrets: [{ id: 'A' }, { id: 'B' }], user_id: false },
    ],
    [{ authorization: 'none' }, { authorization: [], secrets: [], user_id: false }],
    [{ authorization: 'token' }, { authorization: [{ id: 'token' }], secrets: [], user_id: false }],
    [{ authorization: 'basic' }, [['/authorization', "Must be null, 'none', 'token' or an object, got 'basic'"]]],
    [{ authorization: 7 }, [['/authorization', 'Must be an object, got 7']]],
    [{ authorization: {} }, [['/authorization/provider_type', 'Is required']]],
    [
      { authorization: { provider_type: 'saml', provider_id: 'weather' } },
      [
        [
          '/authorization/provider_type',
          "Must be one of 'oauth2', 'token', 'api_key', 'bearer', 'basic', 'fields', got 'saml': declare a key of the deployment as one of the 'secrets'",
        ],
      ],
    ],
    ...['api_key', 'bearer', 'basic', 'fields'].map((provider_type): [object, object] => [
      { authorization: { provider_type, provider_id: 'weather', oauth2: {} } },
      { authorization: [{ id: 'weather' }], secrets: [], user_id: false },
    ]),
    [
      { authorization: { provider_type: 'basic', provider_id: 'weather', oauth2: { scopes: ['a'] } } },
      [['/authorization/oauth2/scopes', "Must have no scopes for 'basic'"]],
    ],
    [
      { authorization: { provider_type: 'token', provider_id: 'weather', oauth2: { scopes: ['a'] } } },
      { authorization: [{ id: 'token' }], secrets: [], user_id: false },
    ],
    [
      { authorization: { provider_type: 'oauth2', provider_id: 'a b', id: 'c' } },
      [['/authorization', 'Must name a provider with 1 to 128 visible ASCII characters']],
    ],
    [
      { authorization: { provider_type: 'oauth2', provider_id: '', id: 'c' } },
      { authorization: [{ id: 'c' }], secrets: [], user_id: false },
    ],
    [
      { authorization: { provider_type: 'oauth2', provider_id: '', id: '' } },
      { authorization: [{ id: 'oauth2' }], secrets: [], user_id: false },
    ],
    [
      { authorization: { provider_type: 'oauth2', oauth2: { scopes: 'x' } } },
      [['/authorization/oauth2/scopes', "Must be an array of strings, got 'x'"]],
    ],
    [
      { authorization: { provider_type: 'oauth2', oauth2: { scopes: ['x'] } } },
      { authorization: [{ id: 'oauth2', oauth2: { scopes: ['x'] } }], secrets: [], user_id: false },
    ],
    [
      { authorization: { provider_type: 'oauth2', oauth2: {}, more: 1 } },
      [['/authorization/more', "Unknown field 'more': wanted 'provider_id', 'provider_type', 'id', 'oauth2'"]],
    ],
    [{ authorization: { provider_type: 7 } }, [['/authorization/provider_type', 'Must be a string, got 7']]],
    [
      { secrets: [{ key_id: 'A' }, { key_id: 'B' }] },
      { authorization: [], secrets: [{ id: 'A' }, { id: 'B' }], user_id: false },
    ],
    [
      { secrets: [{ key_id: 'a b', more: 1 }] },
      [
        ['/secrets/0/more', "Unknown field 'more': wanted 'key_id', 'key'"],
        ['/secrets/0/key_id', "Must be 1 to 128 visible ASCII characters, got 'a b'"],
      ],
    ],
    [{ secrets: {} }, [['/secrets', 'Must be an array, got an object']]],
    [{ more: 1 }, [['/more', "Unknown field 'more': wanted 'secrets', 'authorization', 'metadata'"]]],
  ])('written as %j are read, or refused with paths and reasons', (document, wanted) => {
    const read = parseValue(requirementsReader, document)
    expect(read.ok ? read.value : read.problems.map(({ path, message }) => [path, message])).toEqual(wanted)
  })

  it('are written with one authorization, and the others are reported as losses', () => {
    const losses: Loss[] = []
    const authorization = [{ id: 'a', oauth2: { scopes: ['s'] } }, { id: 'b' }, { id: 'c' }]
    expect(encodeRequirements({ authorization, secrets: [{ id: 'KEY' }], user_id: true }, losses)).toEqual({
      secrets: [{ key_id: 'KEY' }],
      authorization: { provider_id: 'a', provider_type: 'oauth2', oauth2: { scopes: ['s'] } },
    })
    expect(losses).toEqual([
      { path: '/requirements/authorization/1', reason: 'The RFC has one authorization a tool' },
      { path: '/requirements/authorization/2', reason: 'The RFC has one authorization a tool' },
      { path: '/requirements/user_id', reason: 'The RFC cannot ask for a user id' },
    ])
  })

  it('are null if there are none', () => {
    const losses: Loss[] = []
    expect(encodeRequirements({ authorization: [], secrets: [], user_id: false }, losses)).toEqual({
      secrets: null,
      authorization: null,
    })
    expect(
      encodeRequirements({ authorization: [{ id: 'b' }], secrets: [], user_id: false }, losses).authorization,
    ).toEqual({ provider_id: 'b', provider_type: 'oauth2' })
    expect(losses).toEqual([])
  })

  it.each<[Json | undefined, unknown]>([
    [undefined, undefined],
    ['token', undefined],
    [{}, undefined],
    [{ provider_type: 'oauth2', provider_id: 'google' }, undefined],
    [{ provider_type: 'oauth2' }, { provider_type: 'oauth2' }],
    [
      { provider_type: 'oauth2', provider_id: 'google', id: 'x' },
      { provider_id: 'google', provider_type: 'oauth2', id: 'x' },
    ],
    [
      { provider_type: 'api', provider_id: 'google' },
      { provider_id: 'google', provider_type: 'api' },
    ],
    [{ id: 'x' }, undefined],
  ])('of %j keep the provider %j', (authorization, provider) => expect(getProvider(authorization)).toEqual(provider))
})
