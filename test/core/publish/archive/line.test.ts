import { expect, it } from 'vitest'
import { parseArchiveLine } from '../../../../src/core/publish/archive/line.ts'
import { createToolRecord } from '../../../../src/core/tool/digest.ts'
import { definitionOf, sha256 } from '../fakes.ts'

const stored = () => createToolRecord({ definition: definitionOf(), dialect: 'plain', document: { plain: [] } }, sha256)

const PENDING = {
  definition: { enabled: true, tools: [] },
  digest: 'sha256:1',
  changed_at: 'then',
  changed_by: 'admin',
}
const TOOLSET = { name: 'mail', owner: 'key:ann', revision: 2, ...PENDING }

it('a line of an export is read by its kind', async () => {
  const record = await stored()
  const lines = [
    { kind: 'archive', format: 2, switchboard: '1.0.0', at: '2026-11-21T14:03:11.402Z' },
    { kind: 'toolkit', toolkit: 'Kit', owner: null, held: false, tags: [], review: false },
    { kind: 'policy', pattern: 'Kit.*', policy: { approval: true } },
    { kind: 'lock', lock: { version: 1, digest_form: 'sep-2636/2026-09', tools: {} } },
    { kind: 'toolset', toolset: TOOLSET },
    { kind: 'toolset', toolset: { ...TOOLSET, pending: PENDING } },
    { kind: 'name', name: 'kit_do', tool: 'Kit.Do' },
    { kind: 'given', name: 'do_it', tool: 'Kit.Do' },
    { kind: 'document', dialect: 'plain', toolkit: 'Kit', tools: { do: 'Do' }, document: [1] },
    { kind: 'blob', sha256: 'a'.repeat(64), part: 0, parts: 1, base64: '' },
    { kind: 'part', hmac: 'x' },
    { kind: 'end', lines: 7, hmac: 'x' },
  ]
  for (const line of lines) expect(parseArchiveLine(line)).toEqual({ ok: true, value: line })
  const version = { kind: 'version', status: { state: 'active' }, publisher: { principal: 'a', trusted: true } }
  const read = parseArchiveLine(JSON.parse(JSON.stringify({ ...version, record })))
  expect(read).toEqual({ ok: true, value: { ...version, held: false, unreviewed: false, bundled: false, record } })
})

it('a line of an export has the record unchanged, in the stored order of fields', async () => {
  const { toolkit, tool, digest, ...rest } = await stored()
  const record = { digest, tool, toolkit, ...rest }
  const line = {
    kind: 'version',
    status: { state: 'active' },
    publisher: { principal: null, trusted: false },
    record,
  }
  const read = parseArchiveLine(JSON.parse(JSON.stringify(line)))
  if (!read.ok || read.value.kind !== 'version') throw new Error(JSON.stringify(read))
  expect(JSON.stringify(read.value.record)).toBe(JSON.stringify(record))
})

it.each([
  ['no object', 5, ''],
  ['of no kind', { toolkit: 'Kit' }, '/kind'],
  ['of a kind that an object has by nature', { kind: 'constructor' }, '/kind'],
  ['of a kind that there will be', { kind: 'prophecy' }, '/kind'],
  ['of a policy for no pattern', { kind: 'policy', pattern: 'Kit', policy: {} }, '/pattern'],
  ['of a policy that says nothing', { kind: 'policy', pattern: 'Kit.*' }, '/policy'],
  ['of a toolset without an owner', { kind: 'toolset', toolset: { ...TOOLSET, owner: '' } }, '/toolset/owner'],
  ['of a toolset of another name', { kind: 'toolset', toolset: { ...TOOLSET, name: 'A' } }, '/toolset/name'],
  ['of no lock', { kind: 'lock', lock: { version: 1, tools: {} } }, '/lock/digest_form'],
  ['with a field too many', { kind: 'end', lines: 1, more: 1 }, '/more'],
  ['of another format', { kind: 'archive', format: 1 }, '/format'],
  ['of a tool with a version', { kind: 'name', name: 'a', tool: 'Kit.Do@1.0.0' }, '/tool'],
  ['of an owner without a name', { kind: 'toolkit', toolkit: 'Kit', owner: '' }, '/owner'],
])('a line of an export is refused: one %s', (_, line, path) => {
  const read = parseArchiveLine(line)
  expect(read.ok ? [] : read.problems.map((each) => each.path)).toEqual([path])
})

it.each([
  ['/record/id', { id: 'Kit.Other@1.0.0' }],
  ['/record/input', { input: 'x' }],
  ['/record/requirements/secrets', { requirements: { authorization: [], secrets: {}, user_id: false } }],
  ['/record/securityLevel', { securityLevel: -1 }],
  ['/record/source', { source: { dialect: 'plain' } }],
  ['/record/source', { source: { dialect: 'plain', document: 1, hash: 'a'.repeat(64) } }],
  ['/record/implementation/kind', { implementation: {} }],
  ['/record/publisher', { publisher: { trusted: true } }],
])('a line of an export is refused if its record has an invalid field at %s', async (path, more) => {
  const record = { ...(await stored()), ...more }
  const line = { kind: 'version', status: { state: 'active' }, publisher: { principal: null, trusted: true }, record }
  const read = parseArchiveLine(JSON.parse(JSON.stringify(line)))
  expect(read.ok ? [] : read.problems.map((each) => each.path)).toEqual([path])
})
