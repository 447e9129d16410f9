import { describe, expect, it } from 'vitest'
import { decodeQuery, encodeUploaded } from '../../../../src/api/toolkits/plugin/wire.ts'

const decode = (query: string) => decodeQuery('Box', new URLSearchParams(query))
const NOTHING = { toolkit: 'Box', version: '1.0.0', allowedHosts: [], config: {}, allowBreaking: false }

describe('the query of an upload', () => {
  it('has a version, and may have more', () => {
    expect(decode('version=1.0.0')).toEqual(NOTHING)
    expect(
      decode(
        'version=2.3.4&security_level=10&allow=breaking&allowed_hosts=a.example,%20b.example:8080,&allowed_hosts=c&config=k:KEY,l:K.-_2&config=m:KEY',
      ),
    ).toEqual({
      toolkit: 'Box',
      version: '2.3.4',
      allowedHosts: ['a.example', 'b.example:8080', 'c'],
      config: { k: 'KEY', l: 'K.-_2', m: 'KEY' },
      securityLevel: 10,
      allowBreaking: true,
    })
    for (const level of [0, 9]) {
      expect(decode(`version=1.0.0&security_level=${level}`)).toEqual({ ...NOTHING, securityLevel: level })
    }
    expect(decode('version=1.0.0&config=&allowed_hosts=')).toEqual(NOTHING)
    const longest = `${'k'.repeat(128)}:${'S'.repeat(128)}`
    expect(decode(`version=1.0.0&config=${longest}`)).toMatchObject({ config: { ['k'.repeat(128)]: 'S'.repeat(128) } })
  })

  const VERSION = "The query parameter 'version' must be of the form x.y.z"
  const LEVEL = "The query parameter 'security_level' must be from 0 to 10"
  const ALLOW = "The query parameter 'allow' must be 'breaking'"
  const CONFIG = "The query parameter 'config' must hold pairs such as 'api-key:MY_SECRET', separated by commas"
  it.each([
    ['', VERSION],
    ['version=', VERSION],
    ['version=1', VERSION],
    ['version=1.0.0&security_level=11', LEVEL],
    ['version=1.0.0&security_level=', LEVEL],
    ['version=1.0.0&security_level=-1', LEVEL],
    ['version=1.0.0&security_level=5.5', LEVEL],
    ['version=1.0.0&allow=', ALLOW],
    ['version=1.0.0&allow=all', ALLOW],
    ['version=1.0.0&config=key', CONFIG],
    ['version=1.0.0&config=:KEY', CONFIG],
    ['version=1.0.0&config=key:', CONFIG],
    ['version=1.0.0&config=a%20b:KEY', CONFIG],
    ['version=1.0.0&config=a:b:c', CONFIG],
    [`version=1.0.0&config=${'k'.repeat(129)}:KEY`, CONFIG],
    [`version=1.0.0&config=k:${'S'.repeat(129)}`, CONFIG],
    ['version=1.0.0&config=a:B,a:C', "The query parameter 'config' has the key 'a' twice"],
  ])('is not %j', (query, why) => expect(decode(query)).toBe(why))
})

it('an upload is answered with ids, and with warnings where there are any', () => {
  const ids = ['Box.a@1.0.0']
  const warnings = [{ path: '/tools/0/x', message: 'Is ignored' }]
  expect(encodeUploaded({ ok: true, outcome: 'created', ids, warnings: [] })).toEqual({ ids })
  expect(encodeUploaded({ ok: true, outcome: 'created', ids, warnings })).toEqual({ ids, warnings })
})
