import { expect, it } from 'vitest'
import type { PublicationResult } from '../../../src/core/publish/registry.ts'
import { completeResult, summarizeResults } from '../../../src/core/publish/report.ts'
import type { PreparedSubmission } from '../../../src/core/publish/submission.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { definitionWith, recordOf } from '../../runners/http/records.ts'

const warnings = [{ path: '/w', message: 'Is odd' }]
const ids = ['Kit.A@1.0.0', 'Kit.B@1.0.0']
const created = { ok: true, outcome: 'created', ids, warnings: [] } as const
const unchanged = { ...created, outcome: 'unchanged' } as const

const prepared = (records: readonly ToolRecord[] = [], more: Partial<PreparedSubmission> = {}) => ({
  publication: { records, specified: { implementation: true, tags: false }, allowBreaking: false },
  implementations: new Map(),
  warnings,
  ...more,
})

it.each([created, unchanged])('a report says that tools were $outcome, with warnings', (result) => {
  expect(completeResult(result, prepared())).toEqual({ ...result, warnings })
  const held = [{ path: '', message: 'Is held' }]
  expect(completeResult({ ...result, warnings: held }, prepared())).toMatchObject({ warnings: [...warnings, ...held] })
  const record = recordOf(definitionWith([]), { kind: 'bundled' })
  const imported = { state: 'changed', record }
  expect(completeResult(result, prepared([record], { state: 'changed' }))).toEqual({ ...result, warnings, imported })
})

it('a report lists the versions that await review, in the report and in the audit entry', () => {
  const result = completeResult({ ...created, pending: ['Kit.B@1.0.0'] }, prepared())
  expect(result).toMatchObject({ pending: ['Kit.B@1.0.0'] })
  expect(summarizeResults([result])).toEqual({ published: ids, pending: ['Kit.B@1.0.0'] })
  expect(summarizeResults([created])).toEqual({ published: ids })
})

it('a report lists new versions without an implementation as uncallable', () => {
  const { implementation, ...bare } = recordOf(definitionWith([]), { kind: 'bundled' })
  const records = [
    { ...bare, id: ids[0] ?? '' },
    { ...bare, implementation, id: ids[1] ?? '' },
  ]
  expect(completeResult(created, prepared(records))).toMatchObject({ uncallable: [ids[0]] })
  expect(completeResult(unchanged, prepared(records))).not.toHaveProperty('uncallable')
  expect(completeResult(created, prepared(records.slice(1)))).not.toHaveProperty('uncallable')
})

it('a report has the reason if the registry refuses a publication', () => {
  const refused: PublicationResult = { ok: false, ids, failure: { type: 'conflict', message: 'Exists' } }
  expect(completeResult(refused, prepared([], { state: 'new' }))).toEqual(refused)
})
