import { expect, it } from 'vitest'
import { formatReadError } from '../../../../src/core/tool/problem.ts'
import { readQuery } from '../../../../src/http/request/query.ts'
import { pluginQuery } from '../../../../src/api/toolkits/plugin/wire.ts'

const decode = (query: string) => {
  const read = readQuery(pluginQuery, `https://sb.example/toolkits/Box/plugin?${query}`)
  return read.ok ? read.value : read.failure
}
const NOTHING = { version: '1.0.0', allowed_hosts: [], config: {} }

it('the query of an upload must have a version, and may have more', () => {
  expect(decode('version=1.0.0')).toEqual(NOTHING)
  expect(
    decode(
      'version=2.3.4&security_level=10&allow=breaking&allowed_hosts=a.example,%20b.example:8080,&allowed_hosts=c&config=k:KEY,l:K.-_2&config=m:KEY',
    ),
  ).toEqual({
    version: '2.3.4',
    allowed_hosts: ['a.example', 'b.example:8080', 'c'],
    config: { k: 'KEY', l: 'K.-_2', m: 'KEY' },
    security_level: 10,
    allow: 'breaking',
  })
  for (const level of [0, 9]) {
    expect(decode(`version=1.0.0&security_level=${level}`)).toEqual({ ...NOTHING, security_level: level })
  }
  expect(decode('version=1.0.0&approval=1')).toEqual({ ...NOTHING, approval: true })
  expect(decode('version=1.0.0&config=&allowed_hosts=')).toEqual(NOTHING)
  const longest = `${'k'.repeat(128)}:${'S'.repeat(128)}`
  expect(decode(`version=1.0.0&config=${longest}`)).toMatchObject({ config: { ['k'.repeat(128)]: 'S'.repeat(128) } })
})

const VERSION = 'Must be a version of the form x.y.z'
const LEVEL = 'Must be an integer from 0 to 10'
const PAIR = "Must be a pair such as 'api-key:MY_SECRET', got a string"
it.each([
  ['', '/version', 'Is required'],
  ['version=', '/version', `${VERSION}, such as '1.0.0', got ''`],
  ['version=1', '/version', `${VERSION}, such as '1.0.0', got '1'`],
  ['version=1.0.0&security_level=11', '/security_level', `${LEVEL}, got '11'`],
  ['version=1.0.0&security_level=', '/security_level', `${LEVEL}, got ''`],
  ['version=1.0.0&security_level=-1', '/security_level', `${LEVEL}, got '-1'`],
  ['version=1.0.0&security_level=5.5', '/security_level', `${LEVEL}, got '5.5'`],
  ['version=1.0.0&approval=0', '/approval', "Must be '1', got '0'"],
  ['version=1.0.0&approval=true', '/approval', "Must be '1', got 'true'"],
  ['version=1.0.0&allow=', '/allow', "Must be 'breaking', got ''"],
  ['version=1.0.0&allow=all', '/allow', "Must be 'breaking', got 'all'"],
  ['version=1.0.0&config=key', '/config/0', PAIR],
  ['version=1.0.0&config=:KEY', '/config/0', PAIR],
  ['version=1.0.0&config=key:', '/config/0', PAIR],
  ['version=1.0.0&config=a%20b:KEY', '/config/0', PAIR],
  ['version=1.0.0&config=a:b:c', '/config/0', PAIR],
  [`version=1.0.0&config=a:B,${'k'.repeat(129)}:KEY`, '/config/1', PAIR],
  [`version=1.0.0&config=k:${'S'.repeat(129)}`, '/config/0', PAIR],
  ['version=1.0.0&config=a:B,a:C', '/config', "Must have each key once, got 'a' again"],
])('the query of an upload may not be %j', (query, path, message) =>
  expect(decode(query)).toEqual({
    type: 'request-malformed',
    message: formatReadError('the query', [{ path, message }]),
  }),
)
