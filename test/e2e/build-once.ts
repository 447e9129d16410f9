import { buildBundle, workerOptionsIn } from './server.ts'

/** Builds the Worker before the project's first file runs; `startServer` uses this build. */
export default async function setup(): Promise<() => void> {
  const { folder, remove } = await buildBundle()
  await workerOptionsIn(folder)
  process.env['SWITCHBOARD_BUNDLE'] = folder
  return remove
}
