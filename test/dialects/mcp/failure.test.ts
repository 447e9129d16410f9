import { describe, expect, it } from 'vitest'
import { type Failure, fail } from '../../../src/core/failure/failure.ts'
import { formatFailure } from '../../../src/dialects/mcp/failure.ts'
import { findLine, formatLine } from '../failure-table.ts'
import { FAILURES } from '../failures.ts'
import { setUp } from './set-up.ts'

const failures = Object.values(FAILURES)
/** A client of 2026-07-28 is asked for the input itself (`input-required.test.ts`). */
const modernFailures = failures.filter(({ type }) => type !== 'input-required')

async function call(failure: Failure, revision: 'legacy' | 'modern') {
  const answer = await setUp({ run: () => fail(failure) })[revision]('tools/call', { name: 'echo' })
  expect(answer.headers.get('content-type')).toBe('application/json')
  const { id, error, result } = Object(await answer.json())
  expect(id).toBe(1)
  return { status: answer.status, error, result }
}

describe('a call of a revision up to 2025-11-25', () => {
  it.each(failures)('that fails with $type gets the response in the table', async (failure) => {
    const { status, error, result } = await call(failure, 'legacy')
    if (error) return expect(formatLine('mcp', status, error)).toBe(findLine(failure, 'mcp'))
    const { isError, content, ...meta } = result
    expect(isError).toBe(true)
    return expect(formatLine('mcp', status, content[0].text, ...content.slice(1), meta)).toBe(findLine(failure, 'mcp'))
  })
})

describe('a call of 2026-07-28', () => {
  it.each(modernFailures)('that fails with $type gets the response in the table', async (failure) => {
    const { status, error, result } = await call(failure, 'modern')
    const line = findLine(failure, 'mcp')
    if (error) {
      const legacyStatus = failure.type === 'route-unknown' ? 200 : status
      expect(status).toBe(failure.type === 'route-unknown' ? 404 : legacyStatus)
      return expect(formatLine('mcp', legacyStatus, error)).toBe(line)
    }
    const { isError, content, resultType, _meta } = result
    expect([isError, resultType]).toEqual([true, 'complete'])
    const { 'io.modelcontextprotocol/serverInfo': serverInfo, ...failureMeta } = _meta
    expect(serverInfo).toMatchObject({ name: 'switchboard' })
    const meta = Object.keys(failureMeta).length === 0 ? {} : { _meta: failureMeta }
    return expect(formatLine('mcp', status, content[0].text, ...content.slice(1), meta)).toBe(line)
  })

  it('reports that the tool requests something that MCP cannot express', async () => {
    const failure = { type: 'input-required', requests: { r: { method: 'x/y', params: {} } } } as const
    const { status, result } = await call(failure, 'modern')
    expect(status).toBe(200)
    expect(result).toMatchObject({ isError: true, resultType: 'complete', content: [{ type: 'text' }] })
    expect(result.content[0].text).toContain('no request for')
  })
})

it('truncates long methods, and repeats names as they were requested', () => {
  expect(formatFailure({ type: 'route-unknown', method: 'm'.repeat(101), path: '/mcp' })).toBe(
    `There is no method '${'m'.repeat(100)}'`,
  )
  expect(formatFailure({ type: 'tool-unknown', ref: 'my-name:x', suggestions: [] })).toContain(
    "'my-name:x': there is none",
  )
})
