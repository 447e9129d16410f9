import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import type { RunningServer } from '../e2e/server.ts'
import { ADMIN_KEY } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'public', ADMIN_KEY } })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const nested = (levels: number, held = '') => '['.repeat(levels) + held + ']'.repeat(levels)
const zeros = (count: number) => Array(count).fill('0').join()

describe('a form that anybody sends', () => {
  it.each([
    ['nests so deep that nothing serialises it', nested(500_000)],
    ['would be set out over a thousand times its size', nested(3_000, zeros(900_000))],
    ['is as wide as it is deep', nested(130, zeros(900_000))],
  ])('is answered with a page of some size where it %s', async (_, value) => {
    const page = await new HttpPerson().post(
      `${server.url}/console/tools/Calculator.Add`,
      {
        call_id: crypto.randomUUID(),
        whole: `{"a":${value}}`,
      },
      {},
    )
    const { status, text } = page
    expect([status, text.includes('Calculator.Add'), text.length < 20_000_000]).toEqual([200, true, true])
  })
})

it('a form of a million fields is refused before any of them is looked at', async () => {
  const url = `${server.url}/console/tools/Calculator.Add`
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept': 'text/html' }
  const answer = await fetch(url, { method: 'POST', headers, body: 'a&'.repeat(2_000_000) })
  expect([answer.status, (await answer.text()).includes('The form is too large')]).toEqual([413, true])
})
