import { buildBundle, workerOptionsIn } from './server.ts'

/** Builds the Worker before the first file of the project runs; `startServer` starts it from there. */
export default async function setup(): Promise<() => void> {
  const { folder, remove } = await buildBundle()
  await workerOptionsIn(folder)
  process.env['SWITCHBOARD_BUNDLE'] = folder
  return remove
}
