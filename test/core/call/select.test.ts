import { expect, it } from 'vitest'
import { createCallTool } from '../../../src/core/call/call.ts'
import type { IdempotencyRecords } from '../../../src/core/call/idempotency.ts'
import { NO_CONTEXT } from '../../../src/core/call/requirements.ts'
import type { RunResult } from '../../../src/core/call/runner.ts'
import { readOption, SELECT } from '../../../src/core/call/call-options.ts'
import { parseSelect } from '../../../src/core/call/select.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import { callableOf, callerWith, callWith, recordWith, worldOf } from './fakes.ts'

const OUTPUT = { rows: [{ id: 1 }, { id: 2 }], text: 'x' }

/** Calls a tool that gives `output`, and says how often it ran, what was kept and what was claimed. */
async function call(select: Json, output: RunResult = { ok: true, value: OUTPUT }, values?: JsonObject) {
  let runs = 0
  const kept: unknown[] = []
  const claimed: unknown[] = []
  const tool = callableOf(recordWith({}), () => {
    runs++
    return output
  })
  const idempotencyRecords: IdempotencyRecords = {
    async claim(asked) {
      claimed.push(asked.select)
      return { state: 'claimed', settle: async (finished) => void claimed.push(finished?.result) }
    },
  }
  const { deps } = worldOf({ tool, idempotencyRecords })
  const artifacts: typeof deps.artifacts = {
    ...deps.artifacts,
    async put({ content }) {
      kept.push('text' in content ? JSON.parse(content.text) : content)
      return { ok: true, url: 'https://here/artifacts/a', size: 9, expiresAt: '2030-01-01' }
    },
  }
  const { result } = await createCallTool({ ...deps, artifacts })(
    { ...callWith({}), select, context: { ...NO_CONTEXT, ...(values && { values }) } },
    callerWith(),
  )
  return { result, runs, kept, claimed }
}

it('a selection is the whole response, and is what is stored for a repeated call', async () => {
  const wanted = { ok: true, value: [1, 2], selected: true }
  expect(await call('rows[].id')).toEqual({ result: wanted, runs: 1, kept: [], claimed: ['rows[].id', wanted] })
})

it('a selection is of the content and the artifact if there is no value', async () => {
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const
  const shown = await call('content[0].mimeType', { ok: true, value: null, content: [image] })
  expect(shown.result).toEqual({ ok: true, value: 'image/png', selected: true })
  const texts = await call('@', { ok: true, value: null, content: [{ type: 'text', text: 'words' }] })
  expect(texts.result).toMatchObject({ value: 'words' })
  expect((await call('rows', { ok: true, value: OUTPUT, content: [image] })).result).not.toHaveProperty('content')
})

it('a selection is stored or returned by its own size', async () => {
  const large = { ok: true, value: { few: 1, many: 'x'.repeat(300_000) } } as const
  expect(await call('few', large)).toMatchObject({ result: { value: 1 }, kept: [] })
  expect((await call('{all: many}', large)).result).toMatchObject({ value: { artifact: { size: 9 } } })
})

it('a selection is not made if the tool fails', async () => {
  const { result } = await call('rows', { ok: false, failure: { message: 'No' } })
  expect(result).toMatchObject({ failure: { type: 'tool-failed', message: 'No' } })
})

it('a selection that is invalid is refused before anything runs', async () => {
  const refused = await call('rows[')
  expect(refused).toMatchObject({ result: { failure: { type: 'select-invalid', at: 5 } }, runs: 0, claimed: [] })
  expect(await call(7)).toMatchObject({ result: { failure: { type: 'select-invalid' } }, runs: 0 })
})

it('a selection that fails on the output is a failure, which stores the whole output', async () => {
  const { result, runs, kept, claimed } = await call('length(rows[0].id)')
  const artifact = { url: 'https://here/artifacts/a', content_type: 'application/json', size: 9 }
  expect(result).toMatchObject({ ok: false, failure: { type: 'select-failed', artifact } })
  expect({ runs, kept }).toEqual({ runs: 1, kept: [OUTPUT] })
  expect(claimed[1]).toEqual(result)
})

it('the select option is a field of the context', () => {
  expect(readOption(SELECT, { select: 'a' }, [])).toBe('a')
  expect(readOption(SELECT, { select: null }, [])).toBeUndefined()
  expect(readOption(SELECT, { other: 1 }, [])).toBeUndefined()
})

it('the select option is the tool’s own if the tool has a non-inferrable parameter of that name', () => {
  expect(readOption(SELECT, { select: 'a' }, ['select'])).toBeUndefined()
})

it('the select option outside the context takes precedence', async () => {
  const { result } = await call('rows[].id', undefined, { select: 'text' })
  expect(result).toMatchObject({ value: [1, 2] })
})

it('the select option must be a string', async () => {
  expect(await parseSelect(['a'])).toMatchObject({
    ok: false,
    failure: { type: 'select-invalid', message: 'it is not a string' },
  })
})
