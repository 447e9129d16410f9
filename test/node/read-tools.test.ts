import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readTools } from '../../src/node/read-tools.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let folder = ''
beforeEach(() => {
  const parent = join(root, '.wrangler/tmp')
  mkdirSync(parent, { recursive: true })
  folder = mkdtempSync(join(parent, 'read-'))
  mkdirSync(join(folder, 'Kit'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Reads a tool that declares these fields beside what every tool does. */
function read(fields: string, version = "'1.0.0'") {
  const text = `export default {
  version: ${version}, description: 'Does.', input: { type: 'object' }, output: {}, handler: () => 1, ${fields}
}
`
  writeFileSync(join(folder, 'Kit/Do.ts'), text)
  return readTools(relative(root, folder))
}

it('the file of a tool can declare every field', async () => {
  const all = "title: 'Do', tags: ['x'], securityLevel: 0, timeoutMs: 1000, requirements: { user_id: true }"
  expect(await read(all)).toMatchObject([{ record: { id: 'Kit.Do@1.0.0', title: 'Do', tags: ['x'] } }])
})

it('the file of a tool that uses authorization without hosts is read with a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const requirements = "requirements: { authorization: [{ id: 'google' }] }"
  await read(requirements)
  const path = `${relative(root, folder)}/Kit/Do.ts`
  const why = 'uses authorization but names no hosts, so its fetch reaches no server'
  expect(warn.mock.calls).toEqual([[`${path} ${why}: add hosts: ['api.acme.com']`]])
  warn.mockRestore()
})

it.each([
  ["secrets: ['KEY']", undefined, "Unknown field 'secrets' (meant 'requirements'?)"],
  ["authorization: [{ id: 'google' }]", undefined, "Unknown field 'authorization' (meant 'requirements'?)"],
  ["descripton: 'x'", undefined, "Unknown field 'descripton' (meant 'description'?)"],
  ['xyzzyxyzzyxyzzy: 1', undefined, "Unknown field 'xyzzyxyzzyxyzzy'"],
  ['', "'v1'", "version: Must be one such as '1.0.0', got 'v1'"],
  ['', 'undefined', "version: Must be one such as '1.0.0', got 'undefined'"],
])(
  'the file of a tool with %s and the version %s is refused with its path and the reason',
  async (fields, version, why) => {
    const path = `${relative(root, folder)}/Kit/Do.ts`
    await expect(read(fields, version)).rejects.toThrow(new Error(`${path}: ${why}`))
  },
)

it.each([
  ["{ secret: [{ id: 'KEY' }] }", "/requirements/secret: Unknown field 'secret' (meant 'secrets'?)"],
  [
    "{ authorization: [{ id: 'acme', scopes: ['a'] }] }",
    "/requirements/authorization/0/scopes: Unknown field 'scopes'",
  ],
  ["{ audience: 'all' }", "/requirements/audience: Unknown field 'audience'"],
  ["{ user_id: 'yes' }", "/requirements/user_id: Must be a boolean, got 'yes'"],
])(
  'the file of a tool that requires %s is refused with its line, so that no tool runs unprotected',
  async (requirements, why) => {
    const path = `${relative(root, folder)}/Kit/Do.ts:4`
    await expect(read(`\n\n  requirements: ${requirements}`)).rejects.toThrow(`${path}: ${why}`)
  },
)
