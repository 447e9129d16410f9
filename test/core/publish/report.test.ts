import { expect, it } from 'vitest'
import { summarizeReports, rejectPublication, toReport } from '../../../src/core/publish/report.ts'
import { definitionWith, recordOf } from '../../runners/http/records.ts'

const warnings = [{ path: '/w', message: 'Is odd' }]
const ids = ['Kit.A@1.0.0', 'Kit.B@1.0.0']

it.each(['created', 'unchanged'] as const)('a report reports that tools were %s, with warnings', (outcome) => {
  const report = toReport({ outcome, ids }, { warnings })
  expect(report).toEqual({ ok: true, outcome, ids, warnings })
  expect(report).not.toHaveProperty('imported')
  const imported = { state: 'changed', record: undefined }
  expect(toReport({ outcome, ids }, { warnings, state: 'changed' })).toEqual({ ...report, imported })
})

it('a report lists the versions that await review, in the report and in the audit entry', () => {
  const report = toReport({ outcome: 'created', ids, pending: ['Kit.B@1.0.0'] }, { warnings: [] })
  expect(report).toMatchObject({ pending: ['Kit.B@1.0.0'] })
  expect(summarizeReports([report])).toEqual({ published: ids, pending: ['Kit.B@1.0.0'] })
  expect(summarizeReports([toReport({ outcome: 'created', ids }, { warnings: [] })])).toEqual({ published: ids })
})

it('a report lists new versions without an implementation as uncallable', () => {
  const { implementation, ...bare } = recordOf(definitionWith([]), { kind: 'bundled' })
  const records = [
    { ...bare, id: ids[0] ?? '' },
    { ...bare, implementation, id: ids[1] ?? '' },
  ]
  expect(toReport({ outcome: 'created', ids }, { warnings }, records)).toMatchObject({ uncallable: [ids[0]] })
  expect(toReport({ outcome: 'unchanged', ids }, { warnings }, records)).not.toHaveProperty('uncallable')
  expect(toReport({ outcome: 'created', ids }, { warnings }, records.slice(1))).not.toHaveProperty('uncallable')
})

it('a report gives the reason when the registry refuses a publication', () => {
  expect(toReport({ outcome: 'conflict', ids, message: 'Exists' }, { warnings })).toEqual({
    ok: false,
    ids,
    failure: { type: 'conflict', message: 'Exists' },
  })
  const problems = [{ path: '/input', message: 'Breaks' }]
  expect(toReport({ outcome: 'refused', ids, problems }, { warnings, state: 'new' })).toEqual({
    ok: false,
    ids,
    failure: { type: 'definition-invalid', problems },
  })
})

it('a report gives the reason of a rejection, with ids where there are any', () => {
  const failure = { type: 'forbidden', reason: 'No' } as const
  expect(rejectPublication(failure)).toEqual({ ok: false, ids: [], failure })
  expect(rejectPublication(failure, ids)).toEqual({ ok: false, ids, failure })
})
