import { expect, it } from 'vitest'
import { codecs } from '../../src/compose/dialects.ts'
import { NO_REQUIREMENTS, type ToolRecord } from '../../src/core/tool/tool.ts'

const RECORD = {
  id: 'Kit.Do@1.0.0',
  toolkit: 'Kit',
  tool: 'Do',
  version: '1.0.0',
  name: 'Kit_Do',
  description: 'Does it',
  input: { type: 'object' },
  output: {},
  requirements: NO_REQUIREMENTS,
  tags: [],
  digest: '0',
} as const

/** The losses of a document that is read in the dialect that it was published in. */
function lossesOf(dialect: string, more: Pick<ToolRecord, 'securityLevel' | 'requiresApproval'>) {
  const source = { dialect, document: { name: 'Do', securityLevel: more.securityLevel } }
  return codecs.find((codec) => codec.dialect === dialect)?.encode({ ...RECORD, ...more, source })?.losses
}

it.each(codecs.map(({ dialect }) => dialect))('%s reports the guard that is stored next to a document', (dialect) => {
  expect(lossesOf(dialect, { securityLevel: 0 })).toEqual([])
  const told = lossesOf(dialect, { securityLevel: 5, requiresApproval: true })?.map(({ path }) => path)
  expect(told).toEqual(dialect === 'machine-context' ? ['/requiresApproval'] : ['/securityLevel', '/requiresApproval'])
})
