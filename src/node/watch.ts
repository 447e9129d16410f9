import { type FSWatcher, watch } from 'node:fs'

export interface Watched {
  readonly folder: string
  readonly counts: (file: string) => boolean
  readonly isDeep: boolean
}

/** On Linux, files are watched one by one, and a file that an editor replaces is no longer watched. */
const ENDS_WITH_FILES = process.platform === 'linux'

/**
 * Calls `onSettled` once there were no more changes for 100 ms, and again if files changed while it ran. Calls never overlap.
 * Returns a function that stops watching.
 */
export function onChange(watched: readonly Watched[], onSettled: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined
  let isRunning = false
  let isStale = false
  async function run(): Promise<void> {
    if (isRunning) return void (isStale = true)
    isRunning = true
    do {
      isStale = false
      await onSettled()
    } while (isStale)
    isRunning = false
  }
  const watchers = new Map<Watched, FSWatcher>()
  function watchFolder(folderToWatch: Watched): void {
    const { folder, counts, isDeep } = folderToWatch
    watchers.get(folderToWatch)?.close()
    const watcher = watch(folder, { recursive: isDeep }, (_, file) => {
      if (file !== null && !counts(file)) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        if (ENDS_WITH_FILES && isDeep) watchFolder(folderToWatch)
        void run()
      }, 100)
    })
    watchers.set(folderToWatch, watcher)
  }
  for (const folderToWatch of watched) watchFolder(folderToWatch)
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers.values()) watcher.close()
  }
}
