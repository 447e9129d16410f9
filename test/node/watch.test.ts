import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { onChange } from '../../src/node/watch.ts'

let folder = ''
let end: (() => void) | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watched-'))
  mkdirSync(join(folder, 'Kit'))
  writeFileSync(join(folder, 'Kit/Tool.ts'), 'first')
})
afterEach(() => {
  end?.()
  rmSync(folder, { recursive: true, force: true })
})

/** As editors save that never leave half a file: another file, put in its place. */
function replace(text: string): void {
  writeFileSync(join(folder, 'Kit/.Tool.new'), text)
  renameSync(join(folder, 'Kit/.Tool.new'), join(folder, 'Kit/Tool.ts'))
}

it('notices a file that is replaced repeatedly, and then one that is written in place', async () => {
  const act = vi.fn(async () => undefined)
  end = onChange([{ folder, counts: (file) => file.endsWith('Tool.ts'), isDeep: true }], act)
  const seen = async (change: () => void) => {
    const before = act.mock.calls.length
    change()
    await vi.waitFor(() => expect(act.mock.calls.length).toBeGreaterThan(before), { timeout: 10_000 })
  }
  await seen(() => replace('second'))
  await seen(() => replace('third'))
  await seen(() => writeFileSync(join(folder, 'Kit/Tool.ts'), 'fourth'))
  await seen(() => {
    mkdirSync(join(folder, 'Other'))
    writeFileSync(join(folder, 'Other/Tool.ts'), 'fifth')
  })
  await seen(() => writeFileSync(join(folder, 'Other/Tool.ts'), 'sixth'))
})

it('acts on nothing else', async () => {
  const act = vi.fn(async () => undefined)
  const counted = vi.fn((file: string) => file.endsWith('Tool.ts'))
  end = onChange([{ folder, counts: counted, isDeep: true }], act)
  writeFileSync(join(folder, 'Kit/notes.txt'), 'not a source')
  await vi.waitFor(() => expect(counted).toHaveBeenCalledWith(join('Kit', 'notes.txt')), { timeout: 10_000 })
  writeFileSync(join(folder, 'Kit/Tool.ts'), 'second')
  await vi.waitFor(() => expect(act).toHaveBeenCalledTimes(1), { timeout: 10_000 })
})
