import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const PREPARE = fileURLToPath(new URL('../../src/node/prepare.js', import.meta.url))

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prepared-'))
  mkdirSync(join(root, 'src/node'), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"type": "module"}')
  copyFileSync(PREPARE, join(root, 'src/node/prepare.js'))
  writeFileSync(join(root, 'src/node/package.ts'), "console.log('made' as string)")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function prepare() {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'src/node/prepare.js')], { encoding: 'utf8' })
  return { status, stdout }
}

it('builds nothing without the development dependencies, and does not fail', () => {
  expect(prepare()).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^Nothing was built: .* npm install brings them/),
  })
})

it('builds if the development dependencies are installed', () => {
  for (const name of ['esbuild', 'typescript', 'node']) {
    mkdirSync(join(root, 'node_modules', name), { recursive: true })
    writeFileSync(join(root, 'node_modules', name, 'package.json'), '{}')
  }
  expect(prepare()).toEqual({ status: 0, stdout: 'made\n' })
})
