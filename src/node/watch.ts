import { type FSWatcher, watch } from 'node:fs'

export interface Watched {
  readonly folder: string
  readonly counts: (file: string) => boolean
  readonly isDeep: boolean
}

/** On Linux files are watched one by one, and a file that an editor replaces is watched no more. */
const ENDS_WITH_FILES = process.platform === 'linux'

/**
 * Once for changes within 100 ms, and once more for those meanwhile, never twice at a time. Gives the end of the
 * watching.
 */
export function onChange(watched: readonly Watched[], act: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined
  let isActing = false
  let isStale = false
  async function begin(): Promise<void> {
    if (isActing) return void (isStale = true)
    isActing = true
    do {
      isStale = false
      await act()
    } while (isStale)
    isActing = false
  }
  const watchers = new Map<Watched, FSWatcher>()
  function look(each: Watched): void {
    const { folder, counts, isDeep } = each
    watchers.get(each)?.close()
    const watcher = watch(folder, { recursive: isDeep }, (_, file) => {
      if (file !== null && !counts(file)) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        if (ENDS_WITH_FILES && isDeep) look(each)
        void begin()
      }, 100)
    })
    watchers.set(each, watcher)
  }
  for (const each of watched) look(each)
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers.values()) watcher.close()
  }
}
