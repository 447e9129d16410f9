import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createProgram } from '../../../src/cli/program.ts'
import { openSession } from '../../../src/cli/context.ts'
import { surroundingsOf } from '../surroundings.ts'

const ARCHIVE = '{"kind":"archive","format":1}\n{"kind":"end","lines":1}\n'
const RESTORED =
  '{"line":2,"outcome":"refused","message":"Is none"}\n{"done":true,"complete":true,"created":1,"refused":1}\n'
let folder: string
let server: Server
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'))
  server = createServer(({ method }, response) => void response.end(method === 'POST' ? RESTORED : ARCHIVE))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

async function run(command: 'backup' | 'restore', file: string): Promise<void> {
  const { surroundings } = surroundingsOf()
  const open = (options: object) => openSession(options, surroundings, new AbortController().signal)
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await createProgram(open, () => undefined).parseAsync(
    [command, file, '--json', '--yes', '--url', `http://127.0.0.1:${port}`],
    { from: 'user' },
  )
}

it('a backup overwrites no existing file or link, and is readable only by its owner', async () => {
  const file = join(folder, 'backup.jsonl')
  const remoteName = join(folder, 'theirs')
  await writeFile(remoteName, 'mine')
  // Whoever knows where it will be can put a link, or a file of their own, where it would be written first
  await symlink(remoteName, `${file}.part`)
  await run('backup', file)
  expect(await readFile(remoteName, 'utf8')).toBe('mine')
  expect(await readFile(file, 'utf8')).toBe(ARCHIVE)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await readdir(folder)).toSorted()).toEqual(['backup.jsonl', 'backup.jsonl.part', 'theirs'])
})

it('a restore with a refused line fails, so that scripts stop', async () => {
  const file = join(folder, 'backup.jsonl')
  await writeFile(file, ARCHIVE)
  await expect(run('restore', file)).rejects.toMatchObject({ code: 'failed', message: '1 were refused' })
})
