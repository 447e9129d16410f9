import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'

/**
 * A desktop for programs that have the person's browser open a page: whatever they open, by `xdg-open` or by the variable
 * BROWSER, is written down instead, for the test's own browser to open.
 */
export interface Desktop {
  readonly folder: string
  /** What a program is started with to be on this desktop; its home is the desktop's folder. */
  readonly env: Record<string, string>
  /** The pages that were opened so far. */
  opened(): Promise<readonly string[]>
  /** The page that is opened next after so many. */
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
