import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { showLink } from '../../../src/cli/commands/authorize.ts'
import { openSession } from '../../../src/cli/context.ts'
import { surroundingsOf } from '../surroundings.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-authorize-'))
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(folder, name), `#!/bin/sh\necho "$1" >> '${join(folder, 'opened')}'\n`)
    await chmod(join(folder, name), 0o755)
  }
})
afterEach(() => rm(folder, { recursive: true }))

it.skipIf(process.platform === 'win32')('only web links are opened, whatever a deployment returns', async () => {
  const { surroundings, printed } = surroundingsOf(80)
  const env = { ...surroundings.env, PATH: `${folder}${delimiter}${process.env['PATH']}` }
  const session = openSession({}, { ...surroundings, env }, new AbortController().signal)
  const links = ['file:///etc/passwd', 'vscode://run/this', 'https://switchboard.example/authorizations/1/start']
  for (const url of links) {
    await showLink(session, { id: 'mail', url }, true)
    expect(printed()).toContain(url)
  }
  const opened = () => readFile(join(folder, 'opened'), 'utf8').catch(() => '')
  await expect.poll(opened).toContain(links[2])
  expect(await opened()).toBe(`${links[2]}\n`)
})
