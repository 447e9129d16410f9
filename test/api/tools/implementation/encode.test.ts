import { expect, it } from 'vitest'
import { encodeImplementation, moduleHeaders, findModule } from '../../../../src/api/tools/implementation/routes.ts'
import { createToolRecord } from '../../../../src/core/tool/digest.ts'
import { definitionOf, sha256 } from '../../../core/publish/fakes.ts'

it('findModule returns the text of a code tool, and the blob of a plugin', () => {
  expect(findModule({ kind: 'code', module: 'export default 1' })).toEqual({
    type: 'javascript',
    text: 'export default 1',
  })
  expect(findModule({ kind: 'wasm', blob: 'ab' })).toEqual({ type: 'wasm', blob: 'ab' })
})

it('findModule returns undefined for an implementation without a file', () => {
  for (const each of [{ kind: 'http', url: 'https://a.example' }, { kind: 'bundled' }, { kind: 'code', module: 5 }]) {
    expect(findModule(each)).toBeUndefined()
  }
})

it('an implementation is returned as published, with its version and digest', async () => {
  const implementation = { kind: 'code', module: 'export default 1', allowed_hosts: [] }
  const record = await createToolRecord(
    { definition: definitionOf(), implementation, dialect: 'plain', document: 1 },
    sha256,
  )
  expect(encodeImplementation(record, implementation)).toEqual({
    id: 'Kit.Do@1.0.0',
    digest: record.digest,
    implementation,
    module: '/tools/Kit.Do%401.0.0/implementation/module',
  })
  expect(encodeImplementation(record, { kind: 'bundled' })).not.toHaveProperty('module')
})

it('a module is sent as a download, and never as a page', () => {
  expect(moduleHeaders({ type: 'javascript', text: '' }, 'Kit.Do-1.0.0')).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-disposition': 'attachment; filename="Kit.Do-1.0.0.js"',
    'x-content-type-options': 'nosniff',
  })
  expect(moduleHeaders({ type: 'wasm', blob: '' }, 'Kit.Do-1.0.0')).toMatchObject({
    'content-type': 'application/wasm',
    'content-disposition': 'attachment; filename="Kit.Do-1.0.0.wasm"',
  })
})
