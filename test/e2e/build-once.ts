import { buildBundle } from './server.ts'

/** Builds the Worker before the first file of the project runs; `startServer` starts it from there. */
export default function setup(): () => void {
  const { folder, remove } = buildBundle()
  process.env['SWITCHBOARD_BUNDLE'] = folder
  return remove
}
