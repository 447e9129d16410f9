import { expect, it } from 'vitest'
import { createBundledTools } from '../../../../src/storage/registry/kv/bundled-tools.ts'
import { recordWith } from '../../../core/call/fakes.ts'

const record = recordWith({})
const carried = createBundledTools(
  {
    hash: 'h',
    records: [
      { ...record, id: 'Calculator.Add@1.0.0', toolkit: 'Calculator', tool: 'Add', digest: 'a' },
      { ...record, id: 'Arithmetic.add@1.0.0', toolkit: 'Arithmetic', tool: 'add', digest: 'b' },
    ],
    documents: [
      {
        dialect: 'machine-context',
        hash: 'd',
        text: '{}',
        itself: { id: 'sums', version: '1.0.0' },
        toolkit: 'Arithmetic',
        tools: { add: 'add' },
      },
    ],
  },
  () => '',
)
const asked = (id: string, toolkit?: string) => {
  const stored = toolkit === undefined ? undefined : { id, toolkit, tools: { remoteName: 'theirs' } }
  return carried.chooseAddress('machine-context', id, stored)
}
const OWN = { id: 'sums', toolkit: 'Arithmetic', tools: { add: 'add' } }

it('a bundled toolkit takes precedence over a document with its name that was published earlier', () => {
  for (const id of ['Calculator', 'calculator', 'ARITHMETIC'])
    expect([id, asked(id, 'Mallory')]).toEqual([id, undefined])
})

it('a bundled document takes precedence over another with its id, and exists before the registry has it', () => {
  expect(asked('sums', 'Mallory')).toEqual(OWN)
  expect(asked('sums')).toEqual(OWN)
  // Its other versions are in the registry
  expect(asked('sums', 'Arithmetic')).toEqual({ id: 'sums', toolkit: 'Arithmetic', tools: { remoteName: 'theirs' } })
})

it('a document may have the name of another toolkit if both are bundled, or neither is', () => {
  expect(asked('calculator', 'Arithmetic')?.toolkit).toBe('Arithmetic')
  expect(asked('weather', 'Mallory')?.toolkit).toBe('Mallory')
  expect(asked('weather')).toBeUndefined()
})

it('a tool counts as installed if every bundled version is stored unchanged and active', () => {
  const active = { state: 'active' } as const
  const publisher = { principal: 'bundle', trusted: true }
  const version = { version: '1.0.0', digest: 'a', status: active, publisher }
  const stored = { toolkit: 'Calculator', tool: 'Add', versions: [version] }
  const key = 'calculator.add'
  expect(carried.isInstalled(key, stored)).toBe(true)
  expect(carried.isInstalled('others.tool', undefined)).toBe(true)
  expect(carried.isInstalled(key, undefined)).toBe(false)
  expect(carried.isInstalled(key, { ...stored, isDeleted: true })).toBe(false)
  expect(carried.isInstalled(key, { ...stored, isRemovedFromDocument: true })).toBe(false)
  for (const other of [{ digest: 'b' }, { version: '2.0.0' }, { status: { state: 'disabled' } as const }]) {
    expect(carried.isInstalled(key, { ...stored, versions: [{ ...version, ...other }] })).toBe(false)
  }
})

it('a tool does not count as installed while an active version of an older deployment is stored', () => {
  const bundle = { principal: 'bundle', trusted: true }
  const version = { version: '1.0.0', digest: 'a', status: { state: 'active' }, publisher: bundle } as const
  const dropped = { ...version, version: '1.1.0', digest: 'c' }
  const withOther = (other: object) => ({
    toolkit: 'Calculator',
    tool: 'Add',
    versions: [version, { ...dropped, ...other }],
  })
  const key = 'calculator.add'
  expect(carried.isInstalled(key, withOther({}))).toBe(false)
  // As of a tool that the deployment carries no more at all
  expect(carried.isInstalled('others.tool', withOther({}))).toBe(false)
  expect(carried.isInstalled(key, withOther({ status: { state: 'disabled' } }))).toBe(true)
  expect(carried.isInstalled(key, withOther({ publisher: { principal: 'key:1', trusted: false } }))).toBe(true)
})

it('the same id in another dialect is another document', () => {
  expect(carried.chooseAddress('open-tool-calling', 'sums', undefined)).toBeUndefined()
})
