import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'

/**
 * A desktop for programs that open a page in the person's browser. Pages opened with `xdg-open` or the variable BROWSER are
 * only recorded, so that the test's browser can open them.
 */
export interface Desktop {
  readonly folder: string
  /** The environment of programs on this desktop; their home is its folder. */
  readonly env: Record<string, string>
  /** Lists the pages opened so far. */
  opened(): Promise<readonly string[]>
  /** Waits for the next page after the first `after`. */
  next(after: number): Promise<string>
  remove(): Promise<void>
}

export async function startDesktop(): Promise<Desktop> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-desktop-'))
  const list = join(folder, 'opened')
  await writeFile(list, '')
  for (const name of ['browser', 'xdg-open']) {
    await writeFile(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$1" >> '${list}'\n`)
    await chmod(join(folder, name), 0o755)
  }
  const opened = async () => (await readFile(list, 'utf8')).split('\n').filter((line) => line !== '')
  return {
    folder,
    env: {
      PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: folder,
      BROWSER: join(folder, 'browser'),
    },
    opened,
    async next(after) {
      await expect.poll(async () => (await opened()).length).toBeGreaterThan(after)
      return (await opened())[after] ?? ''
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
