import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import {
  declaredModes,
  givesArtifacts,
  listContextParameters,
  omitContextParameters,
  getToolkitDescription,
  contextParameterLosses,
} from '../../../src/core/tool/metadata.ts'

const input: JsonObject = {
  type: 'object',
  properties: { a: { type: 'string' }, token: { type: 'string' } },
  required: ['a', 'token'],
}

it("a record's metadata has what its publisher declared", () => {
  const metadata = {
    available_modes: ['value', 'artifact'],
    toolkit_description: 'Mail',
    non_inferrable_parameters: ['token'],
  }
  expect(declaredModes({ metadata })).toEqual(['value', 'artifact'])
  expect(givesArtifacts({ metadata })).toBe(true)
  expect(getToolkitDescription({ metadata })).toBe('Mail')
  expect(listContextParameters({ metadata })).toEqual(['token'])
})

it.each([
  {},
  { metadata: {} },
  { metadata: { available_modes: 1, toolkit_description: 1, non_inferrable_parameters: [1] } },
])("a record's metadata may have no such fields: %j", (record) => {
  expect([declaredModes(record), givesArtifacts(record), getToolkitDescription(record)]).toEqual([
    undefined,
    false,
    undefined,
  ])
  expect(listContextParameters(record)).toEqual([])
})

it('a definition for models leaves out non-inferrable parameters, and reports the loss', () => {
  const record = { input, metadata: { non_inferrable_parameters: ['token'] } }
  expect(omitContextParameters(record)).toEqual({
    ...record,
    input: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  })
  expect(contextParameterLosses(record)).toEqual([
    { path: '/input/properties/token', reason: 'No model may infer it: the context of a call gives it' },
  ])
})

it('a definition for models requires nothing if all required parameters were left out', () => {
  const record = { input, metadata: { non_inferrable_parameters: ['token', 'a', 'b'] } }
  expect(omitContextParameters(record).input).toEqual({ type: 'object', properties: {} })
  expect(omitContextParameters({ ...record, input: { type: 'object' } }).input).toEqual({ type: 'object' })
})

it('a definition for models is the record itself if nothing is left out', () => {
  const record = { input }
  expect(omitContextParameters(record)).toBe(record)
  expect(contextParameterLosses({})).toEqual([])
})
